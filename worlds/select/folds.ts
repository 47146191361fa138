import type { Session } from "../compile/observations.ts";
import { digestOf } from "../digest.ts";

/** Sessions cut in two: what is learnt from, and what is answered as if it had not been seen. */
export interface Fold {
  readonly train: readonly Session[];
  /** Sessions of tasks that others were learnt from. */
  readonly known: readonly Session[];
  /** Sessions of tasks that none was learnt from. */
  readonly unknown: readonly Session[];
}

/** Fewer sessions than these are not cut. */
const LEAST = 6;
/** Fewer than these give four folds, more give two: what is learnt from is most of them all the same. */
const FEW = 60;
/** Sessions that a fold holds out at most: more tell no more. */
const MOST_HELD_OUT = 120;

/**
 * Cuts sessions, by their content alone: in every fold some tasks are held out whole, and of others one session in two.
 * Where every session is a task of its own, all are held out so.
 */
export function cutFolds(sessions: readonly Session[]): Fold[] {
  if (sessions.length < LEAST) return [];
  const tasks = new Map<string, { readonly session: Session; readonly digest: string }[]>();
  for (const session of sessions) {
    const digest = digestOf(session.calls.map(({ tool, args, value }) => [tool, args, value]));
    const list = tasks.get(session.group);
    if (list) list.push({ session, digest });
    else tasks.set(session.group, [{ session, digest }]);
  }
  const byDigest = (a: { digest: string }, b: { digest: string }) => (a.digest < b.digest ? -1 : 1);
  const ordered = [...tasks.values()]
    .map((list) => list.sort(byDigest))
    .sort((a, b) => byDigest(a[0] as { digest: string }, b[0] as { digest: string }));
  const few = sessions.length < FEW;
  const alone = ordered.length === sessions.length;
  const folds = few ? 4 : 2;
  const parts = Math.max(few ? 4 : 5, Math.ceil(sessions.length / MOST_HELD_OUT));
  return Array.from({ length: folds }, (_, fold) => {
    const [whole, half] = few ? [fold, (fold + 1) % parts] : [2 * fold, 2 * fold + 1];
    const known: Session[] = [];
    const unknown: Session[] = [];
    for (const [i, list] of ordered.entries()) {
      const part = i % parts;
      const all = list.map(({ session }) => session);
      if (part === whole || (alone && !few && part === half)) unknown.push(...all);
      else if (part === half && all.length > 1) known.push(...all.slice(0, Math.ceil(all.length / 2)));
    }
    const out = new Set([...known, ...unknown]);
    return { train: sessions.filter((session) => !out.has(session)), known, unknown };
  }).filter(({ train, known, unknown }) => train.length > 0 && known.length + unknown.length > 0);
}
