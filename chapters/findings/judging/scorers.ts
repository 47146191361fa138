import { z } from "zod";
import { Check } from "../../../worlds/tasks/schema.ts";
import type { Ctx } from "../../context.ts";
import { getJudge } from "../../organization/judge.ts";
import { everyRow } from "../../page.ts";
import { Run } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import type { Tier } from "../../tier.ts";
import { AgreementShare, agreementOf, type CalibrationDoc, kappaOf } from "./agreement.ts";
import { standingSets } from "./calibration.ts";

/** A kind of check. */
export type CheckKind = Check["kind"];

/** Every kind of check, in the order they are declared. */
export const CHECK_KINDS: readonly CheckKind[] = Check.options.map(({ shape }) => shape.kind.value);

/** What each kind of check decides of a finished trial. */
export const DECIDES: Readonly<Record<CheckKind, string>> = {
  answer_includes: "The answer says the facts that were asked for, however they are written.",
  answer_excludes: "The answer says none of the values that belong to other rows.",
  answer_class: "The answer answers, says that there is nothing, or refuses, as it should.",
  asks: "The agent asks the user about what the request leaves open.",
  calls_required: "The agent makes the calls that the task needs.",
  calls_forbidden: "The agent makes none of the calls that are forbidden.",
  call_order: "The agent makes its calls in the order that is required.",
  state: "The world ends with the changes that were asked for, and no other.",
  no_state_change: "The world ends as it was.",
  max_calls: "The agent makes no more calls than it may.",
  judged: "A judge decides whether the criterion is met.",
};

/** How well a scorer agrees with people, by its newest calibration set. */
export const ShownAgreement = z
  .object({ set: z.string(), ...AgreementShare.shape, kappa: z.number().nullable() })
  .describe("By the newest calibration set that stands; absent where there is none.");

/** The agreement with people's labels that a calibration set shows. */
export function shownAgreement(set: CalibrationDoc | undefined) {
  if (!set) return {};
  const { agreed, n, share, low, high } = agreementOf(set.items);
  return { agreement: { set: set.id, agreed, n, share, low, high, kappa: kappaOf(set.items).kappa } };
}

interface Use {
  tasks: number;
  runs: number;
}

/**
 * Everything that scores a trial here: each kind of check, and each criterion that a judge decides, with the model it has
 * and where that comes from. Agreement with people is that of the newest calibration set, absent where there is none.
 */
export async function listScorers(ctx: Ctx) {
  const [uses, sets, { judge }] = await Promise.all([usesOf(ctx), standingSets(ctx), getJudge(ctx)]);
  const used = (name: string) => uses.get(name) ?? { tasks: 0, runs: 0 };
  const checks = CHECK_KINDS.filter((kind) => kind !== "judged").map((kind) => ({
    scorer: kind as string,
    kind: "check" as const,
    decides: DECIDES[kind],
    model: null,
    source: "code" as "code" | "scorer" | "org" | "default",
    tier: "deterministic" as Tier,
    ...used(kind),
    ...shownAgreement(sets.get(kind)),
  }));
  const judged = judge.scorers.map(({ scorer, model, source }) => ({
    scorer,
    kind: "judged" as const,
    decides: DECIDES.judged,
    model,
    source,
    tier: "llm-derived" as const,
    ...used(judgedName(scorer)),
    ...shownAgreement(sets.get(scorer)),
  }));
  return { org: ctx.org.tag, scorers: [...checks, ...judged], note: judge.note, tier: "deterministic" as const };
}

/** A judged criterion may be called what a check is called. */
function judgedName(criterion: string): string {
  return `judged\n${criterion}`;
}

/** How many stored tasks carry each scorer, and how many runs were on such tasks. */
async function usesOf(ctx: Ctx): Promise<ReadonlyMap<string, Use>> {
  const uses = new Map<string, Use>();
  const of = new Map<string, readonly string[]>();
  const use = (name: string) => {
    const known = uses.get(name) ?? { tasks: 0, runs: 0 };
    uses.set(name, known);
    return known;
  };
  for await (const row of everyRow((page) => ctx.store.records.list(TaskRecord, page))) {
    const names = [
      ...new Set(row.task.checks.map((check) => (check.kind === "judged" ? judgedName(check.criterion) : check.kind))),
    ];
    of.set(row.id, names);
    for (const name of names) use(name).tasks += 1;
  }
  for await (const run of everyRow((page) => ctx.store.records.list(Run, page)))
    for (const name of new Set(run.tasks.flatMap(({ id }) => of.get(id) ?? []))) use(name).runs += 1;
  return uses;
}
