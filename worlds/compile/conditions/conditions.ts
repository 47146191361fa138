import type { Json, JsonObject } from "../../json.ts";
import { at, isScalar, scalarPaths } from "../values.ts";

/** A test of a row against an argument, as an expression over `row`. */
export interface Condition {
  readonly cel: string;
  readonly path: readonly string[];
  readonly arg: string;
  readonly op: "==" | "lower" | "contains" | ">=" | "<=" | "has" | "in" | "positive" | "flag" | "unflag";
}

/** One answered question: its arguments, and a row that it answered. */
export interface Pair {
  readonly args: JsonObject;
  readonly row: JsonObject;
}

const WORD = /^[A-Za-z_]\w*$/;

function pathCel(variable: string, path: readonly string[]): string {
  return path.reduce((cel, key) => (WORD.test(key) ? `${cel}.${key}` : `${cel}[${JSON.stringify(key)}]`), variable);
}

function lower(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value.toLowerCase() : undefined;
}

const TESTS: readonly {
  op: Condition["op"];
  holds(row: Json | undefined, arg: Json): boolean;
  cel(row: string, arg: string): string;
}[] = [
  { op: "==", holds: (row, arg) => row === arg, cel: (row, arg) => `${row} == ${arg}` },
  {
    op: "lower",
    holds: (row, arg) => lower(row) !== undefined && lower(row) === lower(arg),
    cel: (row, arg) => `${row}.lower() == ${arg}.lower()`,
  },
  { op: "has", holds: (row, arg) => Array.isArray(row) && row.includes(arg), cel: (row, arg) => `${arg} in ${row}` },
  {
    op: "in",
    holds: (row, arg) => Array.isArray(arg) && isScalar(row) && arg.includes(row),
    cel: (row, arg) => `${row} in ${arg}`,
  },
  {
    op: "contains",
    holds: (row, arg) => (lower(arg)?.length ?? 0) > 0 && (lower(row)?.includes(lower(arg) as string) ?? false),
    cel: (row, arg) => `${row}.lower().contains(${arg}.lower())`,
  },
  {
    op: ">=",
    holds: (row, arg) => typeof row === typeof arg && isScalar(row) && (row as number) >= (arg as number),
    cel: (row, arg) => `${row} >= ${arg}`,
  },
  {
    op: "<=",
    holds: (row, arg) => typeof row === typeof arg && isScalar(row) && (row as number) <= (arg as number),
    cel: (row, arg) => `${row} <= ${arg}`,
  },
  {
    op: "positive",
    holds: (row, arg) => arg === false || (typeof row === "number" && row > 0),
    cel: (row, arg) => `(!${arg} || ${row} > 0)`,
  },
  { op: "flag", holds: (row, arg) => arg === false || row === true, cel: (row, arg) => `(!${arg} || ${row} == true)` },
  {
    op: "unflag",
    holds: (row, arg) => arg === false || row === false || row === null,
    cel: (row, arg) => `(!${arg} || ${row} != true)`,
  },
];

function nameScore(arg: string, path: readonly string[], op: Condition["op"]): number {
  const words = arg.toLowerCase().split(/[^a-z]+/);
  const column = (path.at(-1) ?? "").toLowerCase();
  const all = path.join("_").toLowerCase();
  let score = arg.toLowerCase() === column ? 3 : words.some((word) => word.length > 2 && all.includes(word)) ? 2 : 0;
  if (op === ">=") score += words.some((word) => /^(min|from|after|since|start)$/.test(word)) ? 1 : -1;
  if (op === "<=") score += words.some((word) => /^(max|to|before|until|end)$/.test(word)) ? 1 : -1;
  return score;
}

function paths(rows: readonly JsonObject[]): string[][] {
  const out = new Map<string, string[]>();
  for (const row of rows.slice(0, 50)) {
    for (const [path] of scalarPaths(row)) out.set(path.join("\u0000"), path);
    for (const key of Object.keys(row)) if (Array.isArray(row[key])) out.set(key, [key]);
  }
  return [...out.values()];
}

/** A condition per argument that all answered rows meet, equality first; undefined where an argument has none. */
export function findConditions(
  args: readonly string[],
  pairs: readonly Pair[],
  variable: string,
  tolerance = 0,
): Map<string, Condition> {
  const out = new Map<string, Condition>();
  const columns = paths(pairs.map((pair) => pair.row));
  for (const arg of args) {
    const asked = pairs.filter((pair) => pair.args[arg] !== undefined && pair.args[arg] !== null);
    if (asked.length === 0) continue;
    let best: { condition: Condition; score: number } | undefined;
    for (const path of columns)
      for (const [rank, test] of TESTS.entries()) {
        const switched = rank > 6;
        if (switched && !asked.every((pair) => typeof pair.args[arg] === "boolean")) continue;
        const known = asked.filter((pair) => at(pair.row, path) !== undefined);
        if (known.length < asked.length * 0.5) continue;
        const misses = known.filter((pair) => !test.holds(at(pair.row, path), pair.args[arg] as Json)).length;
        if (misses > asked.length * tolerance) continue;
        const score = nameScore(arg, path, test.op) - (switched ? rank - 6 : rank) * 0.6;
        if ((rank >= 5 && !switched && score < -2.6) || (best && best.score >= score)) continue;
        best = { condition: { cel: test.cel(pathCel(variable, path), `args.${arg}`), path, arg, op: test.op }, score };
        if (rank === 0) break;
      }
    if (best) out.set(arg, best.condition);
  }
  return out;
}

/** Whether a row meets a condition under some arguments; an absent argument asks for nothing. */
export function meets(condition: Condition, row: JsonObject, args: JsonObject): boolean {
  const arg = args[condition.arg];
  if (arg === undefined || arg === null) return true;
  return TESTS.find((test) => test.op === condition.op)?.holds(at(row, condition.path), arg) ?? false;
}
