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
/** From so many sessions on one cut shows enough, and a share of it. */
const MANY = 400;
const MOST_HELD_OUT = 240;

/**
 * Cuts sessions, by their content alone: in every fold some tasks are held out whole, and of others one session in two
 * where there are several. Every session is held out at most once. Few sessions give four folds, many give one.
 */
export function cutFolds(sessions: readonly Session[]): Fold[] {
  if (sessions.length < LEAST) return [];
  const tasks = new Map<string, Session[]>();
  for (const session of sessions) tasks.set(session.group, [...(tasks.get(session.group) ?? []), session]);
  const named = [...tasks.values()]
    .map((list) => list.map((session) => ({ session, digest: digestOf(session.calls.map(({ tool, args, value }) => [tool, args, value])) })))
    .map((list) => list.sort((a, b) => (a.digest < b.digest ? -1 : 1)))
    .sort((a, b) => ((a[0]?.digest ?? "") < (b[0]?.digest ?? "") ? -1 : 1));
  const many = sessions.length >= MANY;
  const folds = many ? 1 : 4;
  const alone = named.every((list) => list.length === 1);
  // Of tasks, half are held out whole over the folds, the others by session; where every session is a task, all whole.
  const parts = alone ? folds : 2 * folds;
  const share = many ? Math.max(parts, Math.ceil((named.length * (alone ? 1 : 2)) / Math.max(1, MOST_HELD_OUT / (sessions.length / named.length)))) : parts;
  return Array.from({ length: folds }, (_, fold) => {
    const known: Session[] = [];
    const unknown: Session[] = [];
    for (const [i, list] of named.entries()) {
      const part = i % share;
      const all = list.map(({ session }) => session);
      if (alone ? part === fold : part === 2 * fold) unknown.push(...all);
      else if (part === 2 * fold + 1 && all.length > 1 && !alone) known.push(...all.slice(0, Math.ceil(all.length / 2)));
    }
    const out = new Set([...known, ...unknown]);
    return { train: sessions.filter((session) => !out.has(session)), known, unknown };
  }).filter(({ train, known, unknown }) => train.length > 0 && known.length + unknown.length > 0);
}
