import { canonicalJson } from "../../digest.ts";
import type { JsonObject, Scalar } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import type { World } from "../../world-api.ts";
import { sameData } from "../checks/data.ts";
import { leaves } from "../leaves.ts";

/** A call that only reads, the same one in every task. */
export interface Probe {
  readonly name: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly by: "user" | undefined;
}

/** Scalars of what each probe is answered, by probe and path; undefined for a probe that a world cannot answer. */
export type Shown = ReadonlyMap<string, ReadonlyMap<string, Scalar | null> | undefined>;

/** What probes show of one task: of its start, and of the ends of its rewarded and its unrewarded runs. */
export interface ShownTask {
  readonly start: Shown;
  readonly rewarded: readonly Shown[];
  readonly unrewarded: readonly Shown[];
}

/** A place in the answer of a probe, and the one value there that marks success. */
export interface Goal {
  readonly probe: Probe;
  readonly path: string;
  readonly value: Scalar | null;
}

/** One value that marks success may be one task's by chance, and two tasks' where there are few values: three tasks are needed. */
const TASKS = 3;
/** Unrewarded runs that ended otherwise: as many as rule out that the value always ends so. */
const CONTRARY = 2;
/** Calls that many tasks make are few; more than these cost more than they tell. */
const MOST_PROBES = 24;

/** The calls that sessions of at least three tasks made alike and that only read, those of most tasks first. */
export function probesOf(traces: readonly ObservedTrace[], isRead: (tool: string) => boolean): Probe[] {
  const made = new Map<string, { readonly probe: Probe; readonly tasks: Set<string> }>();
  for (const { group = "", calls } of traces)
    for (const { tool, args, by } of calls) {
      if (!isRead(tool)) continue;
      const name = `${by ?? ""} ${tool} ${canonicalJson(args)}`;
      const known = made.get(name) ?? { probe: { name, tool, args, by }, tasks: new Set<string>() };
      known.tasks.add(group);
      made.set(name, known);
    }
  return [...made.values()]
    .filter(({ tasks }) => tasks.size >= TASKS)
    .sort((a, b) => b.tasks.size - a.tasks.size || (a.probe.name < b.probe.name ? -1 : 1))
    .slice(0, MOST_PROBES)
    .map(({ probe }) => probe);
}

/** Makes the probes on a world, one after the other: they only read. */
export function probed(world: World, probes: readonly Probe[]): Shown {
  return new Map(
    probes.map(({ name, tool, args, by }) => {
      const answer = world.call(tool, args, by);
      if (answer.servedBy === "gap" || answer.answerClass === "error:not_served") return [name, undefined];
      return [name, new Map(leaves(answer.value).map(({ path, value }) => [path, value]))];
    }),
  );
}

const shows = (shown: Shown, { probe, path, value }: Goal): boolean | undefined => {
  const answer = shown.get(probe.name);
  return answer === undefined ? undefined : answer.has(path) && sameData(answer.get(path), value);
};

/** Whether a task is of this goal: it does not start with it, and all its rewarded runs reach it. */
export function isGoalOf(goal: Goal, { start, rewarded }: ShownTask): boolean {
  return shows(start, goal) === false && rewarded.length > 0 && rewarded.every((shown) => shows(shown, goal) === true);
}

/** The values that mark success over several tasks: all their rewarded runs reached them, no unrewarded one, and some did not. */
export function goalValues(tasks: readonly ShownTask[], probes: readonly Probe[]): Goal[] {
  const goals = new Map<string, Goal>();
  for (const { rewarded } of tasks)
    for (const probe of probes)
      for (const [path, value] of rewarded[0]?.get(probe.name) ?? []) {
        const goal = { probe, path, value };
        goals.set(`${probe.name}\n${path}\n${JSON.stringify(value)}`, goal);
      }
  return [...goals.values()].filter((goal) => {
    const of = tasks.filter((task) => isGoalOf(goal, task));
    const others = of.flatMap(({ unrewarded }) => unrewarded.map((shown) => shows(shown, goal)));
    return (
      of.length >= TASKS && others.filter((reached) => reached === false).length >= CONTRARY && !others.includes(true)
    );
  });
}

/** Whether a finished world shows every goal; undefined where there is none, or where the world cannot tell. */
export function reached(goals: readonly Goal[], world: World): boolean | undefined {
  if (goals.length === 0) return undefined;
  const probes = [...new Map(goals.map(({ probe }) => [probe.name, probe])).values()];
  const shown = probed(world, probes);
  const judged = goals.map((goal) => shows(shown, goal));
  if (judged.includes(false)) return false;
  return judged.includes(undefined) ? undefined : true;
}
