import { z } from "zod";
import type { Doc } from "../../record.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import type { BundleRecord, Environment, TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import type { HeldSetDoc } from "../../runs/start/held-set.ts";
import { staleness } from "../../sandboxes/tasks/task-records.ts";
import { Tier } from "../../tier.ts";

/** What a held set's quality is measured by, one verdict per task each. */
export const SET_CHECKS = [
  "unchanged",
  "same_world",
  "certified",
  "discriminating",
  "natural",
  "separates",
  "repeatable",
] as const;
export const SetCheck = z.enum(SET_CHECKS);
export type SetCheck = z.infer<typeof SetCheck>;

/** What a check says of a task; `unmeasured` where nothing on record can say. */
export const SetVerdict = z.object({
  check: SetCheck,
  verdict: z.enum(["pass", "fail", "unmeasured"]),
  reason: z.string(),

  /** Trials or wrong trials that it rests on, where it rests on any. */
  n: z.number().int().optional(),
  tier: Tier,
});
export type SetVerdict = z.infer<typeof SetVerdict>;

/** All trials of one task by one version of a player, under the set's terms. */
export interface VersionTrials {
  readonly version: string;
  readonly tier: Tier;
  readonly trials: readonly Pick<TrialRow, "end">[];
}

/** What is known now of a task that was frozen. */
export interface KnownOf {
  readonly task: Doc<typeof TaskRecord> | undefined;
  readonly environment: Doc<typeof Environment> | undefined;
  readonly bundle: Doc<typeof BundleRecord> | undefined;
  readonly versions: readonly VersionTrials[];
}

/** Fewest valid trials from which a task is called saturated, or out of reach. */
const ENOUGH_TRIALS = 3;

/** Every check of one frozen task, in the order of `SET_CHECKS`. Pure. */
export function checkTask(held: HeldSetDoc["tasks"][number], known: KnownOf): SetVerdict[] {
  return [
    unchanged(held, known),
    sameWorld(held, known),
    certified(known),
    discriminating(known),
    natural(known),
    separates(known),
    repeatable(known),
  ];
}

const code = { tier: "deterministic" as const };

function unchanged(held: HeldSetDoc["tasks"][number], { task }: KnownOf): SetVerdict {
  const check = "unchanged" as const;
  if (!task) return { check, verdict: "fail", reason: "The task is gone.", ...code };
  if (task.digest !== held.digest)
    return { check, verdict: "fail", reason: "The task or its key was changed since it was frozen.", ...code };
  if (task.status === "retired") return { check, verdict: "fail", reason: "The task is retired.", ...code };
  return { check, verdict: "pass", reason: "The task is as it was frozen.", ...code };
}

function sameWorld(held: HeldSetDoc["tasks"][number], { environment, bundle }: KnownOf): SetVerdict {
  const check = "same_world" as const;
  if (!environment || environment.retired_at !== undefined)
    return { check, verdict: "fail", reason: "Its environment is gone or retired.", ...code };
  if (environment.base_blob !== held.base)
    return { check, verdict: "fail", reason: "Its rows were drawn again since.", ...code };
  if (bundle?.digest !== held.tools)
    return { check, verdict: "fail", reason: "Other tools are served since.", ...code };
  return { check, verdict: "pass", reason: "Rows and tools are those it was frozen with.", ...code };
}

function certified({ task }: KnownOf): SetVerdict {
  const check = "certified" as const;
  if (!task) return { check, verdict: "unmeasured", reason: "The task is gone.", ...code };
  if (!task.certificate) return { check, verdict: "unmeasured", reason: "It was never reviewed here.", ...code };
  const failed = task.certificate.verdicts.filter(({ passed }) => !passed).map(({ name }) => name);
  if (failed.length > 0) return { check, verdict: "fail", reason: `It fails review: ${failed.join(", ")}.`, ...code };
  const stale = staleness(task);
  if (stale !== undefined) return { check, verdict: "fail", reason: stale, ...code };
  return task.status === "certified"
    ? { check, verdict: "pass", reason: "It is certified on the world served now.", ...code }
    : { check, verdict: "fail", reason: `It is ${task.status}, so it does not count in a run.`, ...code };
}

function discriminating({ task }: KnownOf): SetVerdict {
  const check = "discriminating" as const;
  const health = task?.health;
  if (!health || health.mutants === 0)
    return { check, verdict: "unmeasured", reason: "No wrong trial was tried on its checks.", ...code };
  const { mutants, rejected, equals, spared } = health;
  const reason = `Its checks reject ${rejected} of ${mutants} wrong trials and spare ${spared} of ${equals} equal ones.`;
  return { check, verdict: rejected === mutants && spared === equals ? "pass" : "fail", reason, n: mutants, ...code };
}

function natural({ task }: KnownOf): SetVerdict {
  const check = "natural" as const;
  const verdict = task?.verdicts.find(({ name }) => name === "natural");
  if (!verdict) return { check, verdict: "unmeasured", reason: "Its request was never reviewed.", ...code };
  return verdict.passed
    ? { check, verdict: "pass", reason: "Its request is one that a user would write.", ...code }
    : { check, verdict: "fail", reason: "Its request is not one that a user would write.", ...code };
}

function tally(trials: readonly Pick<TrialRow, "end">[]) {
  const met = trials.filter(({ end }) => end === "met").length;
  return { met, n: met + trials.filter(({ end }) => end === "failed").length };
}

function tierOf(versions: readonly VersionTrials[]): { readonly tier: Tier } {
  return { tier: versions.some(({ tier }) => tier === "llm-derived") ? "llm-derived" : "deterministic" };
}

/** Whether agents differ on the task: one that every trial met is saturated, one that none met is out of reach. */
function separates({ versions }: KnownOf): SetVerdict {
  const check = "separates" as const;
  const { met, n } = tally(versions.flatMap(({ trials }) => trials));
  const tier = tierOf(versions);
  const of = `${n} valid trials of ${versions.length} ${versions.length === 1 ? "version" : "versions"}`;
  if (met > 0 && met < n) return { check, verdict: "pass", reason: `${met} of ${of} met it.`, n, ...tier };
  if (n < ENOUGH_TRIALS)
    return {
      check,
      verdict: "unmeasured",
      reason: `Only ${of} under these terms; ${ENOUGH_TRIALS} are needed.`,
      n,
      ...tier,
    };
  return met === n
    ? { check, verdict: "fail", reason: `Saturated: all ${of} met it.`, n, ...tier }
    : { check, verdict: "fail", reason: `Out of reach: none of ${of} met it.`, n, ...tier };
}

/** Whether a version that tried the task more than once ended alike each time. */
function repeatable({ versions }: KnownOf): SetVerdict {
  const check = "repeatable" as const;
  const again = versions.map((version) => tally(version.trials)).filter(({ n }) => n > 1);
  const tier = tierOf(versions);
  if (again.length === 0)
    return { check, verdict: "unmeasured", reason: "No version tried it twice under these terms.", ...tier };
  const n = again.reduce((sum, version) => sum + version.n, 0);
  const unsteady = again.filter(({ met, n: tries }) => met > 0 && met < tries).length;
  const reason =
    unsteady === 0
      ? `Each of ${again.length} versions ended alike in every try.`
      : `${unsteady} of ${again.length} versions met it in some tries and not in others.`;
  return { check, verdict: unsteady === 0 ? "pass" : "fail", reason, n, ...tier };
}
