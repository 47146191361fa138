import type { Json, JsonObject } from "../../json.ts";
import type { History } from "../history.ts";
import type { Call } from "../observations.ts";
import { rowOf } from "../tables/tables.ts";
import { byText, isScalar } from "../values.ts";
import { findConditions, meets, type Pair } from "./conditions.ts";
import { literal, member } from "./term.ts";

/** A test of a row that no argument asks for. */
export interface RestTest {
  readonly cel: string;
  readonly column: string;
}

/** What all answered rows share and the unanswered rows do not, by chance or rule. */
export interface Rest {
  readonly tests: readonly RowTest[];
  /** Tests that no row left out denies, though rows of the table do. */
  readonly openTests: readonly RestTest[];
}

/** A test over `row` that can be put to a row. */
export interface RowTest extends RestTest {
  holds(row: JsonObject): boolean;
}

interface Candidate extends RowTest {
  readonly rank: number;
}

/** Questions that are looked at for rows left out. */
const ASKED = 200;
/** Answered rows that show a habit. */
const LEAST = 3;
const SURE = 5;
/** Tests that a search may have beside its arguments'. */
const MOST = 3;
/** The share of rows left out that no test need explain. */
const UNEXPLAINED = 0.02;
/** A column of more values than this is no state of its rows. */
const VALUES = 12;

/** What every answered row has in common: one value of a column, a column at all, nothing in one, an amount above none. */
function candidates(answered: readonly JsonObject[], columns: readonly string[]): Candidate[] {
  return columns.flatMap((column): Candidate[] => {
    const it = member("row", column);
    const values = answered.map((row) => row[column]);
    const [first] = values;
    const out: Candidate[] = [];
    const add = (cel: string, rank: number, holds: Candidate["holds"]) => out.push({ cel, column, rank, holds });
    if (isScalar(first) && values.every((value) => value === first))
      add(`${it} == ${literal(first)}`, 0, (row) => row[column] === first);
    if (values.every((value) => value === null || value === undefined))
      add(`${it} == null`, 1, (row) => row[column] === null || row[column] === undefined);
    if (values.every((value) => typeof value === "number" && value > 0))
      add(`${it} > 0`, 2, (row) => typeof row[column] === "number" && row[column] > 0);
    if (values.every((value) => value !== null && value !== undefined))
      add(`${it} != null`, 3, (row) => row[column] !== null && row[column] !== undefined);
    return out;
  });
}

/** Tests that separate answered from unanswered rows of a completely exported table; undefined where there are none. */
export function restFilters(
  answered: readonly JsonObject[],
  left: readonly JsonObject[],
  rows: readonly JsonObject[],
): Rest | undefined {
  if (answered.length < LEAST) return left.length === 0 ? { tests: [], openTests: [] } : undefined;
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].sort(byText);
  const common = candidates(answered, columns);
  const tests: Candidate[] = [];
  let open = left;
  while (open.length > left.length * UNEXPLAINED && tests.length < MOST) {
    const [best] = common
      .map((test) => ({ test, rest: open.filter(test.holds) }))
      .filter(({ rest }) => rest.length < open.length)
      .sort(
        (a, b) => a.rest.length - b.rest.length || a.test.rank - b.test.rank || byText(a.test.column, b.test.column),
      );
    if (!best) return undefined;
    tests.push(best.test);
    open = best.rest;
  }
  const passing = rows.filter((row) => tests.every((test) => test.holds(row)));
  const openTests =
    answered.length < SURE
      ? []
      : common.filter(
          ({ rank, column, holds }) => rank === 0 && few(rows, column) && passing.some((row) => !holds(row)),
        );
  return { tests, openTests };
}

function few(rows: readonly JsonObject[], column: string): boolean {
  const values = new Set<Json | undefined>();
  for (const row of rows) if (values.size <= VALUES) values.add(row[column]);
  return values.size <= VALUES;
}

/** What plain searches of a table that an export gave whole tell of the rows that they never answer. */
export function searchedRows(history: History, table: string): readonly RowTest[] {
  const entity = history.entities.get(table);
  const base = history.base[table] ?? {};
  const rows = Object.entries(base);
  for (const placed of entity?.placed ?? []) {
    const { list, place, instances } = placed.source;
    if (!entity || !list || place.endsWith("[][]")) continue;
    const byCall = new Map<Call, Set<string>>();
    const pairs: Pair[] = [];
    for (const instance of instances) {
      const found = rowOf(entity, placed, instance);
      if (!found) continue;
      byCall.set(instance.call, (byCall.get(instance.call) ?? new Set()).add(found.key));
      pairs.push({ args: instance.call.args, row: { ...base[found.key], ...found.row } });
    }
    const args = [...new Set(pairs.flatMap((pair) => Object.keys(pair.args)))].sort(byText);
    const conditions = [...findConditions(args, pairs, "row").values()];
    if (conditions.length < args.length) continue;
    const left = [...byCall]
      .slice(0, ASKED)
      .flatMap(([call, keys]) =>
        rows.flatMap(([key, row]) =>
          !keys.has(key) && conditions.every((condition) => meets(condition, row, call.args)) ? [row] : [],
        ),
      );
    const rest = restFilters(
      pairs.map(({ row }) => row),
      left,
      rows.map(([, row]) => row),
    );
    if (rest && rest.tests.length > 0) return rest.tests;
  }
  return [];
}
