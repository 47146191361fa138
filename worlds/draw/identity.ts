import { type Json, type JsonObject, setOwn } from "../json.ts";
import { escapePattern } from "../pattern.ts";
import { dayOf } from "../tasks/checks/dates.ts";
import { isMap, leaves } from "../tasks/leaves.ts";
import type { Random } from "../tasks/random.ts";

const DAY = 86_400_000;

/** A key of the same form that is not taken: digits redrawn, capitals among digits too, words replaced as `renamed` says. */
export function newKey(
  key: string,
  taken: (key: string) => boolean,
  renamed: ReadonlyMap<string, string>,
  rng: Random,
): string | undefined {
  let base = key;
  for (const [from, to] of renamed)
    base = base.replace(new RegExp(`(?<![a-z])${escapePattern(from.toLowerCase())}(?![a-z])`, "g"), to.toLowerCase());
  const code = /^[^a-z]*$/.test(base);
  for (let i = 0; i < 60; i += 1) {
    const made = base
      .replace(/(?<!\d)[1-9]/g, () => String(1 + rng.below(9)))
      .replace(/(?<=\d)\d/g, () => String(rng.below(10)))
      .replace(/[A-Z]/g, (c) =>
        code && /^[#A-Z0-9]+$/.test(base) && base.length <= 8 && !/^#?[A-Z]\d+$/.test(base)
          ? ("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rng.below(26)] as string)
          : c,
      );
    if (made !== key && !taken(made)) return made;
  }
  return undefined;
}

/** A date moved by whole days, in the form that it had. */
export function movedDate(value: string, days: number): string {
  const match = /^(\d{4}-\d{2}-\d{2})(.*)$/s.exec(value);
  if (!match || !dayOf(value)) return value;
  const at = new Date(Date.parse(`${match[1]}T00:00:00Z`) + days * DAY);
  return `${at.toISOString().slice(0, 10)}${match[2]}`;
}

/** The smallest and the largest day of every date column of some rows. */
export function dateRanges(rows: Iterable<JsonObject>): Map<string, { low: string; high: string }> {
  const ranges = new Map<string, { low: string; high: string }>();
  for (const row of rows) {
    for (const leaf of leaves(row)) {
      if (typeof leaf.value !== "string" || !/^\d{4}-\d{2}-\d{2}/.test(leaf.value)) continue;
      const day = leaf.value.slice(0, 10);
      const known = ranges.get(leaf.generic) ?? { low: day, high: day };
      const [low = day, , high = day] = [known.low, day, known.high].sort();
      ranges.set(leaf.generic, { low, high });
    }
  }
  return ranges;
}

/** A deep copy with every scalar (and the keys of maps) put through `change`; a scalar given as undefined leaves its list. */
export function rewrite(
  value: Json,
  change: (value: Json, generic: string, name: string) => Json | undefined,
  generic = "",
  name = "",
): Json | undefined {
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const made = rewrite(item, change, `${generic}[*]`, name);
      return made === undefined ? [] : [made];
    });
  if (typeof value === "object" && value !== null) {
    const map = isMap(value);
    const out: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      const next = map ? `${generic}[*]` : generic === "" ? key : `${generic}.${key}`;
      const to = map ? change(key, `${next}.@key`, name) : key;
      const made = rewrite(item, change, next, map ? name : key);
      if (to !== undefined && made !== undefined) setOwn(out, String(to), made);
    }
    return out;
  }
  return change(value, generic, name);
}
