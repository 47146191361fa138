import type { Fitted, Made } from "../compile/fit.ts";
import type { FittedTool } from "../compile/fit-tool.ts";
import type { Session } from "../compile/observations.ts";
import type { Replayed } from "../compile/verify.ts";
import type { Fold } from "./folds.ts";

/** One candidate of every tool. */
export type Choice = ReadonlyMap<string, FittedTool>;

/** Replays sessions in a world. */
export type Replay = (made: Made, sessions: readonly Session[], writers: ReadonlySet<string>) => Replayed[];

/** A fold with what its training sessions were fitted to. */
export interface FittedFold {
  readonly fold: Fold;
  readonly fitted: Fitted;
}

/** A wrong answer costs as much as so many right ones earn. */
const COST = 5;

/** A candidate's name among those of its tool: what it is, and which of its kind. The same kinds are found in every fold. */
function namesOf(list: readonly FittedTool[]): string[] {
  const seen = new Map<string, number>();
  return list.map(({ how }) => {
    const kind = how.split(/[ ,]/)[0] as string;
    const n = seen.get(kind) ?? 0;
    seen.set(kind, n + 1);
    return `${kind} ${n}`;
  });
}

function byName({ candidates }: Fitted): Map<string, Map<string, FittedTool>> {
  return new Map(
    [...candidates].map(([tool, list]) => {
      const names = namesOf(list);
      return [tool, new Map(list.map((fitted, i) => [names[i] as string, fitted]))];
    }),
  );
}

/** The candidate of a name; else the first. */
function pick(lists: ReadonlyMap<string, ReadonlyMap<string, FittedTool>>, names: ReadonlyMap<string, string>): Choice {
  return new Map(
    [...lists].map(([tool, list]) => [tool, list.get(names.get(tool) ?? "") ?? ([...list.values()][0] as FittedTool)]),
  );
}

/** Right and wrong answers of one tool, by case: a case in which others do better is left to them. */
class Score {
  private readonly cases = new Map<string, { own: number; others: number }>();

  add({ call, identical, served }: Replayed, otherwise: number, weight = 1): void {
    const name = served ? `${served.ok}${Object.keys(call.args).sort().join()}` : "";
    const one = this.cases.get(name) ?? { own: 0, others: 0 };
    this.cases.set(name, one);
    one.own += weight * (served === undefined ? otherwise : identical ? 1 : -COST);
    one.others += weight * otherwise;
  }

  /** What others answer without it. */
  get others(): number {
    let sum = 0;
    for (const { others } of this.cases.values()) sum += others;
    return sum;
  }

  get worth(): number {
    let sum = 0;
    for (const { own, others } of this.cases.values()) sum += Math.max(0, own, others);
    return sum;
  }
}

/** What an answer to a session that a behaviour was made from says of it, beside one to a session that it was not. */
export const OWN_SESSIONS = 0.3;

/**
 * Chooses for each tool the candidate that answers held-out sessions best, the earlier on a tie: first one tool at a
 * time, every candidate beside the first ones of the other tools, then the best of all together against what stood
 * before. A candidate that no part of the sessions gives is judged by those that it was made from. `otherwise` is what a call is worth that the behaviours leave to other layers.
 */
export function choose(
  whole: Fitted,
  folds: readonly FittedFold[],
  otherwise: (replayed: Replayed, fold: Fold | undefined) => number,
  sessions: readonly Session[],
  replay: Replay,
): Choice {
  const lists = byName(whole);
  const parts = (
    folds.length > 0
      ? folds.map(({ fold, fitted }) => ({ fold, fitted, sessions: [...fold.known, ...fold.unknown] }))
      : [{ fold: undefined, fitted: whole, sessions }]
  ).map((part) => ({ ...part, lists: byName(part.fitted) }));
  const scores = (names: ReadonlyMap<string, string>): Map<string, Score> => {
    const out = new Map<string, Score>();
    for (const { fold, fitted, lists: own, sessions: held } of parts) {
      const kept = pick(own, names);
      const writers = new Set([...kept].filter(([, { effect }]) => effect === "write").map(([tool]) => tool));
      for (const row of replay(fitted.make(kept, []), held, writers)) {
        const score = out.get(row.call.tool) ?? new Score();
        out.set(row.call.tool, score);
        score.add(row, otherwise(row, fold));
      }
    }
    return out;
  };
  const untested = (tool: string, name: string) => parts.every((part) => !part.lists.get(tool)?.has(name));
  const own = memo(() => replay(whole.make(pick(lists, new Map()), []), sessions, whole.history.writers));
  const scoreOf = (tool: string, name: string, found: ReadonlyMap<string, Score>): number => {
    if (!untested(tool, name) || name !== first.get(tool)) return found.get(tool)?.worth ?? 0;
    const score = new Score();
    for (const row of own()) if (row.call.tool === tool) score.add(row, otherwise(row, undefined), OWN_SESSIONS);
    return (found.get(tool)?.others ?? 0) + score.worth - score.others;
  };
  const first = new Map([...lists].map(([tool, list]) => [tool, [...list.keys()][0] as string]));
  const sum = (names: ReadonlyMap<string, string>, found: ReadonlyMap<string, Score>) =>
    [...names].reduce((total, [tool, name]) => total + scoreOf(tool, name, found), 0);
  const rounds = Math.max(...[...lists.values()].map(({ size }) => size), 1);
  const start = scores(first);
  const best = new Map([...first].map(([tool, name]) => [tool, { name, worth: scoreOf(tool, name, start) }]));
  let kept: { names: ReadonlyMap<string, string>; total: number } = { names: first, total: sum(first, start) };
  const keep = (names: ReadonlyMap<string, string>, total: number) => {
    if (total > kept.total) kept = { names, total };
  };
  for (let round = 1; round < rounds; round++) {
    const names = new Map(
      [...lists].map(([tool, list]) => [tool, [...list.keys()][round] ?? (first.get(tool) as string)]),
    );
    const found = scores(names);
    for (const [tool, name] of names) {
      const worth = scoreOf(tool, name, found);
      if (worth > (best.get(tool)?.worth ?? 0)) best.set(tool, { name, worth });
    }
    keep(names, sum(names, found));
  }
  const mixed = new Map([...best].map(([tool, { name }]) => [tool, name]));
  if ([...mixed].some(([tool, name]) => kept.names.get(tool) !== name)) keep(mixed, sum(mixed, scores(mixed)));
  return pick(lists, kept.names);
}

function memo<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Tools whose chosen candidate a part of the sessions does not give. */
export function lackedBy(choice: Choice, whole: Fitted, part: Fitted): Set<string> {
  const theirs = byName(part);
  return new Set(
    [...byName(whole)].flatMap(([tool, list]) => {
      const name = [...list].find(([, fitted]) => choice.get(tool) === fitted)?.[0];
      return name !== undefined && theirs.get(tool)?.has(name) ? [] : [tool];
    }),
  );
}

/** The choice of a whole, made of a fold's candidates: those of the same name. */
export function sameIn(choice: Choice, whole: Fitted, part: Fitted): Choice {
  const names = new Map<string, string>();
  for (const [tool, list] of byName(whole))
    for (const [name, fitted] of list) if (choice.get(tool) === fitted) names.set(tool, name);
  return pick(byName(part), names);
}
