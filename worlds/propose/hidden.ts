import type { Session } from "../compile/observations.ts";
import { sha256 } from "../digest.ts";

/** One in so many sessions is never shown to who proposes programs. */
const SHARE = 5;

const rank = ({ id }: Pick<Session, "id">): number => Number.parseInt(sha256(`hidden ${id}`).slice(0, 8), 16);

/** Sessions that are never shown to who proposes programs: by their names, so that they are the same ones among others too. */
export function hiddenOf<S extends Pick<Session, "id">>(sessions: readonly S[]): Set<S> {
  const hidden = new Set(sessions.filter((session) => rank(session) % SHARE === 0));
  const [first] = [...sessions].sort((a, b) => rank(a) - rank(b));
  if (hidden.size === 0 && first !== undefined) hidden.add(first);
  return hidden;
}
