import { badField } from "../../chapters/errors.ts";
import type { AnyOperation } from "../../tools/kernel/operation.ts";
import { at, longestList, replaced } from "./fit.ts";

/** Fields of a row by which any answer that reads can be narrowed. */
const FILTERS = ["family", "status", "outcome", "tool"] as const;
/** What every tool that reads takes over MCP, where its own input does not. */
export const VIEW_FIELDS = ["fields", "limit", "cursor", ...FILTERS] as const;

/** What a caller wants of an answer. */
export interface View {
  /** Paths by dots; through a list they name members of each row. */
  readonly fields?: readonly string[];
  readonly limit?: number;
  readonly from?: number;
  readonly where: readonly (readonly [string, string])[];
}

/** The rows of a list that a view ends before its end. */
export interface Viewed {
  readonly body: unknown;
  readonly list?: { readonly path: readonly string[]; readonly from: number; readonly of: number };
}

/** Splits a call's arguments into those of the operation and what is wanted of its answer. Throws `bad_request`. */
export function takeView(
  op: AnyOperation,
  args: Readonly<Record<string, unknown>>,
): { readonly view: View; readonly args: Readonly<Record<string, unknown>> } {
  if (op.effect !== "read") return { view: { where: [] }, args };
  const own = { ...args };
  const taken: Record<string, unknown> = {};
  for (const name of VIEW_FIELDS) {
    if (own[name] === undefined || name in op.input.shape) continue;
    taken[name] = own[name];
    delete own[name];
  }
  const { fields, limit, cursor, ...where } = taken;
  return {
    args: own,
    view: {
      ...(fields === undefined ? {} : { fields: paths(fields) }),
      ...(limit === undefined ? {} : { limit: whole("limit", limit, 1) }),
      ...(cursor === undefined ? {} : { from: whole("cursor", cursor, 0) }),
      where: Object.entries(where).map(([name, value]) => {
        if (typeof value !== "string") throw badField(name, "is a word that rows hold");
        return [name, value] as const;
      }),
    },
  };
}

/** What a view takes of an answer: rows of its longest list, then the fields asked for. Throws `bad_request` for unknown ones. */
export function viewed(answer: unknown, { fields, limit, from = 0, where }: View): Viewed {
  let body = answer;
  const path = where.length > 0 ? filteredList(body, where[0]?.[0] ?? "") : longestList(body);
  let list: Viewed["list"];
  if (path !== undefined) {
    let rows = at(body, path) as readonly unknown[];
    for (const [name, value] of where) rows = rows.filter((row) => holds(fieldOf(row, name), value));
    const to = limit === undefined ? rows.length : from + limit;
    list = { path, from, of: rows.length };
    if (where.length > 0 || from > 0 || to < rows.length) body = replaced(body, path, rows.slice(from, to));
  }
  if (fields !== undefined) body = picked(body, fields);
  return { body, ...(list === undefined ? {} : { list }) };
}

/** The longest list whose rows have a member of this name. */
function filteredList(body: unknown, name: string): string[] | undefined {
  const found = listsOf(body).find(({ rows }) => rows.some((row) => fieldOf(row, name) !== undefined));
  if (found) return found.path;
  throw badField(name, "no row of this answer has it");
}

function listsOf(body: unknown, path: string[] = []): { path: string[]; rows: readonly unknown[] }[] {
  if (Array.isArray(body)) return body.length > 0 ? [{ path, rows: body }] : [];
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body)
    .flatMap(([name, part]) => listsOf(part, [...path, name]))
    .sort((a, b) => b.rows.length - a.rows.length);
}

/** Whether a row's member is this word, or counts it: the ends of a task's trials are counted by end. */
function holds(member: unknown, value: string): boolean {
  if (typeof member !== "object" || member === null) return String(member) === value;
  return Number((member as Record<string, unknown>)[value] ?? 0) > 0;
}

/** Members that say the same as the one of a filter, in answers that have no member of its name. */
const ALSO: Readonly<Record<string, readonly string[]>> = { outcome: ["end", "ends"] };

/** A row's own member, or that of an object inside it; else one that says the same. */
function fieldOf(row: unknown, name: string): unknown {
  return [name, ...(ALSO[name] ?? [])].map((each) => directFieldOf(row, each)).find((member) => member !== undefined);
}

function directFieldOf(row: unknown, name: string): unknown {
  if (typeof row !== "object" || row === null) return undefined;
  const record = row as Record<string, unknown>;
  if (record[name] !== undefined) return record[name];
  for (const part of Object.values(record)) {
    const inner = Array.isArray(part) ? undefined : (part as Record<string, unknown> | null | undefined)?.[name];
    if (typeof part === "object" && inner !== undefined) return inner;
  }
  return undefined;
}

/** The parts of a value at paths; a path goes through every row of a list. */
function picked(value: unknown, fields: readonly string[]): unknown {
  const tree = treeOf(fields);
  const known = fieldsOf(value);
  for (const field of fields) {
    const parents = field.split(".").map((_, i, names) => `${names.slice(0, i).join(".")}[]`);
    if (!known.has(field) && !parents.some((path) => known.has(path)))
      throw badField("fields", `one is unknown; there are: ${[...known].filter(isShallow).slice(0, NAMED).join(", ")}`);
  }
  return pick(value, tree);
}

/** How many fields are named beside one that there is not. */
const NAMED = 40;

function isShallow(path: string): boolean {
  return path.split(".").length <= 2 && !path.endsWith("[]");
}

interface Tree extends Map<string, Tree> {}

function treeOf(fields: readonly string[]): Tree {
  const tree: Tree = new Map();
  for (const field of fields) {
    let node = tree;
    for (const name of field.split(".")) {
      const next: Tree = node.get(name) ?? new Map();
      node.set(name, next);
      node = next;
    }
  }
  return tree;
}

function pick(value: unknown, tree: Tree): unknown {
  if (tree.size === 0) return value;
  if (Array.isArray(value)) return value.map((row) => pick(row, tree));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => {
      const inner = tree.get(name);
      return inner === undefined ? [] : [[name, pick(part, inner)] as const];
    }),
  );
}

/** Every path that a value has, and `path[]` of a list without rows, whose fields nobody can know. */
function fieldsOf(value: unknown, prefix = "", known = new Set<string>()): Set<string> {
  if (Array.isArray(value) && value.length === 0) known.add(`${prefix}[]`);
  if (Array.isArray(value)) for (const row of value) fieldsOf(row, prefix, known);
  else if (typeof value === "object" && value !== null)
    for (const [name, part] of Object.entries(value)) {
      const path = prefix === "" ? name : `${prefix}.${name}`;
      known.add(path);
      fieldsOf(part, path, known);
    }
  return known;
}

function paths(given: unknown): string[] {
  const list = typeof given === "string" ? given.split(",") : given;
  if (!Array.isArray(list) || list.length === 0 || !list.every((path) => typeof path === "string"))
    throw badField("fields", 'is a list of paths, as ["tasks.id","tasks.status"]');
  return list.map((path: string) => path.trim());
}

function whole(name: string, given: unknown, least: number): number {
  const n = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : given;
  if (typeof n !== "number" || !Number.isSafeInteger(n) || n < least)
    throw badField(
      name,
      name === "cursor" ? "take it from `more` of the answer before" : `is a whole number from ${least}`,
    );
  return n;
}
