import type { Step } from "../../behaviour/schema.ts";
import { literal, member } from "../conditions/term.ts";
import { columnKnowledge, type History } from "../history.ts";
import { byText } from "../values.ts";
import { type Placed, rowOf } from "./tables.ts";

/** What a tool shows of a table's rows. */
export interface ShownColumns {
  /** Columns of its answers. */
  readonly own: ReadonlySet<string>;
  /** Columns that it shows where a row has them. */
  readonly shown: readonly string[];
  /** Whether rows have others. */
  readonly hides: boolean;
  /** Columns that an export has of some rows and of none that any tool answered: whether they are shown, evidence does not tell. */
  readonly unsure: readonly string[];
}

/** Columns that a tool shows of a table's rows, with an export those that only others show as well. */
export function shownColumns(history: History, table: string, placed: Placed): ShownColumns {
  const entity = history.entities.get(table);
  const base = history.base[table] ?? {};
  const own = new Set(placed.source.instances.flatMap(({ row }) => Object.keys(row)));
  const { always } = columnKnowledge(history, table);
  const all = new Set([...always, ...Object.values(base).flatMap((row) => Object.keys(row))]);
  const others = [...all].filter((column) => !own.has(column)).sort(byText);
  const given = history.complete?.get(table);
  if (!given || !entity) return { own, shown: [...own].sort(byText), hides: others.length > 0, unsure: [] };
  const answered = placed.source.instances.flatMap((instance) => {
    const key = rowOf(entity, placed, instance)?.key;
    return key !== undefined && Object.hasOwn(base, key) ? [base[key]] : [];
  });
  const elsewhere = new Set(
    entity.placed.flatMap(({ source }) => source.instances.flatMap(({ row }) => Object.keys(row))),
  );
  const open = others.filter(
    (column) => !entity.key.includes(column) && !answered.some((row) => row && Object.hasOwn(row, column)),
  );
  const added = open.filter((column) => elsewhere.has(column));
  return {
    own,
    shown: [...own, ...added].sort(byText),
    hides: others.length > added.length,
    unsure: open.filter((column) => !elsewhere.has(column) && given.has(column)),
  };
}

/** The view that hides what a tool does not show; none where it shows all. */
export function viewOf({ shown, hides }: ShownColumns): { view?: { path: string }[] } {
  return hides ? { view: shown.map((path) => ({ path })) } : {};
}

/** A step that leaves open what is answered of a row with columns of which evidence does not tell whether they are shown. */
export function unsureStep({ unsure }: ShownColumns, row: string): Step[] {
  if (unsure.length === 0) return [];
  const found = `(${row} == null || !(${unsure.map((column) => `has(${member(row, column)})`).join(" || ")}))`;
  return [{ op: "let", name: "shown", expr: `(${found} ? true : not_served())` }];
}

/** The row of a table under a key, as an expression. */
export const rowCel = (table: string, keys: readonly string[]): string =>
  `lookup(${literal(table)}, ${keys.join(", ")})`;
