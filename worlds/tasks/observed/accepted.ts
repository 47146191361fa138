import type { Bundle } from "../../bundle.ts";
import { canonicalJson } from "../../digest.ts";
import { mapTexts } from "../../fidelity/aliases.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import { ownFree, requiredOf } from "../changes.ts";
import { type Change, stateWithin } from "../checks/state.ts";
import type { AllowedChange } from "../schema.ts";
import { isProse } from "./prose.ts";
import type { Replayed } from "./replay.ts";

/** A final difference that a rewarded run reached. */
export interface End {
  readonly changes: readonly AllowedChange[];
  /** How many rewarded runs reached it. */
  readonly runs: number;
  /** One of them. */
  readonly run: Replayed;
}

/** A run replayed under two seeds: what differs between them is generated, and free. */
export interface Twice {
  readonly one: Replayed;
  readonly two: Replayed;
}

const UNSHOWN = "unshown effect of ";

/** A replay's difference, and a change for each effect known by its call alone: equal calls are taken to have had equal effects. */
export function completeDiff({ diff, unshown }: Replayed): Change[] {
  return [
    ...diff,
    ...unshown.map(({ tool, args, answered }, n) => ({
      table: `${UNSHOWN}${tool}`,
      key: `${canonicalJson(args)} ${n}${answered ? "" : ", without a result"}`,
      after: args,
    })),
  ];
}

/** The distinct final differences of one task's rewarded runs, those that most runs reached first. */
export function acceptedEnds(runs: readonly Twice[], bundle: Pick<Bundle, "tables">): End[] {
  const ends = new Map<string, End>();
  for (const { one, two } of runs) {
    const changes = ownFree(bundle, requiredOf(completeDiff(one), completeDiff(two).map(renamed(one.generated))));
    const name = canonicalJson(changes);
    const known = ends.get(name);
    ends.set(name, { changes, runs: (known?.runs ?? 0) + 1, run: known?.run ?? one });
  }
  return [...ends.values()].sort((a, b) => b.runs - a.runs);
}

/** A change as a system would have made it that numbers its rows otherwise. */
function renamed(generated: ReadonlySet<string>): (change: Change) => Change {
  const names = new Map([...generated].map((key) => [key, `${key} otherwise`]));
  return ({ table, key, before, after }) => ({
    table,
    key: names.get(key) ?? key,
    ...(before ? { before } : {}),
    ...(after ? { after: mapTexts(after as JsonObject, names) as JsonObject } : {}),
  });
}

/** Where a replayed trial ended, held against the accepted ends. */
export interface EndVerdict {
  readonly verdict: "met" | "not_met" | "not_decided";
  readonly reason: string;
}

/**
 * Whether a trial ended as one of the rewarded runs did. Not decided only where the rows that are known agree with one
 * of them, and the two made the same calls whose effects nothing shows but for words in prose, or one of them got no result.
 */
export function compareWithEnds(ends: readonly End[], trial: Replayed): EndVerdict {
  const judged = ends.map((end) => compare(end, trial));
  return (
    judged.find(({ verdict }) => verdict === "met") ??
    judged.find(({ verdict }) => verdict === "not_decided") ??
    nearest(judged)
  );
}

function nearest(judged: readonly EndVerdict[]): EndVerdict {
  const [first = { verdict: "not_met", reason: "no rewarded run is known" } as const, ...others] = judged;
  if (others.length === 0) return first;
  return { ...first, reason: `${first.reason}; nor did it end as the ${others.length} other accepted ends` };
}

function compare(end: End, trial: Replayed): EndVerdict {
  const { changes, diff } = comparable(end, trial);
  const judged = stateWithin(changes, diff);
  if (judged.verdict === "met") return judged;
  const known = stateWithin(
    changes.filter(({ table }) => !table.startsWith(UNSHOWN)),
    diff.filter(({ table }) => !table.startsWith(UNSHOWN)),
  );
  return known.verdict === "met" && sameCalls(end.run.unshown, trial.unshown)
    ? { verdict: "not_decided", reason: `nothing shows what ${trial.unshown[0]?.tool} changed` }
    : judged;
}

/** Both sides of a comparison, without the rows beside the shown ones where one of the two is known only by what its answers showed. */
export function comparable(end: End, trial: Replayed): { changes: readonly AllowedChange[]; diff: readonly Change[] } {
  const diff = completeDiff(trial);
  if (!end.run.partial && !trial.partial) return { changes: end.changes, diff };
  const shown = (table: string, key: string | undefined) =>
    key === undefined ||
    table.startsWith(UNSHOWN) ||
    [end.run, trial].some((run) => run.shown.has(`${table}\n${key}`) || run.generated.has(key));
  return {
    changes: end.changes.filter(({ table, key }) => shown(table, key)),
    diff: diff.filter(({ table, key }) => shown(table, key)),
  };
}

type UnshownCalls = Replayed["unshown"];

/** Whether two lists of calls are the same but for what stands in prose: a figure or a code that differs is a difference known. */
function sameCalls(a: UnshownCalls, b: UnshownCalls): boolean {
  const names = (acts: UnshownCalls) =>
    acts.map(({ tool, args }) => `${tool} ${canonicalJson(withoutProse(args))}`).sort();
  return a.length > 0 && JSON.stringify(names(a)) === JSON.stringify(names(b));
}

function withoutProse(value: Json): Json {
  if (isProse(value)) return "";
  if (Array.isArray(value)) return value.map(withoutProse);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, withoutProse(v)])) : value;
}
