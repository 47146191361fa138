import type { Json, JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { stems } from "../checks/words.ts";
import type { Kit } from "../kit.ts";
import { leaves } from "../leaves.ts";
import type { FinishedTrial } from "../schema.ts";
import { noun, PEOPLE } from "./phrases.ts";

/** Columns and tables that name whose a row is. */
const OWNING: ReadonlySet<string> = new Set([...PEOPLE, "patient", "student", "tenant", "subscriber", "owner"]);
/** Sessions that change rows of several people, and their share of those that change several rows, from which on a request may. */
const MIXED = { sessions: 2, share: 0.5 };

function isOwning(name: string): boolean {
  const words = stems(name).filter((word) => word !== "id" && word !== "name");
  return words.length > 0 && words.length < 3 && OWNING.has(words.at(-1) as string);
}

/** Whether a table's rows are people. */
export function isPeople(table: string): boolean {
  return OWNING.has(noun(table));
}

/** Whose a row is: the people it is or refers to. Empty where nothing tells. */
export function ownersOf(
  kit: Kit,
  table: string,
  key: string,
  row: Readonly<Record<string, unknown>> | undefined,
): ReadonlySet<string> {
  if (isPeople(table)) return new Set([key]);
  const found = new Set<string>();
  for (const leaf of row === undefined ? [] : leaves(row as JsonObject)) {
    if (typeof leaf.value !== "string" || leaf.generic.includes("[*]")) continue;
    const person = [...kit.anchors.keys()].some(
      (other) => isPeople(other) && Object.hasOwn(kit.base.tables[other] ?? {}, leaf.value as string),
    );
    if (person || isOwning(leaf.name)) found.add(leaf.value);
  }
  return found;
}

/** Whether rows can be one person's: no two of them are known to be different people's. */
export function isOnePerson(all: readonly ReadonlySet<string>[]): boolean {
  const told = all.filter((owners) => owners.size > 0);
  return told.every((one, i) => told.slice(i + 1).every((other) => [...one].some((person) => other.has(person))));
}

/** Whether recorded sessions change rows of several people in one: an operator's, not a customer's. */
export function mixesOwners(kit: Kit, traces: readonly ObservedTrace[]): boolean {
  const writes = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : [])));
  const tables = Object.entries(kit.base.tables);
  let several = 0;
  let mixed = 0;
  for (const trace of traces) {
    const touched = new Map<string, ReadonlySet<string>>();
    for (const call of trace.calls) {
      if (call.isError || !writes.has(call.tool)) continue;
      for (const value of Object.values(call.args)) {
        if (typeof value !== "string") continue;
        for (const [table, rows] of tables)
          if (Object.hasOwn(rows, value)) touched.set(`${table} ${value}`, ownersOf(kit, table, value, rows[value]));
      }
    }
    if (touched.size < 2) continue;
    several += 1;
    if (!isOnePerson([...touched.values()])) mixed += 1;
  }
  return mixed >= MIXED.sessions && mixed >= several * MIXED.share;
}

/** Whether the rows that a trial changed can be one person's. A person who is added owned nothing before: whoever adds one may add more. */
export function changesOnePerson(kit: Kit, { diff }: Pick<FinishedTrial, "diff">): boolean {
  return isOnePerson(
    diff.map(({ table, key, before, after }) =>
      before === undefined && isPeople(table) ? new Set<string>() : ownersOf(kit, table, key, before ?? after),
    ),
  );
}

/** A code: letters and digits together. */
const CODE = /^(?=.*\p{L})(?=.*\d)\S{6,}$/u;
const codes = new WeakMap<Kit, ReadonlyMap<string, ReadonlySet<string>>>();

/** Whose row holds a code as a value or as the name of a part: a means of payment, a membership. */
function holdersOf(kit: Kit): ReadonlyMap<string, ReadonlySet<string>> {
  let found = codes.get(kit);
  if (found === undefined) {
    const holders = new Map<string, Set<string>>();
    const walk = (value: unknown, person: string) => {
      if (typeof value === "string") {
        if (CODE.test(value)) holders.set(value, (holders.get(value) ?? new Set()).add(person));
      } else if (value !== null && typeof value === "object")
        for (const [name, part] of Object.entries(value)) {
          if (!Array.isArray(value)) walk(name, person);
          walk(part, person);
        }
    };
    for (const [table, rows] of Object.entries(kit.base.tables))
      if (isPeople(table)) for (const [key, row] of Object.entries(rows)) walk(row, key);
    codes.set(kit, holders);
    found = holders;
  }
  return found;
}

/** A code given in a change of a person's rows that stands in other people's rows alone; undefined where none does. */
export function foreignCode(kit: Kit, { calls, diff }: Pick<FinishedTrial, "calls" | "diff">): string | undefined {
  const owners = new Set(
    diff.flatMap(({ table, key, before, after }) => [...ownersOf(kit, table, key, before ?? after)]),
  );
  if (owners.size === 0) return undefined;
  const given = calls
    .filter(({ changed }) => changed)
    .flatMap(({ args }) => leaves(args as Json).map(({ value }) => value));
  return given.find((value): value is string => {
    const holders = typeof value === "string" ? holdersOf(kit).get(value) : undefined;
    return holders !== undefined && ![...holders].some((person) => owners.has(person));
  });
}
