import type { BaseState, Bundle } from "../bundle.ts";
import type { Json, JsonObject } from "../json.ts";
import { escapePattern } from "../pattern.ts";
import { drawnStart, otherStarts } from "../starts.ts";
import { leaves } from "../tasks/leaves.ts";
import { type Random, random } from "../tasks/random.ts";
import { dateRanges, movedDate, newKey, rewrite } from "./identity.ts";
import { findJoins, findMutuals, type Join, type Mutual, type Scalars, scalarsOf } from "./relations.ts";

export { audit } from "./audit.ts";

/** How to draw. `augment` adds rows that fit; `size` says how many per table at most (a quarter of the observed rows, 2 to 200, when absent). */
export interface DrawOptions {
  readonly seed: string;
  readonly augment?: boolean;
  readonly size?: number;
}

interface Plan {
  readonly joins: readonly Join[];
  readonly mutuals: readonly Mutual[];
  readonly scalars: Scalars;
  /** How many rows hold each text. */
  readonly held: ReadonlyMap<string, number>;
}

function heldBy(scalars: Scalars): Map<string, number> {
  const held = new Map<string, number>();
  for (const rows of scalars.values()) {
    for (const all of rows.values()) {
      for (const value of new Set(all.map((l) => l.value)))
        if (typeof value === "string") held.set(value, (held.get(value) ?? 0) + 1);
    }
  }
  return held;
}

function sorted(rows: Record<string, JsonObject>): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.keys(rows)
      .sort()
      .map((key) => [key, rows[key] as JsonObject]),
  );
}

/** Row tables that nothing else describes anew: those with a join out, or all when there is no join. */
function drawable(base: BaseState, plan: Plan): string[] {
  const all = Object.keys(base.tables)
    .sort()
    .filter((t) => Object.keys(base.tables[t] ?? {}).length >= 4);
  const owners = new Set(plan.mutuals.map((m) => m.owner));
  const outward = all.filter((t) => owners.has(t) || plan.joins.some((j) => j.table === t));
  return outward.length > 0 ? outward : all;
}

/** The rows that are drawn together: one row and the parts that name it as owner. */
function family(table: string, key: string, base: BaseState, plan: Plan): { table: string; key: string }[] {
  const members = [{ table, key }];
  for (const mutual of plan.mutuals) {
    if (mutual.owner !== table) continue;
    for (const leaf of plan.scalars.get(table)?.get(key) ?? []) {
      if (
        leaf.generic === mutual.list &&
        typeof leaf.value === "string" &&
        Object.hasOwn(base.tables[mutual.part] ?? {}, leaf.value)
      )
        members.push({ table: mutual.part, key: leaf.value });
    }
  }
  return members;
}

const NAME_PART = /(?:^|_|\b)(?:first|last|given|family|sur|middle)_?name$/i;

function renames(row: JsonObject, donors: readonly JsonObject[], rng: Random): Map<string, string> {
  const out = new Map<string, string>();
  const parts = leaves(row).filter(
    (l) => NAME_PART.test(l.name) && !l.generic.includes("[*]") && typeof l.value === "string",
  );
  for (const part of parts) {
    const donor = rng.pick(donors);
    const other = leaves(donor).find((l) => l.generic === part.generic)?.value;
    if (typeof other === "string" && other !== "" && /^\p{L}+$/u.test(String(part.value)))
      out.set(String(part.value), other);
  }
  return out;
}

function drawFamily(
  members: readonly { table: string; key: string }[],
  base: BaseState,
  out: BaseState["tables"],
  plan: Plan,
  ranges: ReadonlyMap<string, ReturnType<typeof dateRanges>>,
  rng: Random,
): { table: string; key: string; row: JsonObject }[] | undefined {
  const [head] = members;
  if (!head) return undefined;
  const donors = Object.values(base.tables[head.table] ?? {}) as JsonObject[];
  const renamed = renames(base.tables[head.table]?.[head.key] as JsonObject, donors, rng);
  const keys = new Map<string, string>();
  for (const { table, key } of members) {
    const made = newKey(key, (k) => Object.hasOwn(out[table] ?? {}, k) || [...keys.values()].includes(k), renamed, rng);
    if (made === undefined) return undefined;
    keys.set(key, made);
  }
  for (const value of privateKeys(members, plan)) {
    const made = newKey(value, (k) => [...keys.values()].includes(k), renamed, rng);
    if (made !== undefined) keys.set(value, made);
  }
  const shift = dayShift(members, base, ranges, rng);
  const digits = String(1000 + rng.below(9000));
  return members.map(({ table, key }) => {
    const row = rewrite(base.tables[table]?.[key] as Json, (value, generic, name) => {
      if (typeof value !== "string") return value;
      const mapped = keys.get(value);
      if (mapped !== undefined) return mapped;
      const mutual = plan.mutuals.find((m) => m.owner === table && m.list === generic);
      if (mutual) return undefined;
      if (/^\d{4}-\d{2}-\d{2}/.test(value)) return /birth|dob/i.test(name) ? value : movedDate(value, shift);
      if (value.includes("@")) return replaceNames(value, renamed).replace(/\d*@/, `${digits}@`);
      const other = renamed.get(value);
      return other !== undefined && /name/i.test(name) ? other : value;
    }) as JsonObject;
    return { table, key: keys.get(key) as string, row };
  });
}

/** Keys of maps within a family that no other row of the state holds: they get a new identity with it. */
function privateKeys(members: readonly { table: string; key: string }[], plan: Plan): string[] {
  const own = new Map<string, number>();
  const listed = new Set<string>();
  for (const { table, key } of members) {
    const values = new Set<string>();
    for (const leaf of plan.scalars.get(table)?.get(key) ?? []) {
      if (typeof leaf.value !== "string") continue;
      values.add(leaf.value);
      if (leaf.generic.endsWith(".@key") && !/^\d{4}-\d\d-\d\d/.test(leaf.value)) listed.add(leaf.value);
    }
    for (const value of values) own.set(value, (own.get(value) ?? 0) + 1);
  }
  return [...listed].filter((value) => own.get(value) === plan.held.get(value));
}

function replaceNames(text: string, renamed: ReadonlyMap<string, string>): string {
  let out = text;
  for (const [from, to] of renamed)
    out = out.replace(new RegExp(`(?<![a-z])${escapePattern(from.toLowerCase())}(?![a-z])`, "g"), to.toLowerCase());
  return out;
}

/** Days by which a family's dates can move together and stay within what was observed, columns that other tables' keys hold left in place. */
function dayShift(
  members: readonly { table: string; key: string }[],
  base: BaseState,
  ranges: ReadonlyMap<string, ReturnType<typeof dateRanges>>,
  rng: Random,
): number {
  if (ranges.size === 0) return 0;
  let least = -400;
  let most = 400;
  for (const { table, key } of members) {
    for (const leaf of leaves(base.tables[table]?.[key] as JsonObject)) {
      const range = ranges.get(table)?.get(leaf.generic);
      if (!range || typeof leaf.value !== "string" || /birth|dob/i.test(leaf.name)) continue;
      const day = Date.parse(leaf.value.slice(0, 10));
      least = Math.max(least, Math.ceil((Date.parse(range.low) - day) / 86_400_000));
      most = Math.min(most, Math.floor((Date.parse(range.high) - day) / 86_400_000));
    }
  }
  return most > least ? least + rng.below(most - least + 1) : 0;
}

/** Whether moving a family's dates would cut a join: a composite key holds a date. */
function datedJoins(base: BaseState, bundle: Bundle): boolean {
  return bundle.tables.some(
    (t) => t.key.length > 1 && Object.keys(base.tables[t.name] ?? {}).some((key) => /\d{4}-\d{2}-\d{2}/.test(key)),
  );
}

/**
 * Draws an initial state: the observed rows, and with `augment` rows that fit them. A drawn row is an observed one
 * with the parts it owns under a new identity: keys of the same form, names and mail addresses to match, dates moved
 * together within the observed range. So joins, totals and columns that go together stay as they were seen. `drawn`
 * names the added rows. Where sessions began otherwise, it is the start of one group of them, and without `augment`
 * `others` tells those of the rest. The same inputs and seed give the same bytes.
 */
export function draw(bundle: Bundle, given: BaseState, options: DrawOptions): BaseState {
  const base = drawnStart(given, options.seed);
  const tables: BaseState["tables"] = Object.fromEntries(
    Object.keys(base.tables)
      .sort()
      .map((table) => [table, sorted(base.tables[table] as Record<string, JsonObject>)]),
  );
  const before = Object.fromEntries(Object.entries(base.drawn).filter(([, keys]) => keys.length > 0));
  // What sessions were answered holds of the state that they began with, not of one with rows that they never met.
  if (options.augment !== true)
    return {
      tables,
      drawn: before,
      ...(base.unknown ? { unknown: base.unknown } : {}),
      ...(base.recorded ? { recorded: base.recorded } : {}),
      ...(given.starts ? { others: otherStarts(given, base) } : {}),
    };
  const scalars = scalarsOf(base);
  const joins = findJoins(bundle, base, scalars);
  const plan: Plan = { joins, mutuals: findMutuals(joins, scalars), scalars, held: heldBy(scalars) };
  const fixed = datedJoins(base, bundle);
  const ranges = new Map(
    fixed
      ? []
      : Object.entries(base.tables).map(
          ([table, rows]) => [table, dateRanges(Object.values(rows) as JsonObject[])] as const,
        ),
  );
  const drawn: Record<string, string[]> = { ...before };
  const parts = new Set(plan.mutuals.map((m) => m.part));
  const rng = random(`draw ${options.seed}`);
  for (const table of drawable(base, plan)) {
    if (parts.has(table) && plan.mutuals.some((m) => m.part === table && m.owner !== table)) continue;
    const keys = Object.keys(base.tables[table] ?? {}).sort();
    const wanted = Math.min(200, Math.max(2, options.size ?? Math.round(keys.length / 4)));
    const own = rng.fork(table);
    let made = 0;
    for (let i = 0; i < wanted * 4 && made < wanted; i += 1) {
      const members = family(table, own.pick(keys), base, plan);
      const rows = drawFamily(members, base, tables, plan, ranges, own);
      if (!rows) continue;
      for (const { table: home, key, row } of rows) {
        (tables[home] as Record<string, JsonObject>)[key] = row;
        drawn[home] = [...(drawn[home] ?? []), key];
      }
      made += 1;
    }
  }
  for (const table of Object.keys(tables)) tables[table] = sorted(tables[table] as Record<string, JsonObject>);
  return {
    tables,
    drawn: Object.fromEntries(
      Object.keys(drawn)
        .sort()
        .map((t) => [t, (drawn[t] as string[]).sort()]),
    ),
    ...unknownOf(base, tables, drawn),
  };
}

/** What is unknown of the observed rows, and of the drawn ones the same columns where they lack them. */
function unknownOf(
  { unknown }: BaseState,
  tables: BaseState["tables"],
  drawn: Readonly<Record<string, readonly string[]>>,
): Pick<BaseState, "unknown"> {
  if (!unknown) return {};
  const entries = Object.entries(unknown).map(([table, groups]) => {
    const columns = [...new Set(groups.flatMap((group) => group.columns))].sort();
    const added = (drawn[table] ?? []).flatMap((key) => {
      const lacking = columns.filter((column) => !Object.hasOwn(tables[table]?.[key] ?? {}, column));
      return lacking.length === 0 ? [] : [{ columns: lacking, keys: [key] }];
    });
    return [table, [...groups, ...added]] as [string, typeof groups];
  });
  return { unknown: Object.fromEntries(entries) };
}
