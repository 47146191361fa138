import { byText } from "../values.ts";
import type { Case, Pair } from "./cases.ts";
import type { Tracked } from "./effects.ts";
import type { Events } from "./events.ts";
import { applied, featureNames, findRules } from "./rules.ts";

/** Whether any session of a group did what a tool does, asked for it in vain, or never asked. */
type Tried = "done" | "refused" | "never";

/** Readings of more values than this say more than that something is amiss: only what is seen to change them tells of them. */
const MAX_VALUES = 4;

const triedFeature = (tool: string): string => `tried.${tool}`;

/**
 * What sessions of each group start with, with readings of which no session of the group tells but that what they tried
 * does: who finds something amiss mends it, and is refused where it is not. A rule of groups that do show the reading
 * stands on groups that it was not made from.
 */
export function inferredStarts(
  events: Events,
  groups: readonly number[],
  { starts, lasting, pairs }: Pick<Tracked, "starts" | "lasting" | "pairs">,
): Map<number, Map<string, string>> {
  const tried = triedBy(events, groups);
  const out = new Map([...starts].map(([group, own]) => [group, new Map(own)] as const));
  for (const register of [...lasting].sort(byText)) {
    const cases: Case[] = [];
    for (const [group, own] of starts) {
      const value = own.get(register);
      if (value !== undefined) cases.push({ features: tried.get(group) ?? new Map(), value, session: group });
    }
    if (cases.length === starts.size) continue;
    const many = new Set(cases.map(({ value }) => value)).size > MAX_VALUES;
    const rules = findRules(
      cases,
      many ? movers(register, pairs).map(triedFeature) : featureNames(cases, events.composites),
    );
    for (const [group, own] of out) {
      const value = own.has(register) ? undefined : applied(rules, tried.get(group) ?? new Map());
      if (value !== undefined) own.set(register, value);
    }
  }
  return out;
}

/** The tools that are seen to change a register. */
function movers(register: string, pairs: Tracked["pairs"]): string[] {
  const moves = (of: ReadonlyMap<string, readonly Pair[]>): boolean =>
    of.get(register)?.some(({ before, one }) => before !== undefined && before !== one.value) ?? false;
  return [...pairs].flatMap(([tool, of]) => (moves(of) ? [tool] : [])).sort(byText);
}

function triedBy({ sessions }: Events, groups: readonly number[]): Map<number, Map<string, Tried>> {
  const tools = new Set(sessions.flatMap((session) => session.flatMap(({ tool, reads }) => (reads ? [] : [tool]))));
  const out = new Map<number, Map<string, Tried>>();
  for (const [s, session] of sessions.entries()) {
    const group = groups[s] as number;
    const of = out.get(group) ?? new Map([...tools].map((tool) => [triedFeature(tool), "never"] as const));
    out.set(group, of);
    for (const { tool, call, reads } of session) {
      if (reads || of.get(triedFeature(tool)) === "done") continue;
      of.set(triedFeature(tool), call.ok ? "done" : "refused");
    }
  }
  return out;
}
