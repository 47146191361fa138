import type { Json, Scalar } from "../json.ts";
import { findFact, Reading as Text } from "./checks/facts.ts";
import { columnPath } from "./draft.ts";
import { kindOf } from "./kinds.ts";
import type { Kit, RowRead } from "./kit.ts";
import type { Check, Fact } from "./schema.ts";
import { readAll } from "./select.ts";

type Required = Extract<Check, { kind: "calls_required" }>;

/** Whether another row of the table says this fact where this reading has it: then the fact alone does not tell what was read. */
export function isShared(kit: Kit, rowRead: RowRead, generic: string, fact: Fact): boolean {
  const { binding, anchor } = rowRead;
  const path = columnPath(kit, binding, generic);
  const says = (json: Json, at: string) => readAll(json, { path: at }).some((value) => isFact(value, fact));
  if (path !== undefined)
    return (kit.anchors.get(binding.table) ?? []).some(({ key, row }) => key !== anchor.key && says(row, path));
  return isAlike(kit, rowRead, (other) => says(other.answer, generic));
}

function isFact(value: Json, fact: Fact): boolean {
  if (value === null || typeof value === "object") return false;
  return value === fact.value || (fact.kind === "date" && findFact(fact, new Text(String(value))).said > 0);
}

/** Whether what another row's reading shows says all of these facts: then they do not tell which row was read. */
export function isAlike(kit: Kit, rowRead: RowRead, says: (other: RowRead) => boolean): boolean {
  return kit.reads(rowRead.binding).some((other) => other.anchor.key !== rowRead.anchor.key && says(other));
}

/** The check that this row was read, by this reading or by any other that names the row and shows these facts. */
export function mustRead(kit: Kit, rowRead: RowRead, facts: readonly Fact[] = []): Required {
  return {
    ...mustCall(rowRead.binding.tool, rowRead.args),
    shown: { named: namesOf(kit, rowRead, facts), facts: [...facts] },
  };
}

/** The check that a tool was called with these arguments, those that it need not be given left free. */
export function mustCall(tool: string, args: Readonly<Record<string, Json>>, free: readonly string[] = []): Required {
  const fixed = Object.entries(args).filter(([name]) => !free.includes(name));
  return {
    kind: "calls_required",
    calls: [{ tool, args: fixed.map(([path, value]) => ({ path, op: "equals" as const, value })) }],
  };
}

/** Most other unique names of a row that count. */
const NAMES = 12;

/** Ways to name a reading's row: by what it was asked with, by its key, or by a text of it that stands in no other row. */
function namesOf(kit: Kit, { anchor, args }: RowRead, facts: readonly Fact[]): Scalar[][] {
  const given = Object.values(args).filter((value): value is Scalar => value !== null && typeof value !== "object");
  const asked = new Set<Scalar>(facts.map(({ value }) => value));
  const known = rowsByText(kit);
  const own = anchor.leaves.flatMap(({ generic, name, value }) => {
    if (typeof value !== "string" || generic.includes("[*]") || asked.has(value)) return [];
    const tells = value.length >= 4 && value.length <= 80 && ["id", "text"].includes(kindOf(value, name));
    return tells && known.get(value) === 1 ? [[value]] : [];
  });
  const ways = [given, [anchor.key], ...own.slice(0, NAMES)].filter((way) => way.length > 0);
  return ways.filter((way, i) => ways.findIndex((w) => JSON.stringify(w) === JSON.stringify(way)) === i);
}

const texts = new WeakMap<Kit, ReadonlyMap<string, number>>();

/** How many rows, of all tables, hold each text; what is another row's key is held by that one too. */
function rowsByText(kit: Kit): ReadonlyMap<string, number> {
  let known = texts.get(kit);
  if (!known) {
    const counts = new Map<string, number>();
    for (const { key, leaves } of [...kit.anchors.values()].flat()) {
      const own = leaves.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
      for (const text of new Set([key, ...own])) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    known = counts;
    texts.set(kit, known);
  }
  return known;
}
