import type { Json, JsonObject } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import { canon, same } from "../../values.ts";
import type { Env, Expr, Row, Value } from "../expressions/expr.ts";
import { arg } from "../expressions/expr.ts";
import { type Names, print } from "../expressions/print.ts";
import { type Domains, outside, printOutside } from "./domains.ts";
import { type Filter, given, isGiven } from "./filters.ts";
import { type ExportTable, MADE, type Order, RUN, TIE, UNLISTED } from "./tables.ts";

/** How a narrower question's argument stands to a wider one's: the same, a text that holds it, no less, or no more. */
export type Relation = "same" | "part" | "from" | "to";

/** The last row of a list that may have been cut. */
export interface Last {
  readonly key: string;
  readonly place: number;
  readonly value: Json;
  readonly tie: Json;
  readonly run: Json;
}

/** A question whose list showed all rows that meet it, or all up to one. */
export interface Question {
  readonly args: JsonObject;
  readonly upTo: Last | undefined;
}

/**
 * What lists of a table of which not every row is known showed to be all there is. No row that nobody saw meets a
 * question that is narrower than one of these, or a part of it that stands before the last row that was shown.
 */
export interface CompleteLists {
  readonly relations: ReadonlyMap<string, Relation>;
  readonly questions: readonly Question[];
  /** Entries of the longest list that was observed: one of as many may have been cut. */
  readonly longest: number;
  /** What lists are in order of, where a column says it. */
  readonly sorted: Order | undefined;
  /** Whether lists keep the order in which rows came to be, whatever is changed. */
  readonly kept: boolean;
  /** Arguments that end a list, in its order, at a value of the column that it is in order of. */
  readonly ends: readonly string[];
  readonly domains: Domains;
}

/** Questions that are kept, at most. */
const MOST = 400;

/** A list with the keys that it showed, all of them known rows. */
export interface Shown {
  readonly args: JsonObject;
  readonly keys: readonly string[];
}

/** What lists show to be whole: those of `lists` that the filters explain. */
export function completeListsOf(
  lists: readonly Shown[],
  filters: readonly Filter[],
  table: ExportTable,
  order: Order | undefined,
  longest: number,
  domains: Domains,
): CompleteLists {
  const relations = new Map(filters.map(({ name, atoms }) => [name, relationOf(atoms)]));
  const places = new Map([...table.rows.keys()].map((key, i) => [key, i]));
  const sorted = order ?? table.shown?.sorted;
  const base = {
    relations,
    longest,
    sorted,
    kept: order === undefined,
    ends: endsOf(relations, filters, sorted),
    domains,
  };
  const all = new Map<string, Question>();
  for (const { args: every, keys } of lists) {
    const args = Object.fromEntries(
      Object.entries(every)
        .filter(([name]) => relations.has(name) && isGiven(every, name))
        .map(([name, value]) => [
          name,
          relations.get(name) === "part" && typeof value === "string" ? value.toLowerCase() : value,
        ]),
    );
    if (Object.entries(args).some(([name, value]) => relations.get(name) === "part" && typeof value !== "string"))
      continue;
    const key = keys.length >= longest ? keys.at(-1) : undefined;
    const row = key === undefined ? undefined : table.rows.get(key);
    if (key !== undefined && !row) continue;
    const upTo =
      key === undefined
        ? undefined
        : {
            key,
            place: places.get(key) as number,
            value: sorted ? (row?.[sorted.by] ?? null) : null,
            tie: row?.[TIE] ?? null,
            run: row?.[RUN] ?? null,
          };
    all.set(canon(args), { args, upTo });
  }
  const widest = [...all.values()].sort((a, b) => Object.keys(a.args).length - Object.keys(b.args).length);
  const questions: Question[] = [];
  for (const one of widest) {
    if (questions.length >= MOST) break;
    const within = questions.some(
      ({ args, upTo }) =>
        narrower(base, one.args, args) &&
        (!upTo || (one.upTo && one.upTo.place <= upTo.place && !beyond(one.upTo, upTo))),
    );
    if (!within) questions.push(one);
  }
  return { ...base, questions };
}

const beyond = (one: Last, other: Last): boolean => one.tie !== null && one.tie === other.tie && one.run !== other.run;

function relationOf(atoms: readonly Expr[]): Relation {
  const kinds = new Set(atoms.map(kindOf));
  const [only] = kinds;
  return kinds.size === 1 && only ? only : "same";
}

function kindOf(expr: Expr): Relation {
  if (expr.op === "holds") return "part";
  if (expr.op === "or") return kindOf(expr.a) === "part" && kindOf(expr.b) === "part" ? "part" : "same";
  if (expr.op === "most" || expr.op === "less") return expr.a.op === "arg" ? "from" : "to";
  return "same";
}

function implied(relation: Relation | undefined, asked: Json | undefined, wide: Json | undefined): boolean {
  if (same(asked, wide)) return true;
  if (relation === "part")
    return typeof asked === "string" && typeof wide === "string" && asked.toLowerCase().includes(wide);
  if (relation !== "from" && relation !== "to") return false;
  const comparable = typeof asked === typeof wide && (typeof asked === "string" || typeof asked === "number");
  if (!comparable) return false;
  return relation === "from" ? (asked as string) >= (wide as string) : (asked as string) <= (wide as string);
}

/** Whether whatever meets one question meets another. */
const narrower = ({ relations }: Pick<CompleteLists, "relations">, args: Env["args"], wide: JsonObject): boolean =>
  Object.entries(wide).every(([name, value]) => isGiven(args, name) && implied(relations.get(name), args[name], value));

/** Whether no row that nobody saw is among those that are listed: `keys` are the known rows that meet the question, in order. */
export function covered(
  completeLists: CompleteLists,
  args: Env["args"],
  keys: readonly string[],
  limit: number | undefined,
  rows: ReadonlyMap<string, Row>,
  places: ReadonlyMap<string, number>,
): boolean {
  if (limit === undefined && keys.length > completeLists.longest) return false;
  const edge = limit !== undefined && keys.length >= limit ? keys[limit - 1] : undefined;
  if (outside(completeLists.domains, args)) return true;
  return completeLists.questions.some(({ args: wide, upTo }) => {
    if (!narrower(completeLists, args, wide)) return false;
    if (!upTo) return true;
    if (edge !== undefined && before(completeLists, edge, upTo, rows, places)) return true;
    return endsBefore(completeLists, args, upTo);
  });
}

/** Whether a row stands no later than the last of a list. */
function before(
  { sorted, kept }: CompleteLists,
  key: string,
  last: Last,
  rows: ReadonlyMap<string, Row>,
  places: ReadonlyMap<string, number>,
): boolean {
  const row = rows.get(key);
  if (kept) {
    if (key === last.key) return true;
    const sure = (row?.[TIE] ?? null) === null || row?.[TIE] !== last.tie || row?.[RUN] === last.run;
    return sure && (places.get(key) ?? Number.POSITIVE_INFINITY) < last.place;
  }
  const value = sorted && row?.[sorted.by];
  return less(value, last.value, sorted?.descending === true);
}

function less(a: Value | undefined, b: Json, descending: boolean): boolean {
  if (typeof a !== typeof b || (typeof a !== "string" && typeof a !== "number")) return false;
  return descending ? a > (b as string) : a < (b as string);
}

const endsOf = (
  relations: ReadonlyMap<string, Relation>,
  filters: readonly Filter[],
  sorted: Order | undefined,
): string[] =>
  filters
    .filter(({ name, atoms }) => {
      const wanted = sorted?.descending ? "from" : "to";
      return relations.get(name) === wanted && atoms.every((atom) => sorted !== undefined && restsOn(atom, sorted.by));
    })
    .map(({ name }) => name);

const restsOn = (expr: Expr, column: string): boolean =>
  (expr.op === "most" || expr.op === "less") &&
  [expr.a, expr.b].some((side) => side.op === "column" && side.name === column);

const endsBefore = ({ ends, sorted }: CompleteLists, args: Env["args"], last: Last): boolean =>
  ends.some((name) => isGiven(args, name) && less(args[name], last.value, sorted?.descending === true));

/** Whether rows that are listed stand in no order that is known; `keys` are all that meet a question. */
export function disordered(
  { kept }: CompleteLists,
  keys: readonly string[],
  limit: number | undefined,
  rows: ReadonlyMap<string, Row>,
): boolean {
  const edge = limit !== undefined && keys.length >= limit ? rows.get(keys[limit - 1] as string) : undefined;
  const runs = new Map<Value, Value>();
  for (const [i, key] of keys.entries()) {
    const row = rows.get(key);
    const tie = row?.[TIE];
    if (tie === undefined || tie === null) continue;
    // Of rows past the last listed one those alone may stand elsewhere that are tied with it.
    if (kept && edge && i >= (limit as number) && tie !== edge[TIE]) continue;
    if (runs.has(tie) && runs.get(tie) !== row?.[RUN]) return true;
    runs.set(tie, row?.[RUN] as Value);
  }
  return false;
}

/** The questions as rows of a table of their own: each argument in a column, and the last row where the list may have been cut. */
export function questionRows(completeLists: CompleteLists): Record<string, JsonObject> {
  const names = [...completeLists.relations.keys()];
  return Object.fromEntries(
    completeLists.questions.map(({ args, upTo }, i) => [
      String(i),
      {
        n: String(i),
        ...Object.fromEntries(names.map((name, at) => [`a${at}`, args[name] ?? null])),
        cut: upTo !== undefined,
        ...(upTo
          ? { last: upTo.key, place: upTo.place, value: upTo.value, tie: upTo.tie, run: upTo.run }
          : { last: null, place: null, value: null, tie: null, run: null }),
      },
    ]),
  );
}

/**
 * The condition in the stored language that no row which nobody saw is listed. `asked` is the table of questions,
 * `known` that of texts which rows are known to have, `edge` the name of the last listed row where as many are listed as ever are.
 */
export function printCovered(
  completeLists: CompleteLists,
  asked: string,
  known: string,
  edge: string,
  key: string,
  column: (name: string) => string,
  names: Names,
): string {
  const at = { names };
  const tests = [...completeLists.relations].map(([name, relation], i) => {
    const value = print(arg(name), at);
    const wide = `q.a${i}`;
    const test =
      relation === "same"
        ? `${value} == ${wide}`
        : relation === "part"
          ? `type(${value}) == "string" && ${value}.lower().contains(${wide})`
          : `type(${value}) == type(${wide}) && ${value} ${relation === "from" ? ">=" : "<="} ${wide}`;
    return `(${wide} == null || (${print(given(name), at)} && ${test}))`;
  });
  if (completeLists.questions.some(({ upTo }) => upTo)) {
    const op = completeLists.sorted?.descending ? ">" : "<";
    const stands = completeLists.kept
      ? `(string(${edge}.${key}) == q.last || (${edge}.${MADE} < q.place && (${edge}.${TIE} == null || ${edge}.${TIE} != q.tie || ${edge}.${RUN} == q.run)))`
      : completeLists.sorted
        ? `${edge}.${column(completeLists.sorted.by)} ${op} q.value`
        : "false";
    const ended = completeLists.ends.map(
      (name) => `(${print(given(name), at)} && ${print(arg(name), at)} ${op} q.value)`,
    );
    tests.push(`(!q.cut || (${edge} != null && ${stands})${ended.map((test) => ` || ${test}`).join("")})`);
  }
  const seen = `rows(${literal(asked)}).exists(q, ${tests.length === 0 ? "true" : tests.join(" && ")})`;
  return `(${[...printOutside(completeLists.domains, known, names), seen].join(" || ")})`;
}

/** Whether no list showed a row. */
export const isUnlisted = (row: Row): boolean => row[UNLISTED] === 1 || row[UNLISTED] === 2;
