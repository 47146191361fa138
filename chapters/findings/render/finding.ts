import { z } from "zod";
import { RootCause } from "../../records/runs/runs.ts";
import type { CauseCount, ComparedTask, Comparison } from "../../runs/compare/compare-types.ts";
import type { GroupData } from "../../runs/groups/group-data.ts";
import { Tier } from "../../tier.ts";

/** Tasks that a finding tells one by one; the others are counted. */
const TOLD = 5;
/** Trials that a finding cites. */
const CITED = 20;

const Cause = z.object({ cause: RootCause, trials: z.number().int() });

/** One side of a finding: a group's player and how its trials ended. `low` and `high` bound its rate at 95 %. */
export const FindingArm = z.object({
  group: z.string(),
  name: z.string(),
  version: z.string().nullable(),
  met: z.number().int(),
  valid: z.number().int(),
  infra: z.number().int(),
  invalid: z.number().int(),
  low: z.number(),
  high: z.number(),
  /** Planned trials without a verdict, and the rate if these had failed and been met; absent on findings made before it was kept. */
  lost: z.object({ trials: z.number().int(), planned: z.number().int(), low: z.number(), high: z.number() }).optional(),
});
export type FindingArm = z.infer<typeof FindingArm>;

/** A task whose outcome went the other way; counts are met of valid per arm. */
export const FindingTask = z.object({
  label: z.string(),
  index: z.number().int(),
  family: z.string(),
  request: z.string(),
  main: z.object({ met: z.number().int(), valid: z.number().int() }),
  tested: z.object({ met: z.number().int(), valid: z.number().int() }),
  causes: z.array(Cause),
});
export type FindingTask = z.infer<typeof FindingTask>;

/**
 * What is delivered: one group against the main one, with the size of the difference, how sure that is and what it
 * rests on. One value, rendered for every channel. Names and requests in it are other people's text.
 */
export const Finding = z.object({
  org: z.string(),
  main: FindingArm,
  tested: FindingArm,
  /** Tasks that both arms ran under the same terms. */
  n: z.number().int(),
  refused: z.number().int(),
  /** Mean over tasks of the rate of `tested` less that of `main`, -1 to 1. */
  difference: z.number(),
  confidence: z.number(),
  words: z.enum(["no difference shown", "leaning", "shown"]),
  p: z.number(),
  /** Why nothing can be told and what to do; `a` is the main group and `b` the tested one. */
  cannot_tell: z.object({ reason: z.string(), way_out: z.string() }).optional(),
  /** Root causes of the failures of the arm that met less, most frequent first. */
  causes: z.array(Cause),
  tasks: z.array(FindingTask),
  tasks_total: z.number().int(),
  /** Failed trials behind it, as `<run>/<task>/<try>`. */
  cites: z.array(z.string()),
  /** How its numbers were made: the comparison's own tier. */
  tier: Tier,
  /** Stand-in data: the traces behind it were invented, and every rendering says so. */
  example: z.boolean(),
  /** Where the finding's own page is. */
  url: z.string().optional(),
  at: z.number(),
});
export type Finding = z.infer<typeof Finding>;

/** The first lines of a week's page, as they go out over channels: our own words and counts, names in them inert. */
export interface WeeklyHeadline {
  readonly org: string;
  /** The ISO week. */
  readonly week: string;
  readonly lines: readonly string[];
  /** Stand-in data: every rendering says so. */
  readonly example: boolean;
}

/** A finding from a comparison whose `a` is the main group and `b` the tested one, with the groups' own trials. */
export function findingOf(
  comparison: Comparison,
  groups: { readonly main: GroupData; readonly tested: GroupData },
  facts: Pick<Finding, "org" | "example" | "at"> & { readonly url?: string | undefined },
): Finding {
  const { url, ...known } = facts;
  return {
    ...known,
    ...(url === undefined ? {} : { url }),
    main: armOf(comparison.a),
    tested: armOf(comparison.b),
    n: comparison.tasks.length,
    refused: comparison.refused.length,
    difference: comparison.difference,
    confidence: comparison.confidence,
    // Channels word a finding by this alone: where nothing can be told they lean to nobody.
    words: comparison.cannot_tell === undefined ? comparison.words : "no difference shown",
    p: comparison.p,
    ...(comparison.cannot_tell === undefined ? {} : { cannot_tell: comparison.cannot_tell }),
    causes: comparison.causes.map(plain),
    tasks: comparison.flips.slice(0, TOLD).map(taskOf),
    tasks_total: comparison.flips.length,
    cites: citesOf(comparison, groups),
    tier: comparison.tier,
  };
}

function armOf(arm: Comparison["a"]): FindingArm {
  const { group, name, version, met, valid, infra, invalid, low, high, missing, planned, bounds } = arm;
  const lost = { trials: missing.infra + missing.invalid + missing.not_played, planned, ...bounds };
  return { group, name, version, met, valid, infra, invalid, low, high, lost };
}

function taskOf({ label, index, family, request, a, b, delta, causes }: ComparedTask): FindingTask {
  return {
    label,
    index,
    family,
    request,
    main: { met: a.met, valid: a.valid },
    tested: { met: b.met, valid: b.valid },
    causes: causes[delta < 0 ? "b" : "a"].map(plain),
  };
}

function plain({ cause, trials }: CauseCount) {
  return { cause, trials };
}

/** The failed trials of the arm that met less, on the tasks where it did. */
function citesOf(comparison: Comparison, groups: { readonly main: GroupData; readonly tested: GroupData }): string[] {
  if (comparison.worse === undefined) return [];
  const worse = comparison.worse;
  const lost = new Set(
    comparison.tasks
      .filter((task) => (worse === "b" ? task.delta < 0 : task.delta > 0))
      .map((task) => `${task.environment} ${task.index}`),
  );
  return groups[worse === "b" ? "tested" : "main"].runs
    .flatMap(({ run, trials }) => {
      const index = new Map(run.tasks.map((task) => [task.id, task.index]));
      return trials
        .filter((trial) => trial.end === "failed" && lost.has(`${run.environment} ${index.get(trial.task)}`))
        .map((trial) => `${run.id}/${trial.task}/${trial.n}`);
    })
    .slice(0, CITED);
}
