import { escapePattern } from "../../pattern.ts";
import { findFact, Reading } from "../checks/facts.ts";
import { factOf, inWords, kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import type { Anchor } from "../surface.ts";

/** A state that words give a row and only others have: "my pending order" of a delivered one. Undefined where they give none. */
export function falseState(kit: Kit, row: Anchor, words: string): string | undefined {
  const said = new Reading(words);
  for (const { value, name, generic } of row.leaves) {
    if (typeof value !== "string" || generic.includes("[*]") || kindOf(value, name) !== "text") continue;
    if (findFact(factOf(value, name), said).said > 0) continue;
    const told = statesOf(kit, row.table, generic).find((state) => findFact(factOf(state, name), said).said > 0);
    if (told !== undefined) return inWords(told, name);
  }
  return undefined;
}

const found = new WeakMap<Kit["anchors"], Map<string, readonly string[]>>();

/** Texts that several rows of a table have at a place: a word of many rows is a state; a name that one row has is none. */
function statesOf({ anchors }: Kit, table: string, generic: string): readonly string[] {
  const known = found.get(anchors) ?? new Map<string, readonly string[]>();
  found.set(anchors, known);
  const place = JSON.stringify([table, generic]);
  const before = known.get(place);
  if (before !== undefined) return before;
  const values = (anchors.get(table) ?? []).flatMap(({ leaves }) =>
    leaves.flatMap((leaf) => (leaf.generic === generic && typeof leaf.value === "string" ? [leaf.value] : [])),
  );
  const states = [...Map.groupBy(values, (value) => value)].flatMap(([value, { length }]) => (length > 1 ? value : []));
  known.set(place, states);
  return states;
}

/** Words without a state that the row is not in: a tool's own description says what it is meant for, its user what there is. */
export function withoutFalseState(kit: Kit, row: Anchor, words: string): string {
  const state = falseState(kit, row, words);
  return state === undefined ? words : words.replace(new RegExp(`\\b${escapePattern(state)} `, "i"), "");
}
