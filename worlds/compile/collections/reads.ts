import type { Behaviour, Step } from "../../behaviour/schema.ts";
import type { Json, JsonObject } from "../../json.ts";
import { literal, member } from "../conditions/term.ts";
import { isScalar } from "../values.ts";
import { ORDER } from "./rows.ts";
import { type Collection, type ListReader, listsOf } from "./shapes.ts";

/** A test of a row by a tool's arguments, as an expression over `r` and as what it yields. */
interface RowTest {
  readonly cel: string;
  holds(row: JsonObject, args: JsonObject): boolean;
}

/** Rows of a table as answers show them, in the order in which they came to be. */
export function shownRows(table: Collection, source: string): string {
  const columns = table.columns.map((column) => `${literal(column)}: ${member("s", column)}`).join(", ");
  return `${source}.sortBy(s, s.${ORDER}).map(s, {${columns}})`;
}

const rowsOf = (table: Collection, test: string | undefined): string =>
  `rows(${literal(table.name)})${test === undefined ? "" : `.filter(r, ${test})`}`;

/** Candidate answers of a list tool by its arguments: every behaviour that no observation contradicts, narrower ones first. */
export function readCandidates(reader: ListReader, tables: ReadonlyMap<string, Collection>): Behaviour[] {
  const [main, ...others] = reader.fields;
  const table = main && tables.get(main.table);
  if (!main || !table) return [];
  const args = [...new Set(reader.calls.flatMap((call) => Object.keys(call.args)))].sort();
  const tests = rowTests(table, args, reader);
  const root = main.field === "";
  const out: Behaviour[] = [];
  for (const test of tests) {
    const first: Step[] = [{ op: "let", name: "found", expr: rowsOf(table, test?.cel) }];
    if (root) {
      out.push({ v: 1, steps: [...first, { op: "answer", expr: shownRows(table, "found") }] });
      continue;
    }
    const sides = others.map(({ field, table: name }) => sideLists(field, tables.get(name) as Collection, table));
    for (const parts of product(sides).slice(0, 60)) {
      const fields = [{ field: main.field, cel: shownRows(table, "found") }, ...parts];
      const expr = `{${fields.map(({ field, cel }) => `${literal(field)}: ${cel}`).join(", ")}}`;
      out.push({ v: 1, steps: [...first, { op: "answer", expr }] });
    }
  }
  return out.slice(0, 120);
}

/** What may stand beside the rows that were found: those that refer to them at one end or another, or all. */
function sideLists(field: string, side: Collection, main: Collection): { field: string; cel: string }[] {
  const [key] = main.key;
  const ends = [...side.refers].filter(([, table]) => table === main.name).map(([column]) => column);
  const named = ends.map((column) => `found.exists(f, ${member("f", key as string)} == ${member("r", column)})`);
  const tests = ends.length > 1 ? [named.join(" || "), named.join(" && "), ...named] : named;
  return [...tests, undefined].map((test) => ({ field, cel: shownRows(side, rowsOf(side, test)) }));
}

/** Tests of rows by all arguments together, narrower ones first; a lone undefined where there are no arguments. */
function rowTests(table: Collection, args: readonly string[], reader: ListReader): (RowTest | undefined)[] {
  if (args.length === 0) return [undefined];
  const shown = reader.calls.flatMap((call) => {
    const rows = call.ok ? listsOf(call.value)?.get(reader.fields[0]?.field ?? "") : undefined;
    return (rows ?? []).map((row) => ({ row, args: call.args }));
  });
  const perArg = args.map((arg) => {
    const given = reader.calls.map((call) => call.args[arg]).filter((value) => value !== undefined && value !== null);
    const optional = given.length < reader.calls.length;
    return testsOf(table, arg, given as Json[])
      .map((test) => (optional ? whenGiven(test, arg) : test))
      .filter((test) => shown.every((pair) => test.holds(pair.row, pair.args)));
  });
  return product(perArg)
    .slice(0, 40)
    .map((tests) => ({
      cel: tests.map(({ cel }) => (tests.length > 1 ? `(${cel})` : cel)).join(" && "),
      holds: (row, given) => tests.every((test) => test.holds(row, given)),
    }));
}

function whenGiven(test: RowTest, arg: string): RowTest {
  return {
    cel: `(${member("args", arg)} == null || ${test.cel})`,
    holds: (row, args) => args[arg] === undefined || args[arg] === null || test.holds(row, args),
  };
}

function testsOf(table: Collection, arg: string, given: readonly Json[]): RowTest[] {
  const asked = member("args", arg);
  const columns = [...table.key, ...table.columns.filter((column) => !table.key.includes(column))];
  const scalars = columns.filter((column) => !table.lists.includes(column));
  if (given.every((value) => Array.isArray(value) && value.every(isScalar)))
    return scalars.map((column) => ({
      cel: `${member("r", column)} in ${asked}`,
      holds: (row, args) => (args[arg] as Json[]).includes(row[column] as Json),
    }));
  const equal: RowTest[] = scalars.map((column) => ({
    cel: `${member("r", column)} == ${asked}`,
    holds: (row, args) => row[column] === args[arg],
  }));
  if (!given.every((value) => typeof value === "string")) return equal;
  // What asks for a text most often looks everywhere: fewer columns are for evidence to tell.
  const sets = [
    [...table.texts, ...table.lists],
    table.texts,
    ...table.texts.map((c) => [c]),
    ...table.lists.map((c) => [c]),
  ];
  const distinct = sets.filter(
    (set, i) => set.length > 0 && sets.findIndex((other) => other.join() === set.join()) === i,
  );
  const searches = [true, false].flatMap((folded) => distinct.map((set) => textSearch(table, set, arg, folded)));
  return [...equal, ...searches];
}

/** Whether one of these columns holds the asked text. */
function textSearch(table: Collection, columns: readonly string[], arg: string, folded: boolean): RowTest {
  const fold = folded ? ".lower()" : "";
  const asked = `${member("args", arg)}${fold}`;
  const folding = (text: Json | undefined) => (folded ? String(text).toLowerCase() : String(text));
  return {
    cel: columns
      .map((column) =>
        table.lists.includes(column)
          ? `${member("r", column)}.exists(t, t${fold}.contains(${asked}))`
          : `${member("r", column)}${fold}.contains(${asked})`,
      )
      .join(" || "),
    holds: (row, args) =>
      columns.some((column) => [row[column]].flat().some((text) => folding(text).includes(folding(args[arg])))),
  };
}

/** Every way to take one of each list, in order. */
function product<T>(lists: readonly (readonly T[])[]): T[][] {
  return lists.reduce<T[][]>((all, list) => all.flatMap((head) => list.map((item) => [...head, item])), [[]]);
}
