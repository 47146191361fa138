import { isObject, type Json, type JsonObject } from "../../json.ts";
import { type Condition, findConditions, meets } from "../conditions/conditions.ts";
import { dayOffsetOf, formTests, type Link, linksBetween, orderLinks, type RowPair } from "../conditions/pair-links.ts";
import { searchedRows } from "../conditions/rest-filters.ts";
import { literal, member } from "../conditions/term.ts";
import type { History } from "../history.ts";
import type { Call } from "../observations.ts";
import { queriedRows, type RowQuery, wholeness } from "../tables/complete-rows.ts";
import { isClosed } from "../tables/missing.ts";
import { type Entity, type Placed, rowOf } from "../tables/tables.ts";
import { byText, canon, isScalar } from "../values.ts";
import type { Candidate } from "./fit-read.ts";

interface Question {
  readonly args: JsonObject;
  readonly shown: readonly RowPair[];
}

/** Which couples a question asks for: what its first and its second row must meet, what joins them, and the column that orders them. */
interface Rules {
  readonly first: readonly Condition[];
  readonly second: readonly Condition[];
  readonly links: readonly Link[];
  readonly order: string;
}

/** Rows that couples are made of, with their key, and how many values a join must have been seen with. */
interface PairSource {
  readonly rows: readonly JsonObject[];
  readonly key: readonly string[];
  readonly distinct: number | undefined;
}

/** Values that a join must have been seen with where an export gave all rows: of those, what does not join would show. */
const DISTINCT_GIVEN = 2;
/** Questions with an answer that the others must foretell: fewer show no rule. */
const LEAST = 2;
/** Questions that rules are tried on, and the folds they are tried in. */
const TRIED = 40;
const FOLDS = 5;
/** Couples that rules are looked for in. */
const LOOKED_AT = 2000;

/**
 * Couples of rows of one table that the arguments ask for: which rows the first and the second may be, and what joins
 * them. Only over tables that evidence shows whole, and only where every question is foretold by rules from the others.
 */
export function pairRead(
  history: History,
  tool: string,
  table: string,
  placed: Placed,
  calls: readonly Call[],
): Candidate | undefined {
  const entity = history.entities.get(table);
  if (!entity || !placed.source.place.endsWith("[][]")) return undefined;
  if (!history.complete?.has(table) && !isClosed(history, table)) return undefined;
  const base = history.base[table] ?? {};
  const questions = questionsOf(entity, placed, calls, base);
  const given = history.complete?.has(table) ?? false;
  const rest = given ? searchedRows(history, table) : [];
  const shownRows = questions?.flatMap(({ shown }) => shown.flatMap(({ a, b }) => [a, b])) ?? [];
  const filters = rest.filter(({ holds }) => shownRows.every(holds));
  const rows = Object.values(base).filter((row) => filters.every(({ holds }) => holds(row)));
  const pairSource: PairSource = { rows, key: entity.key, distinct: given ? DISTINCT_GIVEN : undefined };
  const rules = questions && rulesOf(questions, pairSource);
  if (!rules || !foretold(questions, pairSource)) return undefined;
  const { links, order } = rules;
  const shown = [...new Set(placed.source.instances.flatMap(({ row }) => Object.keys(row)))];
  const blank = (column: string) => placed.injected.has(column);
  const asked = (variable: "a" | "b"): RowQuery => ({
    table,
    variable,
    exported: given,
    tests: [
      ...filters.map(({ cel, column }) => ({ cel: cel.replace(/^row\b/, variable), column })),
      ...rules[variable === "a" ? "first" : "second"].map(({ cel, path }) => ({ cel, column: path[0] as string })),
      ...links
        .filter(({ side, cel }) => side === variable && cel !== "true")
        .map(({ cel, of }) => ({ cel, column: of })),
    ],
  });
  const ends = (expr: string) => `${queriedRows(asked("a"))}.all(a, ${expr})`;
  const needed = [...new Set([...shown, ...links.map(({ from }) => from)])].filter((column) => !blank(column));
  const couples = questions.flatMap((question) => question.shown);
  const forms = formTests(links, couples, rows);
  const comparing = new Set(links.filter(({ compares }) => compares).map(({ cel }) => cel));
  const plain: RowQuery = { ...asked("b"), tests: asked("b").tests.filter(({ cel }) => !comparing.has(cel)) };
  const lacked = needed.filter((column) => rows.some((row) => !Object.hasOwn(row, column)));
  const exists = `rows(${literal(table)}).exists(b, ${asked("b")
    .tests.map(({ cel }) => cel)
    .join(" && ")})`;
  const doubts = [
    ...wholeness(
      asked("a"),
      rows,
      links.map(({ from }) => from),
    ),
    ...(lacked.length > 0
      ? [ends(`(${lacked.map((column) => `has(${member("a", column)})`).join(" && ")}) || !${exists}`)]
      : []),
    ...forms.filter(({ side }) => side === "a").map(({ cel }) => ends(cel)),
    ...forms.filter(({ side }) => side === "b").map(({ cel }) => ends(`${queriedRows(plain)}.all(b, ${cel})`)),
    ...doubtsOf(links).map(({ cel }) => ends(`!${queriedRows(plain)}.exists(b, ${cel})`)),
    ...wholeness(asked("b"), rows, needed).map(ends),
  ];
  const sorted = (side: "a" | "b") => `${queriedRows(asked(side))}.sortBy(${side}, ${member(side, order)})`;
  const view = (side: "a" | "b") =>
    `{${shown.map((column) => `${literal(column)}: ${blank(column) ? "null" : member(side, column)}`).join(", ")}}`;
  return {
    steps: [
      ...doubts.map((expr, i) => ({
        op: "let" as const,
        name: `whole_${i + 1}`,
        expr: `(${expr} ? true : not_served())`,
      })),
      { op: "answer", expr: `${sorted("a")}.map(a, ${sorted("b")}.map(b, [${view("a")}, ${view("b")}])).flatten(1)` },
    ],
    how: `pairs ${tool}`,
  };
}

/** Distinct questions with the row pairs of their answers; undefined where an answer has none. */
function questionsOf(
  entity: Entity,
  placed: Placed,
  calls: readonly Call[],
  base: Readonly<Record<string, JsonObject>>,
): Question[] | undefined {
  const rows = new Map<JsonObject, { row: JsonObject }>();
  for (const instance of placed.source.instances) {
    const found = rowOf(entity, placed, instance);
    if (found) rows.set(instance.row, { row: { ...base[found.key], ...found.row } });
  }
  const out = new Map<string, Question>();
  for (const { ok, value, args } of calls) {
    if (!ok) continue;
    const list = listOf(value);
    if (!list) return undefined;
    const shown: RowPair[] = [];
    for (const couple of list) {
      const found = Array.isArray(couple) ? couple.map((row) => (isObject(row) ? rows.get(row) : undefined)) : [];
      const [a, b] = found;
      if (found.length !== 2 || !a || !b) return undefined;
      shown.push({ a: a.row, b: b.row });
    }
    out.set(canon(args), { args, shown });
  }
  return [...out.values()];
}

const doubtsOf = (links: readonly Link[]) => links.flatMap(({ openTests }) => openTests ?? []);

function listOf(value: Json): Json[] | undefined {
  if (Array.isArray(value)) return value;
  const lists = isObject(value) ? Object.values(value).filter((item) => Array.isArray(item)) : [];
  return lists.length === 1 ? lists[0] : undefined;
}

function rulesOf(questions: readonly Question[], { rows, key, distinct }: PairSource): Rules | undefined {
  const couples = questions.flatMap(({ args, shown }) => shown.map((rowPair) => ({ ...rowPair, args })));
  const args = [...new Set(questions.flatMap((question) => Object.keys(question.args)))].sort(byText);
  const conditions = (side: "a" | "b") => {
    const pairs = couples.map((couple) => ({ args: couple.args, row: couple[side] }));
    return [...findConditions(args, pairs, side).values()].filter(({ op }) => op === "==");
  };
  const [first, second] = [conditions("a"), conditions("b")];
  if (args.some((name) => ![...first, ...second].some(({ arg }) => arg === name))) return undefined;
  const sample = couples.slice(0, LOOKED_AT);
  const between = linksBetween(sample, distinct);
  if (between.length === 0) return undefined;
  const shift = dayOffsetOf(sample, key, rows);
  const links = shift ? [...between, shift] : between;
  // What the first row's day tells of the second's stands over what the question says of it.
  const own = second.filter(({ path }) => path[0] !== shift?.of);
  const order = orderOf(questions, key);
  const more = order && orderLinks(sample, unanswered(questions, rows, { first, second: own, links, order }, key));
  return order && more ? { first, second: own, links: [...links, ...more], order } : undefined;
}

/** The couples that rules give a question, in order. */
function* pairsBy(
  { first, second, links, order }: Rules,
  rows: readonly JsonObject[],
  args: JsonObject,
): Generator<RowPair> {
  const of = (conditions: readonly Condition[], side: "a" | "b") =>
    rows
      .filter((row) => conditions.every((condition) => meets(condition, row, args)))
      .filter((row) => side === "b" || links.every((link) => link.side === "b" || link.holds(row, row)))
      .sort((x, y) => byText(String(x[order]), String(y[order])));
  const ends = of(second, "b");
  for (const a of of(first, "a")) for (const b of ends) if (links.every((link) => link.holds(a, b))) yield { a, b };
}

const nameOf = ({ a, b }: RowPair, key: readonly string[]): string =>
  canon([...key.map((column) => a[column] ?? null), ...key.map((column) => b[column] ?? null)]);

/** Couples that a question's arguments and the joins found so far would give, and that it did not answer. */
function unanswered(
  questions: readonly Question[],
  rows: readonly JsonObject[],
  rules: Rules,
  key: readonly string[],
): RowPair[] {
  const out: RowPair[] = [];
  for (const { args, shown } of questions) {
    const there = new Set(shown.map((rowPair) => nameOf(rowPair, key)));
    for (const couple of pairsBy(rules, rows, args)) {
      if (out.length >= LOOKED_AT) return out;
      if (!there.has(nameOf(couple, key))) out.push(couple);
    }
  }
  return out;
}

/** Whether the questions are foretold by what the others show, but for those of which the others leave doubts. */
function foretold(questions: readonly Question[], pairSource: PairSource): boolean {
  const { rows, key } = pairSource;
  const answered = questions.filter(({ shown }) => shown.length > 0).slice(0, TRIED);
  let right = 0;
  for (let fold = 0; fold < FOLDS; fold++) {
    const held = answered.filter((_, i) => i % FOLDS === fold);
    const others = questions.filter((question) => !held.includes(question));
    const rules = held.length === 0 ? undefined : rulesOf(others, pairSource);
    if (!rules) continue;
    const shownBy = others.flatMap((question) => question.shown);
    const forms = formTests(rules.links, shownBy, rows);
    const plain = { ...rules, links: rules.links.filter(({ compares }) => !compares) };
    for (const { args, shown } of held) {
      const doubtful = (rowPair: RowPair) =>
        forms.some(({ side, test }) => !test(rowPair[side])) ||
        doubtsOf(rules.links).some(({ holds }) => holds(rowPair.a, rowPair.b));
      if ([...pairsBy(plain, rows, args)].some(doubtful)) continue;
      const given = [...pairsBy(rules, rows, args)].map((couple) => nameOf(couple, key));
      if (given.join() !== shown.map((couple) => nameOf(couple, key)).join()) return false;
      right++;
    }
  }
  return right >= LEAST;
}

/** The column that orders the pairs of every answer, with the fewest ties, key first; undefined where none does. */
function orderOf(questions: readonly Question[], key: readonly string[]): string | undefined {
  const [first] = questions.flatMap(({ shown }) => shown);
  const others = Object.keys(first?.a ?? {}).filter((name) => !key.includes(name) && isScalar(first?.a[name]));
  const steps = questions.flatMap(({ shown }) =>
    shown.slice(1).map((now, i) => ({ before: shown[i] as RowPair, now })),
  );
  const orders = [...key, ...others.sort(byText)].map((name) => {
    const compared = steps.map(
      ({ before, now }) =>
        byText(String(before.a[name]), String(now.a[name])) || byText(String(before.b[name]), String(now.b[name])),
    );
    return {
      name,
      holds: compared.every((order) => order <= 0),
      equal: compared.filter((order) => order === 0).length,
    };
  });
  return orders.filter(({ holds }) => holds).sort((x, y) => x.equal - y.equal)[0]?.name;
}
