import type { Json } from "../../../json.ts";
import { literal, member } from "../../conditions/term.ts";
import type { Expr, RowRef } from "./expr.ts";
import type { ListChange } from "./lists.ts";

/** Names of the program's tables, and of columns as they are stored. */
export interface Names {
  readonly table: (table: string) => string;
  readonly column: (table: string, column: string) => string;
  /** Whether rows of a table hold a column at all: what is computed or never shown is not stored. */
  readonly stored?: (table: string, column: string) => boolean;
  /** Whether a key without a row is known to have none. */
  readonly complete: (table: string) => boolean;
  /** Whether there are keys of a table of which it is not known in every session whether they have a row at the start. */
  readonly doubted?: (table: string) => boolean;
  readonly cells: string;
  /** The key column of a table that has one. */
  readonly key: (table: string) => string;
  /** The column that holds the order in which rows came to be. */
  readonly made: string;
}

/** What an expression's names stand for where it is printed. */
export interface Printing {
  readonly names: Names;
  /** The row at hand, as text, and its table. */
  readonly row?: { readonly text: string; readonly table: string };
  /** The entry at hand, as text; where it is a row, its table. */
  readonly item?: { readonly text: string; readonly table?: string };
}

export const CELL_KEY = "session";
/** The stored table of keys by table that some sessions start with a row under, and others do not. */
export const DOUBTED = "doubted";

/** A value as a literal of the language. */
export function printed(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(printed).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([name, of]) => `${literal(name)}: ${printed(of)}`)
      .join(", ")}}`;
  return literal(value);
}

const isStored = ({ names }: Printing, table: string, column: string): boolean =>
  names.stored?.(table, column) !== false;

const path = (root: string, names: readonly string[]): string => names.reduce(member, root);

/** The row of a reference, as text. */
export function rowText(of: Exclude<RowRef, "row">, at: Printing): string {
  return `lookup(${literal(at.names.table(of.table))}, ${of.key.map((part) => print(part, at)).join(", ")})`;
}

/** Whether the row that is looked up so is known to be gone. */
const absent = (row: string): string => row.replace(/^lookup/, "removed");

/** A list, a map, and the name of an entry; unknown where the text says something else, as `evaluate` has it. */
const listText = (text: string): string => `(type(${text}) == "list" ? ${text} : unknown())`;
const mapText = (text: string): string => `(type(${text}) == "map" ? ${text} : unknown())`;
const keyText = (text: string): string => `(type(${text}) in ["string", "number"] ? string(${text}) : unknown())`;

/** A list that each of some values changed. */
function eachText(op: ListChange, list: string, values: string): string {
  if (op === "append") return `(${list} + ${values})`;
  if (op === "remove") return `${list}.filter(entry, !(entry in ${values}))`;
  const more = `${list} + ${values}.filter(entry, !(entry in ${list})).distinct()`;
  return op === "insert" ? `(${values}.all(entry, entry in ${list}) ? ${list} : (${more}).sort())` : `(${more})`;
}

/** Expressions that are never null. */
const isSomething = ({ op }: Expr): boolean =>
  ["add", "subtract", "append", "include", "insert", "remove", "last", "text"].includes(op);

/** An expression in the stored language. Throws nothing; what cannot be said is `unknown()`. */
export function print(expr: Expr, at: Printing): string {
  const of = (inner: Expr): string => print(inner, at);
  switch (expr.op) {
    case "const":
      return printed(expr.value);
    case "unknown":
      return "unknown()";
    case "arg":
      return path("args", expr.path);
    case "given":
      return `${path("args", expr.path)} != null`;
    case "item": {
      if (!at.item) return "unknown()";
      const [name] = expr.path;
      if (at.item.table !== undefined && name !== undefined && !isStored(at, at.item.table, name)) return "unknown()";
      return at.item.table !== undefined && name !== undefined
        ? member(at.item.text, at.names.column(at.item.table, name))
        : path(at.item.text, expr.path);
    }
    case "cell":
      if (!isStored(at, "", expr.name)) return "unknown()";
      return member(`lookup(${literal(at.names.cells)}, ${literal(CELL_KEY)})`, at.names.column("", expr.name));
    case "column": {
      if (!isStored(at, expr.of === "row" ? (at.row?.table ?? "") : expr.of.table, expr.name)) return "unknown()";
      if (expr.of === "row")
        return at.row ? member(at.row.text, at.names.column(at.row.table, expr.name)) : "unknown()";
      const row = rowText(expr.of, at);
      const value = member(row, at.names.column(expr.of.table, expr.name));
      if (at.names.complete(expr.of.table)) return value;
      return `(${row} == null && !${absent(row)} ? unknown() : ${value})`;
    }
    case "exists": {
      const row = rowText(expr.of, at);
      if (!at.names.complete(expr.of.table)) return `(${row} != null || (${absent(row)} ? false : unknown()))`;
      const [key] = expr.of.key;
      if (!key || !at.names.doubted?.(expr.of.table)) return `${row} != null`;
      const doubted = `lookup(${literal(DOUBTED)}, ${literal(at.names.table(expr.of.table))}).keys`;
      return `(${row} != null || (string(${of(key)}) in ${doubted} ? unknown() : false))`;
    }
    case "add":
      return `(${of(expr.a)} + ${of(expr.b)})`;
    case "subtract":
      return `(${of(expr.a)} - ${of(expr.b)})`;
    case "multiply":
      return `(${of(expr.a)} * ${of(expr.b)})`;
    case "resolve":
      return `resolve(${of(expr.a)}, ${of(expr.b)})`;
    case "eq":
      return `(${of(expr.a)} == ${of(expr.b)})`;
    case "less":
      return `(${of(expr.a)} < ${of(expr.b)})`;
    case "most":
      return `(${of(expr.a)} <= ${of(expr.b)})`;
    case "contains":
    case "within": {
      const list = expr.op === "contains" ? expr.a : expr.b;
      const [whole, part] = expr.op === "contains" ? [of(expr.a), of(expr.b)] : [of(expr.b), of(expr.a)];
      if (list.op === "const" && Array.isArray(list.value)) return `(${part} in ${whole})`;
      return `(type(${whole}) in ["list", "map"] ? ${part} in ${whole} : type(${whole}) == "string" ? ${whole}.lower().contains(string(${part}).lower()) : unknown())`;
    }
    case "among":
      return `(type(${of(expr.a)}) == "list" ? ${of(expr.a)}.all(one, one in ${of(expr.b)}) : unknown())`;
    case "not":
      return expr.a.op === "within" ? `!${of(expr.a)}` : `!(${of(expr.a)})`;
    case "and":
      return `(${of(expr.a)} && ${of(expr.b)})`;
    case "or":
      return `(${of(expr.a)} || ${of(expr.b)})`;
    case "append":
      if (expr.each) return eachText(expr.op, listText(of(expr.list)), listText(of(expr.value)));
      return `(${listText(of(expr.list))} + [${of(expr.value)}])`;
    case "remove":
      if (expr.each) return eachText(expr.op, listText(of(expr.list)), listText(of(expr.value)));
      return `${listText(of(expr.list))}.filter(entry, entry != ${of(expr.value)})`;
    case "last":
      return `(${listText(of(expr.list))}.filter(entry, entry != ${of(expr.value)}) + [${of(expr.value)}])`;
    case "insert":
    case "include": {
      if (expr.each) return eachText(expr.op, listText(of(expr.list)), listText(of(expr.value)));
      const [list, value] = [listText(of(expr.list)), of(expr.value)];
      const longer = `${list} + [${value}]`;
      return `(${value} in ${list} ? ${list} : ${expr.op === "insert" ? `(${longer}).sort()` : longer})`;
    }
    case "object":
      return `{${expr.fields.map(([name, value]) => `${literal(name)}: ${of(value)}`).join(", ")}}`;
    case "put": {
      const { value } = expr;
      const put = (other: Expr): string => of({ ...expr, value: other });
      if (value.op === "if") return `(${of(value.test)} ? ${put(value.met)} : ${put(value.otherwise)})`;
      const [map, key, text] = [mapText(of(expr.map)), keyText(of(expr.key)), of(value)];
      const [set, without] = [`${map}.merge({${key}: ${text}})`, `${map}.without(${key})`];
      if (value.op === "const") return value.value === null ? without : set;
      return isSomething(value) ? set : `(${text} == null ? ${without} : ${set})`;
    }
    case "entry":
      return `${mapText(of(expr.map))}.get(${keyText(of(expr.key))}, null)`;
    case "shorter": {
      const a = of(expr.a);
      return `(type(${a}) != "list" || size(${a}) == 0 ? unknown() : ${expr.gone ? `size(${a}) == 1 ? null : ` : ""}${a}.slice(0, size(${a}) - 1))`;
    }
    case "size":
      return `size(${of(expr.a)})`;
    case "leaf":
      return `${of(expr.a)}.split("/").last()`;
    case "lower":
      return `${of(expr.a)}.lower()`;
    case "fits":
      return `${of(expr.a)}.matches(${literal(expr.pattern)})`;
    case "holds":
      return `(${of(expr.a)} != null && ${of(expr.a)}.lower().contains(${of(expr.b)}.lower()))`;
    case "math":
      return `math.${expr.name}(${expr.of.map(of).join(", ")})`;
    case "fixed":
      return `fixed(${of(expr.a)}, ${expr.digits})`;
    case "cut": {
      const text = of(expr.a);
      return `(size(${text}) > ${expr.length} ? ${text}.substring(0, ${expr.length}) + "..." : ${text})`;
    }
    case "first": {
      if (!at.names.complete(expr.table)) return "unknown()";
      const inner: Printing = { ...at, ...(at.row ? { item: at.row } : {}), row: { text: "each", table: expr.table } };
      const rows = `rows(${literal(at.names.table(expr.table))}).filter(each, ${print(expr.where, inner)}).sortBy(each, each.${at.names.made})`;
      return `${rows}.map(each, ${member("each", at.names.key(expr.table))}).first()`;
    }
    case "holder": {
      if (!isStored(at, expr.table, expr.column)) return "null";
      const column = member("each", at.names.column(expr.table, expr.column));
      const rows = `rows(${literal(at.names.table(expr.table))}).filter(each, ${column} == ${of(expr.value)})`;
      return `(${of(expr.value)} == null ? null : ${rows}.sortBy(each, each.${at.names.made}).map(each, ${member("each", at.names.key(expr.table))}).first())`;
    }
    case "lines": {
      if (!at.names.complete(expr.table)) return "unknown()";
      const inner: Printing = { ...at, ...(at.row ? { item: at.row } : {}), row: { text: "each", table: expr.table } };
      const rows = `rows(${literal(at.names.table(expr.table))}).filter(each, ${print(expr.where, inner)}).sortBy(each, each.${at.names.made})`;
      return `${rows}.map(each, ${print(expr.line, inner)}).join(${literal(expr.between)})`;
    }
    case "count":
    case "total": {
      if (!at.names.complete(expr.table)) return "unknown()";
      const rows = `rows(${literal(at.names.table(expr.table))})`;
      const row = { text: "counted", table: expr.table };
      if (expr.op === "count")
        return `${rows}.count(counted, ${print(expr.where, { ...at, ...(at.row ? { item: at.row } : {}), row })})`;
      const value = member("counted", at.names.column(expr.table, expr.column));
      const met = print(expr.where, { ...at, ...(at.row ? { item: at.row } : {}), row });
      return `${rows}.filter(counted, ${met}).map(counted, type(${value}) == "number", ${value}).sum()`;
    }
    case "ratio": {
      const share = `${expr.times} * ${of(expr.a)} / ${of(expr.b)}`;
      return `(${of(expr.b)} == 0 ? 0 : ${expr.digits === undefined ? share : `round(${share}, ${expr.digits})`})`;
    }
    case "text":
      return `(${expr.parts.map((part) => (typeof part === "string" ? literal(part) : `string(${of(part)})`)).join(" + ")})`;
    case "if":
      return `(${of(expr.test)} ? ${of(expr.met)} : ${of(expr.otherwise)})`;
    case "decide":
      return `(${expr.cases.map(([value, then]) => `${of(expr.on)} == ${printed(value)} ? ${of(then)} : `).join("")}unknown())`;
  }
}
