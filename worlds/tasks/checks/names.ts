import type { BaseState } from "../../bundle.ts";
import { isObject, type Json } from "../../json.ts";
import type { Fact } from "../schema.ts";

/** Columns that name a row to people. */
const NAMING = /(?:^|_)(?:name|title|label|email|subject|headline|login|username)$/i;
const PREFIXED = /^([a-z]+(?:_[a-z]+)*)_(\d{5,})$/i;

interface Names {
  /** Key of a row → what else names it alone in its table. */
  readonly ofKey: ReadonlyMap<string, readonly string[]>;
  /** `gift card 5201` → how many ids of the state end so. */
  readonly endings: ReadonlyMap<string, number>;
}

const known = new WeakMap<BaseState, Names>();

/** The texts by which people would name a row: its naming columns, and a first and last name as they are written. */
export function namesOf(row: Readonly<Record<string, unknown>>): string[] {
  const found = Object.entries(row).flatMap(([column, value]) =>
    typeof value === "string" && /\p{L}{2}/u.test(value) && value.length <= 120 && NAMING.test(column) ? [value] : [],
  );
  for (const holder of [row, ...Object.values(row).filter((value) => isObject(value as Json))]) {
    const { first_name: first, last_name: last } = holder as Readonly<Record<string, unknown>>;
    if (typeof first === "string" && typeof last === "string") found.push(`${first} ${last}`);
  }
  return found;
}

function endingOf(id: string): { kind: string; digits: string } | undefined {
  const match = PREFIXED.exec(id);
  return match ? { kind: (match[1] ?? "").replace(/_/g, " ").toLowerCase(), digits: match[2] ?? "" } : undefined;
}

function collectIds(value: unknown, into: Set<string>): void {
  if (typeof value === "string") {
    if (PREFIXED.test(value)) into.add(value);
  } else if (value !== null && typeof value === "object")
    for (const [key, item] of Object.entries(value)) {
      if (PREFIXED.test(key)) into.add(key);
      collectIds(item, into);
    }
}

function read(base: BaseState): Names {
  const ofKey = new Map<string, string[]>();
  const ids = new Set<string>();
  for (const rows of Object.values(base.tables)) {
    const holders = new Map<string, number>();
    for (const row of Object.values(rows))
      for (const name of new Set(namesOf(row).map((text) => text.toLowerCase())))
        holders.set(name, (holders.get(name) ?? 0) + 1);
    for (const [key, row] of Object.entries(rows)) {
      const alone = namesOf(row).filter((name) => name !== key && holders.get(name.toLowerCase()) === 1);
      if (alone.length > 0) ofKey.set(key, [...(ofKey.get(key) ?? []), ...alone]);
    }
    collectIds(rows, ids);
  }
  const endings = new Map<string, number>();
  for (const id of ids) {
    const ending = endingOf(id);
    const name = ending && `${ending.kind} ${ending.digits.slice(-4)}`;
    if (name) endings.set(name, (endings.get(name) ?? 0) + 1);
  }
  return { ofKey, endings };
}

/** An id as people say it besides: its row's other unique names, and of a kind with a number that number or its unique last digits. */
export function withNames(fact: Fact, base: BaseState): Fact {
  if (fact.kind !== "id" || typeof fact.value !== "string") return fact;
  let names = known.get(base);
  if (names === undefined) {
    names = read(base);
    known.set(base, names);
  }
  const others = [...(names.ofKey.get(fact.value) ?? [])];
  const ending = endingOf(fact.value);
  if (ending) {
    const { kind, digits } = ending;
    const last = digits.slice(-4);
    others.push(`${kind} ${digits}`, `${kind} number ${digits}`);
    if ((names.endings.get(`${kind} ${last}`) ?? 0) < 2)
      for (const how of ["ending", "ending in", "ending with", "ends in", "that ends in", "with the last four digits"])
        others.push(`${kind} ${how} ${last}`);
  }
  return others.length === 0 ? fact : { ...fact, aliases: [...(fact.aliases ?? []), ...others] };
}
