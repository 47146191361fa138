import { type Json, type JsonObject, setOwn } from "../json.ts";
import { escapePattern } from "../pattern.ts";
import { dayOf } from "../tasks/checks/dates.ts";
import { isMap, leaves, member } from "../tasks/leaves.ts";
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
export function shiftedDate(value: string, days: number): string {
  const match = /^(\d{4}-\d{2}-\d{2})(.*)$/s.exec(value);
  if (!match || !dayOf(value)) return value;
  const at = new Date(Date.parse(`${match[1]}T00:00:00Z`) + days * DAY);
  return `${at.toISOString().slice(0, 10)}${match[2]}`;
}

/** A moment moved by seconds within its day, in the form that it had. */
export function shiftedTime(value: string, seconds: number): string {
  return value.replace(TIME, (all, head: string, hours: string, minutes: string, rest?: string) => {
    const at = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest?.slice(1) ?? 0) + seconds;
    if (at < 0 || at >= 86_400) return all;
    const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
    return `${head}${two(at / 3600)}:${two((at / 60) % 60)}${rest === undefined ? "" : `:${two(at % 60)}`}`;
  });
}

const TIME = /^(\d{4}-\d{2}-\d{2}[T ])(\d{2}):(\d{2})(:\d{2})?/;

/** The second of its day that a moment names; undefined for what names none. */
export function secondOf(value: string): number | undefined {
  const [, , hours, minutes, rest] = TIME.exec(value) ?? [];
  return hours === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(rest?.slice(1) ?? 0);
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
      const next = map ? `${generic}[*]` : member(generic, key);
      const to = map ? change(key, `${next}.@key`, name) : key;
      const made = rewrite(item, change, next, map ? name : key);
      if (to !== undefined && made !== undefined) setOwn(out, String(to), made);
    }
    return out;
  }
  return change(value, generic, name);
}
