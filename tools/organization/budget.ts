import { z } from "zod";
import { byField, orgRef } from "../../chapters/fields.ts";
import { BudgetToday, putBudget, spendSummary, WaitingWork } from "../../chapters/organization/budget.ts";
import { operation, shaped } from "../kernel/operation.ts";

const LEDGER = "sum of the ledger's rows, priced when they were written";

/** What the org spends, and its daily budget. */
export const spend = [
  shaped({
    name: "spend_summary",
    title: "Read what was spent",
    description:
      "Answers today's budget and spend in US dollars, the last thirty days by day and by job, and what waits for budget, with what it may cost and the sentence.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/spend",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      tier: z.literal("deterministic"),
      today: BudgetToday,
      days: z.array(z.object({ day: z.string(), usd: z.number() })),
      jobs: z.array(
        z.object({ job: z.string(), kind: z.string(), who: z.string(), started: z.number(), usd: z.number() }),
      ),
      direct: z
        .array(
          z.object({
            kind: z.string(),
            who: z.string(),
            started: z.number(),
            rows: z.number().int().describe("Lines of the ledger."),
            usd: z.number(),
          }),
        )
        .optional()
        .describe("What was asked of a model outside any job, by kind and who asked, the dearest first."),
      held: z.array(WaitingWork),
    }),
    handle: spendSummary,
    verdict: ({ today, held }) =>
      `${today.spent_usd.toFixed(2)} of ${today.usd_per_day.toFixed(2)} USD spent today${held.length === 0 ? "" : `; ${held.length} ${held.length === 1 ? "job waits" : "jobs wait"}`}.`,
    counts: ({ today, held, tier }) => [
      { name: "USD spent today", value: today.spent_usd, of: today.usd_per_day, tier, how: LEDGER },
      { name: "jobs held", value: held.length, tier, how: "jobs whose estimate passes what is left of the budget" },
    ],
  }),
  operation({
    name: "budget_put",
    title: "Set the daily budget",
    description:
      "Sets how many US dollars a day the org may spend on model calls, or clears it to the default with null. Held work is ruled again on the new budget.",
    scope: "push",
    route: "PUT /v0/orgs/{orgtag}/budget",
    input: z.object({
      ...orgRef,
      usd_per_day: z.number().min(0).max(1_000_000).nullable().describe("null for the default."),
      ...byField,
    }),
    output: z.object({ budget: BudgetToday, cleared: z.boolean() }),
    handle: putBudget,
  }),
];
