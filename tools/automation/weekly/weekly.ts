import { z } from "zod";
import { weeklyReport } from "../../../chapters/automation/weekly/weekly.ts";
import { WeeklyDelivered } from "../../../chapters/automation/weekly/weekly-deliver.ts";
import { byField, orgRef } from "../../../chapters/fields.ts";
import { ReportView } from "../../../chapters/findings/reports/reports.ts";
import { Tier } from "../../../chapters/tier.ts";
import { shaped } from "../../kernel/operation.ts";

const n = z.number().int();

/** Write the weekly page. */
export const weekly = [
  shaped({
    name: "weekly_report",
    title: "Write the weekly page",
    description:
      "Writes the page of the last complete ISO week by rule: what changed per agent, what ran, new failure modes, notes, spend. Where weekly delivery is on, it is shared, posted to chat and mailed once.",
    scope: "push",
    effect: "create",
    statuses: [201, 200],
    hints: { idempotent: true, openWorld: true },
    route: "POST /v0/orgs/{orgtag}/reports/weekly",
    input: z.object({ ...orgRef, ...byField }),
    output: ReportView.extend({
      week: z.string().describe("The ISO week, such as 2026-W46."),
      replaced: z.boolean(),
      headline: z.array(z.string()),
      counts: z.object({
        groups: n,
        met: n,
        valid: n,
        graded: Tier.describe("How the trials were graded, the weakest of all."),
        new_modes: n,
        modes: Tier,
        notes: n,
        spent_usd: z.number(),
      }),
      delivery: WeeklyDelivered,
    }),
    verdict: ({ page, week }) => `${week}: ${page.verdict?.text ?? page.title}`,
    counts: ({ counts }) => [
      {
        name: "run groups",
        value: counts.groups,
        tier: "deterministic",
        how: "that landed in the week, no controls",
      },
      { name: "trials met", value: counts.met, of: counts.valid, tier: counts.graded, how: "of their valid trials" },
      { name: "new failure modes", value: counts.new_modes, tier: counts.modes, how: "recorded in the week" },
      { name: "notes", value: counts.notes, tier: "human", how: "of people, recorded in the week" },
      {
        name: "spent",
        value: counts.spent_usd,
        tier: "deterministic",
        how: "US dollars on model calls, by the ledger",
      },
    ],
    next: ({ shared }) =>
      shared ? undefined : "reports_share to get a link to the page, or reports_weekly_delivery_put to have it sent",
    handle: weeklyReport,
  }),
];
