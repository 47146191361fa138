import type { Session } from "./observations.ts";

/** One in so many sessions is held out, half of them with all others of their task where tasks have several. */
const SHARE = 4;
/** So many sessions are held out in all, where there are as many: some from all others in turns, where they are few. */
const WANTED = 40;
/** Sessions that are divided, at most: more of them decide nothing otherwise, and all are compiled and replayed for all that is tried. */
const MOST = 600;

/** Sessions to learn from, and others to judge by what was learnt. */
export interface HeldOut {
  readonly train: readonly Session[];
  readonly held: readonly Session[];
}

/**
 * Holds a quarter of the sessions out, other ones in every turn. Of tasks with several sessions some are held out whole
 * and of others a single session, so that both are judged: what is answered to tasks that evidence knows, and to those
 * that it does not. Few sessions are held out in more turns than many, up to all of them.
 */
export function holdOut(all: readonly Session[]): readonly HeldOut[] {
  const sessions = fewer(all);
  const turns = Math.min(SHARE, Math.ceil((SHARE * WANTED) / sessions.length));
  return Array.from({ length: turns }, (_, turn) => isHeldOutIn(turn, sessions)).filter(({ held }) => held.length > 0);
}

function isHeldOutIn(turn: number, sessions: readonly Session[]): HeldOut {
  const groups = new Map<string, Session[]>();
  for (const session of sessions) groups.set(session.group, [...(groups.get(session.group) ?? []), session]);
  const out = new Set<Session>();
  let alone = 0;
  let tasks = 0;
  let others = 0;
  const whole = 2 * SHARE;
  const single = whole - 1;
  for (const list of groups.values()) {
    if (list.length === 1) {
      if (++alone % SHARE === turn) for (const session of list) out.add(session);
    } else if (++tasks % whole === 2 * turn) for (const session of list) out.add(session);
    else {
      let left = list.length;
      for (const session of list) if (++others % single === 2 * turn && left-- > 1) out.add(session);
    }
  }
  return {
    train: numbered(sessions.filter((session) => !out.has(session))),
    held: sessions.filter((session) => out.has(session)),
  };
}

/** Whole tasks, evenly over all, with no more sessions than are divided. */
function fewer(sessions: readonly Session[]): readonly Session[] {
  if (sessions.length <= MOST) return sessions;
  const groups = [...Map.groupBy(sessions, ({ group }) => group).values()];
  const step = sessions.length / MOST;
  const kept = new Set<Session>();
  for (let at = 0; at < groups.length && kept.size < MOST; at += step)
    for (const session of groups[Math.floor(at)] as Session[]) kept.add(session);
  return sessions.filter((session) => kept.has(session));
}

/** Sessions whose calls name their place among these: what is learnt from some finds their neighbours by it. */
const numbered = (sessions: readonly Session[]): Session[] =>
  sessions.map((session, trace) => ({ ...session, calls: session.calls.map((call) => ({ ...call, trace })) }));
