/** The calls between two sights of one reading. */
export interface Interval {
  readonly session: number;
  /** Where in the session they stand, in order. */
  readonly at: readonly number[];
  readonly actions: readonly string[];
  readonly last: string | undefined;
  readonly shown: string;
  /** The call that shows it, where it acts as well. */
  readonly by: number | undefined;
}

/** What was known before the call at a place of a bracket. */
export type Before = (interval: Interval, place: number) => ReadonlyMap<string, string>;

/** How often an act must have been there when a reading moved and nothing accounts for it. */
const LEAST = 3;
/** How likely it may be that an act is there by chance wherever it is when the reading moves. */
const CHANCE = 0.02;
/** The share of sights in which it may have stayed at what it else moved from. */
const STAYED = 0.05;

/**
 * Of acts that are thought to leave a reading alone those that do not: where it moved and none of the calls between is
 * known to move it, the act that is there most often and was never there, met by the same readings, when it stayed so.
 */
export function candidateCauses(moved: readonly Interval[], stayed: readonly Interval[], before: Before): Set<string> {
  const still = new Map<string, { interval: Interval; place: number }[]>();
  if (moved.length >= LEAST)
    for (const interval of stayed)
      for (const [place, act] of interval.actions.entries()) {
        const places = still.get(act);
        if (places) places.push({ interval, place });
        else still.set(act, [{ interval, place }]);
      }
  const out = new Set<string>();
  let left = moved;
  while (left.length >= LEAST) {
    let worst: { act: string; n: number; behind: number } | undefined;
    for (const act of [...new Set(left.flatMap(({ actions }) => actions))].sort()) {
      const with_ = left.filter(({ actions: acts }) => acts.includes(act));
      const from = new Set(with_.map(({ last }) => last));
      const calm = stayed.filter(({ last, actions: acts }) => acts.length > 0 && from.has(last)).length;
      if (with_.length < LEAST || (left.length / (left.length + calm)) ** with_.length > CHANCE) continue;
      const behind =
        with_.reduce((sum, { actions: acts }) => sum + acts.length - 1 - acts.lastIndexOf(act), 0) / with_.length;
      if (worst && (with_.length < worst.n || (with_.length === worst.n && behind >= worst.behind))) continue;
      const common = shared(with_, act, before);
      const alone = (still.get(act) ?? []).filter(({ interval: bracket }) => from.has(bracket.last));
      const known = alone.map(({ interval: bracket, place }) => before(bracket, place));
      if (unlike(known, common, with_.length * STAYED)) worst = { act, n: with_.length, behind };
    }
    if (!worst) break;
    const { act } = worst;
    out.add(act);
    left = left.filter(({ actions: acts }) => !acts.includes(act));
  }
  return out;
}

/** The share of cases where a reading is known that must find it alike, and of all cases that must know it. */
const ALIKE = 0.7;
const KNOWN = 0.5;

/** What was known and nearly always alike before an act, where it was last made, in some brackets. */
function shared(brackets: readonly Interval[], act: string, before: Before): Map<string, string> {
  const counts = new Map<string, Map<string, number>>();
  for (const interval of brackets)
    for (const [name, value] of before(interval, interval.actions.lastIndexOf(act))) {
      const values = counts.get(name) ?? new Map<string, number>();
      counts.set(name, values.set(value, (values.get(value) ?? 0) + 1));
    }
  const out = new Map<string, string>();
  for (const [name, values] of counts) {
    const known = [...values.values()].reduce((sum, n) => sum + n, 0);
    for (const [value, n] of values) if (n >= known * ALIKE && known >= brackets.length * KNOWN) out.set(name, value);
  }
  return out;
}

/** The most readings that may tell when an act moves a reading from when it leaves it. */
const CONDITIONS = 2;

/** Whether few readings of what some cases have in common tell all but `most` others apart from them. */
function unlike(
  others: readonly ReadonlyMap<string, string>[],
  common: ReadonlyMap<string, string>,
  most: number,
): boolean {
  let left = others;
  for (let n = 0; n < CONDITIONS && left.length > most; n++) {
    let fewest = left;
    for (const [name, value] of common) {
      const rest = left.filter((known) => (known.get(name) ?? value) === value);
      if (rest.length < fewest.length) fewest = rest;
    }
    left = fewest;
  }
  return left.length <= most;
}
