import type { GroupData } from "../groups/group-data.ts";
import type { RefusedTask, Side } from "./compare-types.ts";

/** The tasks that both groups ran under the same terms, and those that they did not, with why. */
export interface Pairing {
  readonly paired: readonly (readonly [Side, Side])[];
  readonly refused: readonly RefusedTask[];
}

/** Pairs by the task's record, else by its digest on the same rows; what has no partner or other terms is refused. */
export function pairTasks(a: GroupData, b: GroupData): Pairing {
  const [left, right] = [sides(a), sides(b)];
  const byRecord = new Map(right.map((side) => [side.task.id, side]));
  const byDigest = new Map(right.map((side) => [`${side.task.digest}|${side.run.terms.base}`, side]));
  const taken = new Set<Side>();
  const paired: [Side, Side][] = [];
  const refused: RefusedTask[] = [];
  for (const one of left) {
    const other = byRecord.get(one.task.id) ?? byDigest.get(`${one.task.digest}|${one.run.terms.base}`);
    if (!other || taken.has(other)) {
      refused.push({ ...taskPosition(one), reason: "Only a ran it.", ...wayOut(startAgain(a, b)) });
      continue;
    }
    taken.add(other);
    const apart = otherTerms(one, other, a, b);
    if (apart === undefined) paired.push([one, other]);
    else refused.push({ ...taskPosition(one), ...apart });
  }
  for (const other of right)
    if (!taken.has(other))
      refused.push({ ...taskPosition(other), reason: "Only b ran it.", ...wayOut(startAgain(b, a)) });
  return { paired, refused };
}

/** Where a task is, for a list. */
export function taskPosition({ run, task }: Side) {
  return { environment: run.environment, label: run.label, task: task.id, index: task.index };
}

/** The start that plays the tasks of `like` once more by the player of `by`; undefined where one of them was never played here. */
export function startAgain(like: GroupData, by: GroupData, more = ""): string | undefined {
  if ([like, by].some(({ runs }) => runs.some(({ run }) => run.imported !== undefined))) return undefined;
  const { agent, version, harness } = by.group.player;
  const player =
    harness === null
      ? `agent=${agent}${version === null ? "" : `, agent_version=${value(version)}`}`
      : `harness=${harness}${harness === "react" && version !== null ? `, model=${value(version)}` : ""}`;
  return `start_run with ${more}group=${like.group.id}, ${player}`;
}

/** A label of somebody else's, where it can be no markup of a sentence that goes out; else whose it is. */
function value(text: string): string {
  return /^[\w.:/+-]{1,100}$/.test(text) && !text.includes("://") ? text : "(the one of that group)";
}

function wayOut(way: string | undefined) {
  return way === undefined ? {} : { way_out: way };
}

function sides(data: GroupData): Side[] {
  return data.runs.flatMap(({ run, trials }) => {
    const byTask = Map.groupBy(trials, (trial) => trial.task);
    return run.tasks.map((task) => ({ run, task, trials: byTask.get(task.id) ?? [] }));
  });
}

function otherTerms(
  one: Side,
  other: Side,
  a: GroupData,
  b: GroupData,
): Pick<RefusedTask, "reason" | "way_out"> | undefined {
  const anew = wayOut(startAgain(a, a) && "start both again on the environment as it stands now (start_run)");
  const [x, y] = [one.run, other.run];
  if (one.task.checks !== other.task.checks) return { reason: "Its checks were others.", ...anew };
  if (one.task.digest !== other.task.digest) return { reason: "The task itself was another.", ...anew };
  if (x.terms.base !== y.terms.base) return { reason: "The drawn rows were others.", ...anew };
  if (x.timeout_seconds !== y.timeout_seconds)
    return {
      reason: `The time limits differ, ${limit(x.timeout_seconds)} and ${limit(y.timeout_seconds)}.`,
      ...wayOut(startAgain(a, b, `timeout_seconds=${x.timeout_seconds}, `)),
    };
  if (x.terms.limits !== y.terms.limits) return { reason: "Its limits were others." };
  if (!samePlayer(a, b) && x.terms.tools !== y.terms.tools) return { reason: "The tools were others.", ...anew };
  // What a person left out of both is no trial that either arm lost.
  const left = [one, other].every(({ run, trials }) => trials.length === 0 && run.grading?.recount !== undefined);
  return left ? { reason: "A recount left it out of both." } : undefined;
}

/** Runs that were taken in may not tell a limit: it is 0 then. */
function limit(seconds: number): string {
  return seconds === 0 ? "none stated" : `${seconds} s`;
}

/** The same agent version on both sides, or versions of one surface agent: then the tools are what is being compared. */
function samePlayer(a: GroupData, b: GroupData): boolean {
  const [x, y] = [a.group.player, b.group.player];
  // Players of imported runs are known by name alone.
  const named = x.agent !== null || x.harness !== null || x.name === y.name;
  const version = x.version === y.version || (x.surface !== undefined && x.surface === y.surface);
  return named && x.agent === y.agent && version && x.harness === y.harness;
}
