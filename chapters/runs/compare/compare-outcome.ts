import type { GroupData } from "../groups/group-data.ts";

/** Selections that say which tasks by what they are; every other names them one by one. */
const BY_KIND = /^(?:full$|touched$|ci-|smoke-|worldplan |[a-z_]+: )/;
/** The chance that tasks named at random all had ended alike, below which they were named for how they ended. */
const BY_CHANCE = 0.05;

/**
 * How the tasks of an arm were chosen, where that was by how trials on them had ended; undefined where it was not. A
 * group says so itself when it was started so; of tasks named one by one the other arm's trials tell it: all of them
 * failed there, or all were met, which tasks named for another reason would hardly have done.
 */
export function chosenByOutcome(a: GroupData, b: GroupData): string | undefined {
  const told = (["a", "b"] as const).flatMap((arm) => {
    const how = (arm === "a" ? a : b).group.chosen_by_outcome;
    return how === undefined ? [] : [`the tasks of ${arm} were chosen by how trials had ended (${how})`];
  });
  return told[0] ?? named(a, b, "b") ?? named(b, a, "a");
}

/** The tasks of `chosen`, called `arm`, held against how `all` ended. */
function named(all: GroupData, chosen: GroupData, arm: "a" | "b"): string | undefined {
  // Nobody chooses by what is not yet known.
  if (BY_KIND.test(chosen.group.selection) || chosen.group.created_at < all.group.created_at) return undefined;
  const taken = new Set(chosen.runs.flatMap(({ run }) => run.tasks.map((task) => task.id)));
  const tasks = all.runs.flatMap(({ run, trials }) => {
    const ends = Map.groupBy(trials, (trial) => trial.task);
    return run.tasks.map(({ id }) => {
      const of = (ends.get(id) ?? []).map(({ end }) => end);
      return { taken: taken.has(id), failed: of.includes("failed"), met: of.includes("met") };
    });
  });
  const mine = tasks.filter((task) => task.taken);
  if (mine.length === 0 || mine.length === tasks.length) return undefined;
  for (const end of ["failed", "met"] as const) {
    const alike = tasks.filter((task) => task[end]).length;
    if (mine.every((task) => task[end]) && allByChance(alike, tasks.length, mine.length) <= BY_CHANCE)
      return `the tasks of ${arm} are ${mine.length} of ${tasks.length} and every one of them had ${end === "met" ? "been met" : "failed"} in ${arm === "b" ? "a" : "b"}`;
  }
  return undefined;
}

/** The chance that `drawn` of `of` tasks are all among `alike` ones. */
function allByChance(alike: number, of: number, drawn: number): number {
  let chance = 1;
  for (let i = 0; i < drawn; i++) chance *= Math.max(0, alike - i) / (of - i);
  return chance;
}
