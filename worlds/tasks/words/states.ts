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
    const others = (kit.anchors.get(row.table) ?? []).flatMap(({ leaves }) =>
      leaves.flatMap((other) => (other.generic === generic && typeof other.value === "string" ? [other.value] : [])),
    );
    // A word of many rows is a state; a name that one row has is none.
    const told = [...new Set(others)].find(
      (other) => others.filter((one) => one === other).length > 1 && findFact(factOf(other, name), said).said > 0,
    );
    if (told !== undefined) return inWords(told, name);
  }
  return undefined;
}

/** Words without a state that the row is not in: a tool's own description says what it is meant for, its user what there is. */
export function withoutFalseState(kit: Kit, row: Anchor, words: string): string {
  const state = falseState(kit, row, words);
  return state === undefined ? words : words.replace(new RegExp(`\\b${escapePattern(state)} `, "i"), "");
}
