import type { Json, JsonObject } from "../json.ts";
import { leaves } from "../tasks/leaves.ts";
import type { Random } from "../tasks/random.ts";
import { elements } from "../tasks/select.ts";
import { near, type Sum, sumOf } from "./totals.ts";

const TRIES = 20;

/** A text like one that few rows hold: its digits drawn anew, else its words and another's; the text itself where neither makes another. */
export function renewedText(
  value: string,
  others: readonly Json[],
  known: (text: string) => boolean,
  rng: Random,
): string {
  for (let i = 0; i < TRIES; i += 1) {
    const made = /\d/.test(value) ? redrawn(value, rng) : crossed(value, rng.pick(others), rng);
    if (made !== undefined && made !== value && !known(made)) return made;
  }
  return value;
}

/** Digits drawn anew; of a long number the first two stay, which often say where it belongs. */
function redrawn(text: string, rng: Random): string {
  return text.replace(/\d+/g, (digits) => {
    const kept = digits.length >= 5 ? 2 : 0;
    return [...digits]
      .map((digit, i) => {
        if (i < kept) return digit;
        return String(i === 0 && digit !== "0" ? 1 + rng.below(9) : rng.below(10));
      })
      .join("");
  });
}

/** The first words of one text and the last ones of another. */
function crossed(text: string, other: Json | undefined, rng: Random): string | undefined {
  if (typeof other !== "string") return undefined;
  const [mine, theirs] = [text.split(" "), other.split(" ")];
  if (mine.length < 2 || theirs.length < 2) return undefined;
  return [...mine.slice(0, 1 + rng.below(mine.length - 1)), ...theirs.slice(1 + rng.below(theirs.length - 1))].join(
    " ",
  );
}

/** An amount between one and another, with as many decimals as the two have. */
export function renewedNumber(value: number, others: readonly Json[], rng: Random): number {
  const other = rng.pick(others);
  if (typeof other !== "number") return value;
  const decimals = Math.max(...[value, other].map((n) => /\.(\d+)/.exec(String(n))?.[1]?.length ?? 0));
  return Number((value + rng.next() * (other - value)).toFixed(Math.min(decimals, 6)));
}

/** How likely an element of a list is another row's. */
const MIXED = 0.7;

/**
 * A row with elements of other rows' lists in the place of its own. What stands beside the list follows: what named an
 * element names the one in its place, and what the list added up to is its new sum.
 */
export function mixed(
  row: JsonObject,
  list: string,
  pool: readonly Json[],
  beside: ReadonlySet<string>,
  sums: readonly Sum[],
  rng: Random,
): JsonObject {
  const own = row[list];
  if (!Array.isArray(own)) return row;
  const texts = new Map<string, Json>();
  const taken = new Set(own.map((element) => JSON.stringify(element)));
  const made = own.map((element) => {
    const other = rng.pick(pool);
    const text = JSON.stringify(other);
    if (rng.next() >= MIXED || taken.has(text)) return element;
    taken.add(text);
    const theirs = new Map(leaves(other).map((leaf) => [leaf.generic, leaf.value]));
    for (const { generic, value } of leaves(element)) {
      const counterpart = theirs.get(generic);
      if (typeof value === "string" && value.length >= 3 && counterpart !== undefined) texts.set(value, counterpart);
    }
    return other;
  });
  const after: JsonObject = { ...row, [list]: made };
  const totals: { readonly was: number; readonly is: number }[] = [];
  for (const sum of sums) {
    if (sum.list !== list) continue;
    const [was, is] = [sumOf(row, sum), sumOf(after, sum)];
    if (was !== undefined && is !== undefined && !totals.some((total) => near(total.was, was)))
      totals.push({ was, is });
  }
  const follow = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(follow);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, follow(item)]));
    if (typeof value === "number") return totals.find(({ was }) => near(was, value))?.is ?? value;
    return typeof value === "string" ? (texts.get(value) ?? value) : value;
  };
  for (const [column, value] of Object.entries(after))
    if (column !== list && beside.has(column)) after[column] = follow(value);
  return after;
}

/** The elements of all rows' lists. */
export function poolOf(rows: readonly JsonObject[], list: string): Json[] {
  return rows.flatMap((row) => elements(row[list] ?? null));
}
