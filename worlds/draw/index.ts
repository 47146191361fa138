import type { BaseState, Bundle } from "../bundle.ts";
import { askedOf, changedOf, textsOf } from "../compile/programs/records/emit-view.ts";
import { MADE } from "../compile/programs/records/tables.ts";
import { type Json, type JsonObject, setOwn } from "../json.ts";
import { escapePattern } from "../pattern.ts";
import { drawnStart, otherStarts } from "../starts.ts";
import { leaves } from "../tasks/leaves.ts";
import { type Random, random } from "../tasks/random.ts";
import { readPath } from "../tasks/select.ts";
import { dateRanges, newKey, rewrite, secondOf, shiftedDate, shiftedTime } from "./identity.ts";
import { type Plan, planOf } from "./plan.ts";
import { mixed, renewedNumber, renewedText } from "./renew.ts";

export { audit } from "./audit.ts";

/** Draw options. `augment` adds rows; `size` is the most per table (default a quarter of the observed, 2 to 200). */
export interface DrawOptions {
  readonly seed: string;
  readonly augment?: boolean;
  readonly size?: number;
}

function sorted(rows: Record<string, JsonObject>): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.keys(rows)
      .sort()
      .map((key) => [key, rows[key] as JsonObject]),
  );
}

/**
 * Tables of rows: those with a join out, or all when there is none, without tables that only extend another's rows or hold
 * what was asked and answered.
 */
function drawable(bundle: Bundle, base: BaseState, plan: Plan): string[] {
  const kept = new Set([
    ...bundle.tools.flatMap(({ name }) => [askedOf(name), textsOf(name)]),
    ...Object.keys(base.tables).map(changedOf),
  ]);
  const more = new Set(
    plan.joins.flatMap(({ table, generic }) => {
      const rows = Object.entries(base.tables[table] ?? {});
      return rows.every(([key, row]) => readPath(row as Json, generic)[0] === key) ? [table] : [];
    }),
  );
  const all = Object.keys(base.tables)
    .sort()
    .filter((t) => !more.has(t) && !kept.has(t) && Object.keys(base.tables[t] ?? {}).length >= 4);
  const owners = new Set(plan.mutuals.map((m) => m.parent));
  const outward = all.filter((t) => owners.has(t) || plan.joins.some((j) => j.table === t));
  return outward.length > 0 ? outward : all;
}

/** The rows that are drawn together: one row, the parts that name it as owner, and theirs. */
function family(table: string, key: string, base: BaseState, plan: Plan): { table: string; key: string }[] {
  const members = [{ table, key }];
  for (const member of members)
    for (const { generic, value } of plan.scalars.get(member.table)?.get(member.key) ?? []) {
      if (typeof value !== "string") continue;
      for (const { parent, list, part } of plan.mutuals)
        if (parent === member.table && list === generic && Object.hasOwn(base.tables[part] ?? {}, value))
          if (!members.some((known) => known.table === part && known.key === value))
            members.push({ table: part, key: value });
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
  // A name that an observed row gives a row that was never seen is taken, too.
  const isTaken = (name: string) => plan.held.has(name) || [...keys.values()].includes(name);
  for (const { table, key } of members) {
    const made = newKey(key, (name) => Object.hasOwn(out[table] ?? {}, name) || isTaken(name), renamed, rng);
    if (made === undefined) return undefined;
    keys.set(key, made);
  }
  for (const value of [...members.flatMap((one) => unknownParts(one, base, plan)), ...privateKeys(members, plan)]) {
    const made = newKey(value, isTaken, renamed, rng);
    if (made === undefined) return undefined;
    keys.set(value, made);
  }
  const rows = members.map(({ table, key }) => assembled(table, key, keys, base, plan, rng));
  const shift = dayShift(members, rows, ranges, rng);
  const seconds = secondShift(rows, rng);
  const digits = String(1000 + rng.below(9000));
  // What parts repeat of their owner is the drawn owner's.
  const repeated = new Map<Json, Json>();
  return members.map(({ table, key }, at) => {
    const renewed = new Map<string, string>();
    const row = rewrite(rows[at] as Json, (value, generic, name) => {
      const column = plan.columns.get(table)?.get(generic) ?? NO_VALUES;
      const tells = plan.telling.tells(table, { path: generic, generic, name, value: value as string });
      if (typeof value === "number" && value === Number(members[at]?.key) && plan.telling.namesItself(table, generic))
        return Number(keys.get(String(value)) ?? value);
      if (typeof value === "number")
        return tells && !plan.summed.has(`${table}\n${generic}`) ? renewedNumber(value, column, rng) : value;
      if (typeof value !== "string") return value;
      const mapped = keys.get(value);
      if (mapped !== undefined) return mapped;
      const echo = plan.joined.has(`${table}\n${columnOf(generic)}`) ? repeated.get(value) : undefined;
      if (echo !== undefined) return echo;
      const mutual = plan.mutuals.find((m) => m.parent === table && m.list === generic);
      if (mutual) return undefined;
      if (/^\d{4}-\d{2}-\d{2}/.test(value)) {
        if (BIRTH.test(name)) return anyDay(value, column, rng);
        return shiftedTime(shiftedDate(value, shift), seconds);
      }
      if (value.includes("@")) return replaceNames(value, renamed).replace(/\d*@/, `${digits}@`);
      const other = renamed.get(value);
      if (other !== undefined && /name/i.test(name)) return other;
      if (generic.includes("[*]") && NAME_PART.test(name) && /^\p{L}+$/u.test(value)) return rng.pick(column);
      // What a row says twice it says twice.
      const again = renewed.get(value);
      if (again !== undefined || !tells) return again ?? value;
      const made = renewedText(value, column, (text) => column.includes(text), rng);
      renewed.set(value, made);
      return made;
    }) as JsonObject;
    if (at === 0) {
      const own = new Map(leaves(row, 500).map((leaf) => [leaf.path, leaf.value]));
      for (const { path, value } of leaves(base.tables[table]?.[key] as JsonObject, 500))
        if (typeof value === "string" && own.get(path) !== undefined) repeated.set(value, own.get(path) as Json);
    }
    return { table, key: keys.get(key) as string, row };
  });
}

const NO_VALUES: readonly Json[] = [];
const BIRTH = /birth|dob/i;

/** A day within the range of a column's, in the form that the value had. */
function anyDay(value: string, column: readonly Json[], rng: Random): string {
  const days = column.filter((day) => typeof day === "string").sort();
  const [low = value, high = value] = [days[0], days.at(-1)];
  const span = Math.round((Date.parse(high.slice(0, 10)) - Date.parse(low.slice(0, 10))) / 86_400_000);
  const from = Math.round((Date.parse(low.slice(0, 10)) - Date.parse(value.slice(0, 10))) / 86_400_000);
  return Number.isFinite(span + from) ? shiftedDate(value, from + rng.below(span + 1)) : value;
}

/** Seconds by which a family's moments can move together and each stay within its day. */
function secondShift(rows: readonly JsonObject[], rng: Random): number {
  const seconds = rows.flatMap((row) =>
    leaves(row).flatMap(({ value }) => (typeof value === "string" ? (secondOf(value) ?? []) : [])),
  );
  if (seconds.length === 0) return 0;
  const [low, high] = [Math.min(...seconds), Math.max(...seconds)];
  return rng.below(86_400 - high + low) - low;
}

/**
 * An observed row with what does not go together with its identity taken from other rows: each group of columns from one
 * of them, and lists mixed where their elements say nothing of each other.
 */
function assembled(
  table: string,
  key: string,
  keys: ReadonlyMap<string, string>,
  base: BaseState,
  plan: Plan,
  rng: Random,
): JsonObject {
  const rows = base.tables[table] as Record<string, JsonObject>;
  const own = rows[key] as JsonObject;
  const { groups, loose, sums } = plan.together(table);
  const pinned = new Set<string>();
  for (const { generic, name, value } of leaves(own, 500)) {
    const column = columnOf(generic);
    const text = String(value);
    const identity = keys.has(text) || text === key || text.includes("@") || NAME_PART.test(name);
    if (identity || plan.joined.has(`${table}\n${generic}`) || plan.joined.has(`${table}\n${column}`))
      pinned.add(column);
  }
  const all = Object.keys(rows).sort();
  let row: JsonObject = { ...own };
  for (const group of groups) {
    if (!group.some((column) => pinned.has(column))) {
      const donor = rows[rng.pick(all)] as JsonObject;
      for (const column of group) {
        if (Object.hasOwn(donor, column)) setOwn(row, column, donor[column] as Json);
        else delete row[column];
      }
    }
    for (const list of group)
      if (loose.has(list)) row = mixed(row, list, plan.pool(table, list), new Set(group), sums, rng);
  }
  return row;
}

/** The column that a path leads into. */
const columnOf = (generic: string): string => /^[^.[]+/.exec(generic)?.[0] ?? generic;

/** Names of a row's only parts where these were never seen: those of another row's parts would be the same parts. */
function unknownParts(head: { table: string; key: string }, base: BaseState, plan: Plan): string[] {
  return (plan.scalars.get(head.table)?.get(head.key) ?? []).flatMap(({ generic, value }) => {
    const mutual = plan.mutuals.find(({ parent, list }) => parent === head.table && list === generic);
    const single = mutual !== undefined && !generic.includes("[*]") && typeof value === "string";
    return single && !Object.hasOwn(base.tables[mutual.part] ?? {}, value) ? [value] : [];
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

/** Days by which a family's dates can shift together within the observed range, without columns that are other tables' keys. */
function dayShift(
  members: readonly { table: string; key: string }[],
  rows: readonly JsonObject[],
  ranges: ReadonlyMap<string, ReturnType<typeof dateRanges>>,
  rng: Random,
): number {
  if (ranges.size === 0) return 0;
  let least = -400;
  let most = 400;
  for (const [at, { table }] of members.entries()) {
    for (const leaf of leaves(rows[at] as JsonObject)) {
      const range = ranges.get(table)?.get(leaf.generic);
      if (!range || typeof leaf.value !== "string" || BIRTH.test(leaf.name)) continue;
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

/** How often at most it is tried to draw a row that is no copy. */
const ATTEMPTS = 16;

/**
 * Draws an initial state: the observed rows, and with `augment` rows that fit them. A drawn row has the references of an
 * observed one with the parts it owns under a new identity (keys of the same form, names and mail addresses to match),
 * and what does not go together with these from other rows: columns that go together from one, so that joins, totals and
 * what belongs together hold. Dates move together within the observed range, and what few rows hold is drawn anew: a row
 * that shares it with an observed one, or most of what tells that one apart, is not drawn, so there may be fewer than
 * asked. `drawn` names the added rows. Where sessions began otherwise, it is the start of one group of them, and without
 * `augment` `others` tells those of the rest. The same inputs and seed give the same bytes.
 */
export function draw(bundle: Bundle, given: BaseState, options: DrawOptions): BaseState {
  const start = drawnStart(given, options.seed);
  const tables: BaseState["tables"] = Object.fromEntries(
    Object.keys(start.tables)
      .sort()
      .map((table) => [table, sorted(start.tables[table] as Record<string, JsonObject>)]),
  );
  const base: BaseState = {
    ...start,
    tables: Object.fromEntries(Object.entries(tables).map(([t, rows]) => [t, { ...rows }])),
  };
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
  const plan = planOf(bundle, base, options.seed);
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
  const marked = new Set<string>();
  for (const table of drawable(bundle, base, plan)) {
    if (parts.has(table) && plan.mutuals.some((m) => m.part === table && m.parent !== table)) continue;
    const keys = Object.keys(base.tables[table] ?? {}).sort();
    const wanted = Math.min(200, Math.max(2, options.size ?? Math.round(keys.length / 4)));
    const own = rng.fork(table);
    let made = 0;
    for (let i = 0; i < wanted * ATTEMPTS && made < wanted; i += 1) {
      const members = family(table, own.pick(keys), base, plan);
      const rows = drawFamily(members, base, tables, plan, ranges, own);
      if (!rows || rows.some((row) => plan.telling.duplicateOf(row.table, row.key, row.row) !== undefined)) continue;
      const marks = rows.flatMap((row) => plan.telling.marks(row.table, row.row));
      if (marks.some((mark) => marked.has(mark))) continue;
      for (const mark of marks) marked.add(mark);
      for (const { table: home, key, row } of rows) {
        // Of two rows one came first: a drawn row came after those that stand.
        if (Object.hasOwn(row, MADE)) row[MADE] = lastMade(tables[home] ?? {}) + 1;
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

function lastMade(rows: BaseState["tables"][string]): number {
  return Math.max(-1, ...Object.values(rows).map((row) => Number(row[MADE] ?? -1)));
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
