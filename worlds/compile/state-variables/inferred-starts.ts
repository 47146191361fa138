import { byText, canon } from "../values.ts";
import type { Tracked } from "./effects.ts";
import type { Event, Events } from "./events.ts";

/** What the sessions of a group did: by what was tried, whether it was done or refused; what is not told was never tried. */
type Tried = ReadonlyMap<string, "done" | "refused">;

/** A way to part groups by what their sessions tried: those on one side all start with one value. */
interface Sign {
  readonly act: string;
  readonly how: Way;
  readonly value: string;
}

/** How likely chance may part as many groups as cleanly, for all the ways that are looked at. */
const CHANCE = 0.01;

/**
 * What sessions of each group start with, with readings of which no session of the group tells but that what they tried
 * does: who finds something amiss mends it, and is refused where nothing is. Groups that show the reading must bear it
 * out more clearly than chance would have it.
 */
export function inferredStarts(
  { sessions, composites, guards }: Pick<Events, "sessions" | "composites" | "guards">,
  groups: readonly number[],
  { starts, lasting }: Pick<Tracked, "starts" | "lasting">,
): Map<number, Map<string, string>> {
  const tried = triedBy(sessions, groups);
  const acts = [...new Set([...tried.values()].flatMap((of) => [...of.keys()]))].sort(byText);
  const out = new Map([...starts].map(([group, own]) => [group, new Map(own)] as const));
  // A whole follows from its marks; whether a call is refused was seen with the very call that tried.
  const apart = new Set([...composites.keys(), ...[...guards.values()].flat().map(({ register }) => register)]);
  for (const register of [...lasting].filter((each) => !apart.has(each)).sort(byText)) {
    const known = [...starts].flatMap(([group, own]) => {
      const value = own.get(register);
      return value === undefined ? [] : [{ value, tried: tried.get(group) as Tried }];
    });
    const signs = known.length === starts.size ? [] : startEvidenceOf(known, acts);
    for (const [group, own] of signs.length > 0 ? out : []) {
      const of = tried.get(group) as Tried;
      const told = new Set(signs.flatMap(({ act, how, value }) => (of.get(act) === how ? [value] : [])));
      const [only] = told;
      if (!own.has(register) && told.size === 1 && only !== undefined) own.set(register, only);
    }
  }
  return out;
}

const WAYS = ["done", "refused", undefined] as const;
type Way = (typeof WAYS)[number];
/** How many groups start with each value. */
type Counts = Map<string, number>;

function startEvidenceOf(
  known: readonly { readonly value: string; readonly tried: Tried }[],
  acts: readonly string[],
): Sign[] {
  const all: Counts = new Map();
  const parts = new Map(acts.map((act) => [act, new Map<Way, Counts>(WAYS.map((how) => [how, new Map()]))] as const));
  const count = (counts: Counts | undefined, value: string) => counts?.set(value, (counts.get(value) ?? 0) + 1);
  for (const { value, tried } of known) {
    count(all, value);
    for (const [act, how] of tried) count(parts.get(act)?.get(how), value);
  }
  return [...parts].flatMap(([act, ways]) => {
    for (const [value, n] of all) {
      const rest = n - (ways.get("done")?.get(value) ?? 0) - (ways.get("refused")?.get(value) ?? 0);
      if (rest > 0) ways.get(undefined)?.set(value, rest);
    }
    return [...ways].flatMap(([how, counts]): Sign[] => {
      const [[value, n] = ["", 0]] = counts;
      if (counts.size !== 1) return [];
      const chance = allWithout(known.length, n, known.length - (all.get(value) as number));
      return chance * acts.length * WAYS.length <= CHANCE ? [{ act, how, value }] : [];
    });
  });
}

/** How likely it is that so many drawn of all are none of some. */
function allWithout(all: number, drawn: number, some: number): number {
  let chance = 1;
  for (let i = 0; i < some && chance > 0; i++) chance *= Math.max(0, all - drawn - i) / (all - i);
  return chance;
}

function triedBy(sessions: Events["sessions"], groups: readonly number[]): Map<number, Tried> {
  const out = new Map<number, Map<string, "done" | "refused">>();
  for (const [s, session] of sessions.entries()) {
    const of = out.get(groups[s] as number) ?? new Map<string, "done" | "refused">();
    out.set(groups[s] as number, of);
    for (const event of session)
      for (const act of event.reads ? [] : actsOf(event))
        if (of.get(act) !== "done") of.set(act, event.call.ok ? "done" : "refused");
  }
  return out;
}

/** What a call tries: what its tool does, and that with what it was told, where that names no row. */
const actsOf = ({ tool, args, call }: Event): string[] =>
  args === "" || Object.keys(call.args).length === 0 ? [tool] : [tool, `${tool} ${canon(call.args)}`];
