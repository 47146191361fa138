import type { SearchEntry, SearchQuery } from "../../chapters/ports/store.ts";
import {
  and,
  asc,
  count,
  desc,
  doublePrecision,
  eq,
  gt,
  gte,
  inArray,
  lt,
  lte,
  pgBigint,
  pgTable,
  sql,
  text,
} from "../drizzle.ts";
import { traceIndex, traces } from "../schema.ts";
import {
  all,
  build,
  byShape,
  one,
  type Program,
  run,
  type Statement,
  statement,
  type Values,
  value,
} from "../statement.ts";
import { having, type Narrowing } from "./attributes.ts";
import { positionsOf, type Ranges } from "./trace-spans.ts";

/**
 * Search by words on PostgreSQL. Behind a row-level policy an index is asked only for what can leak nothing, which a match of
 * texts is not, unless it is a policy's own: the match is a setting of the transaction, and `trace_words` shows the rows
 * that meet it (postgres/migrations.ts, version 11). A record is searched in order of its positions, a chunk at a time, so
 * that a page of what is frequent ends early; what is rare takes ever more chunks at once. Where few traces are in the ranges
 * that are asked for, and these lie far apart, each of them is looked at instead.
 */
const traceWords = pgTable("trace_words", {
  id: pgBigint("id", { mode: "number" }).notNull(),
  org: text("org").notNull(),
  position: pgBigint("position", { mode: "number" }).notNull(),
  started_at: doublePrecision("started_at"),
  ms: doublePrecision("ms"),
  cost_usd: doublePrecision("cost_usd"),
});

/** Positions of a chunk; each entry has its record and chunk as a word. The migration has the same number. */
const CHUNK = 65_536;
const GROWTH = 4;
const MOST_CHUNKS = 64;

const given = (i: number) => sql`(cast(${value(`position${i}`)} as bigint), cast(${value(`digest${i}`)} as text),
  cast(${value(`startedAt${i}`)} as double precision), cast(${value(`ms${i}`)} as double precision),
  cast(${value(`costUsd${i}`)} as double precision), cast(${value(`words${i}`)} as text))`;
/** Only of traces that still are what their entries were made of. The words are in one table, the numbers in both. */
const insert = byShape((size: number) =>
  statement(sql`
    with given (position, digest, started_at, ms, cost_usd, words) as (values ${sql.join(
      Array.from({ length: size }, (_, i) => given(i)),
      sql`, `,
    )}), entry as (
      insert into ${traceIndex} (org, evidence, position, started_at, ms, cost_usd, words)
      select own.org, own.evidence, given.position, given.started_at, given.ms, given.cost_usd, ''
      from given cross join lateral (
        select ${traces.org}, ${traces.evidence} from ${traces}
        where ${traces.org} = ${value("org")} and ${traces.evidence} = ${value("evidence")}
          and ${traces.position} = given.position and ${traces.digest} = given.digest limit 1
      ) own
      on conflict (org, evidence, position) do nothing
      returning id, org, evidence, position, started_at, ms, cost_usd
    )
    insert into trace_words (id, org, position, started_at, ms, cost_usd, words)
    select entry.id, entry.org, entry.position, entry.started_at, entry.ms, entry.cost_usd, array_to_tsvector(array_append(
      string_to_array(given.words, ' '), 'in=' || entry.evidence || '/' || entry.position / ${sql.raw(String(CHUNK))}))
    from entry join given on given.position = entry.position`),
);

/**
 * Says the words and rules out plans that read more than matches: what is planned on a table of no statistics, or by a
 * guess, read all rows for each. No policy holds a superuser: for one the statement itself has the match.
 */
const ask = {
  query: () => sql`
    select row_security_active('trace_words') as guarded, set_config('svc.words', ${value("match")}, true),
      set_config('enable_seqscan', 'off', true), set_config('enable_nestloop', 'off', true),
      set_config('enable_bitmapscan', ${value("bitmaps")}, true),
      set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true)`,
} as Statement<{ readonly guarded: boolean }>;

const lastPosition = statement(
  build
    .select({ position: traceIndex.position })
    .from(traceIndex)
    .where(and(eq(traceIndex.org, value("org")), eq(traceIndex.evidence, value("evidence"))))
    .orderBy(desc(traceIndex.position))
    .limit(1),
);

const NUMBERS = { started: traceWords.started_at, ms: traceWords.ms, cost: traceWords.cost_usd } as const;
const INDEXED = { started: traceIndex.started_at, ms: traceIndex.ms, cost: traceIndex.cost_usd } as const;
/** Of so few traces in the ranges the positions are read first, from the ranges' indexes: no chunk beside them is searched. */
const FEW = 10_000;
const inRanges = (ranges: Ranges) =>
  and(
    eq(traceIndex.org, value("org")),
    eq(traceIndex.evidence, value("evidence")),
    ...ranges.map(([name, end]) => (end === "min" ? gte : lte)(INDEXED[name], value(`${name}_${end}`))),
  );
/** In the order of a range's index: a plan that is made for any values would read the table from its beginning. */
const byRange = ([range]: Ranges) => asc(INDEXED[range?.[0] ?? "started"]);
const extentOf = byShape((ranges: Ranges) => {
  const some = build
    .select({ position: traceIndex.position })
    .from(traceIndex)
    .where(inRanges(ranges))
    .orderBy(byRange(ranges))
    .limit(value("most"))
    .as("some");
  return statement(
    build
      .select({
        n: count().as("n"),
        first: sql<number | null>`min(${some.position})`.as("first"),
        last: sql<number | null>`max(${some.position})`.as("last"),
      })
      .from(some),
  );
});

/** What the text of a statement depends on. */
interface Shape {
  readonly guarded: boolean;
  /** Whether each trace in the ranges is looked at. */
  readonly each: boolean;
  readonly ranges: Ranges;
  readonly narrowing: Narrowing;
}

/** An array, no join: the rows are then read by their ids, whatever a planner takes a match for. */
const eachInRanges = (ranges: Ranges) =>
  sql`${traceWords.id} = any(array(
    select ${traceIndex.id} from ${traceIndex} where ${inRanges(ranges)} order by ${byRange(ranges)} limit ${value("few")}))`;

function hits({ guarded, each, ranges, narrowing }: Shape) {
  const { position } = traceWords;
  return build
    .select({
      n: sql<number>`${position}`.as("n"),
      position,
      ms: traceWords.ms,
      costUsd: sql<number | null>`${traceWords.cost_usd}`.as("costUsd"),
    })
    .from(traceWords)
    .where(
      and(
        eq(traceWords.org, value("org")),
        gt(position, value("after")),
        each ? eachInRanges(ranges) : undefined,
        guarded ? undefined : sql`words @@ cast(${value("match")} as tsquery)`,
        ...ranges.map(([name, end]) => (end === "min" ? gte : lte)(NUMBERS[name], value(`${name}_${end}`))),
        ...narrowing.map((size, i) =>
          inArray(
            position,
            having(i, size, (other) => and(gte(other, value("from")), lt(other, value("until")))),
          ),
        ),
      ),
    );
}

const selectHits = byShape((shape: Shape) =>
  statement(hits(shape).orderBy(asc(traceWords.position)).limit(value("limit"))),
);
const countHits = byShape((shape: Shape) =>
  statement(build.select({ count: count().as("count") }).from(hits(shape).limit(value("limit")).as("some"))),
);

/** A trace that was found, and `n`, by which the traces found are in order. */
export interface Hit {
  readonly n: number;
  readonly position: number;
  readonly ms: number | null;
  readonly costUsd: number | null;
}

/** What is asked: the words, and all else as `values` has it by the names of `ranges` and `narrowing`. */
export interface WordQuery extends Omit<Shape, "guarded" | "each"> {
  readonly evidence: string;
  readonly words: SearchQuery["words"];
  readonly values: Readonly<Record<string, string | number>>;
}

/** Writes entries of traces that have none, of the record of `fixed`; `words` are as one text. */
export function* addEntries(
  fixed: Values,
  entries: readonly (Omit<SearchEntry, "words"> & { readonly words: string })[],
  atOnce: number,
): Program<void> {
  const last = [...new Map(entries.map((entry) => [entry.position, entry])).values()];
  for (let i = 0; i < last.length; i += atOnce) {
    const some = last.slice(i, i + atOnce);
    const values: Record<string, Values[string]> = { ...fixed };
    for (const [n, entry] of some.entries())
      for (const [name, cell] of Object.entries(entry)) values[`${name}${n}`] = cell;
    yield* run(insert(some.length), values);
  }
}

/** The first `limit` traces after a position, in their order. */
export function* hitsAfter(query: WordQuery, after: number, limit: number): Program<Hit[]> {
  const found: Hit[] = [];
  yield* eachChunks(query, after, function* (shape, values) {
    found.push(...(yield* all(selectHits(shape), { ...values, limit: limit - found.length })));
    return found.length >= limit;
  });
  return found;
}

/** How many traces there are, counted up to `most`. */
export function* countOfHits(query: WordQuery, most: number): Program<number> {
  let found = 0;
  yield* eachChunks(query, -1, function* (shape, values) {
    found += (yield* one(countHits(shape), { ...values, limit: most - found }))?.count ?? 0;
    return found >= most;
  });
  return found;
}

/** Asks for chunk after chunk, until `each` has enough. */
function* eachChunks(
  { evidence, words, values, ...shape }: WordQuery,
  after: number,
  each: (shape: Shape, values: Values) => Program<boolean>,
): Program<void> {
  const { first, last, few } = yield* extent(shape.ranges, values, after);
  if (few && last - first >= CHUNK) {
    const match = matchText(evidence, words);
    // Without bitmaps an index over words is no choice: a look at each takes as long whatever the words are.
    const { guarded = false } = (yield* one(ask, { match, bitmaps: "off" })) ?? {};
    yield* each({ ...shape, guarded, each: true }, { ...values, after, match, few: FEW, from: first, until: last + 1 });
    return;
  }
  const end = Math.floor(last / CHUNK) + 1;
  let from = Math.floor(Math.max(after + 1, first) / CHUNK);
  for (let width = 1; from < end; width = Math.min(width * GROWTH, MOST_CHUNKS)) {
    const until = Math.min(from + width, end);
    const match = matchText(evidence, words, { from, until });
    const { guarded = false } = (yield* one(ask, { match, bitmaps: "on" })) ?? {};
    const within = { ...values, after, match, from: from * CHUNK, until: until * CHUNK };
    if (yield* each({ ...shape, guarded, each: false }, within)) return;
    from = until;
  }
}

interface Extent {
  readonly first: number;
  readonly last: number;
  /** Whether there are ranges, and few traces in them. */
  readonly few: boolean;
}

/** The first and the last position after one that a trace in the ranges may have; the last is before the first where there is none. */
function* extent(ranges: Ranges, values: Values, after: number): Program<Extent> {
  if (ranges.length > 0) {
    const { n = 0, first, last } = (yield* one(extentOf(ranges), { ...values, most: FEW + 1 })) ?? {};
    if (n <= FEW) return { first: first ?? 0, last: last ?? -1, few: true };
    const { from, until } = yield* positionsOf(ranges, values, after);
    return { first: from, last: until - 1, few: false };
  }
  return { first: 0, last: (yield* one(lastPosition, values))?.position ?? -1, few: false };
}

/** All the words, and one of the chunks of the record where some are named. */
function matchText(
  evidence: string,
  words: SearchQuery["words"],
  within?: { readonly from: number; readonly until: number },
): string {
  const { from = 0, until = 0 } = within ?? {};
  const chunks = Array.from({ length: until - from }, (_, i) => lexeme(`in=${evidence}/${from + i}`));
  return [
    ...(within === undefined ? [] : [`(${chunks.join(" | ")})`]),
    ...words.map(({ word, prefix }) => (prefix ? `${lexeme(word)}:*` : lexeme(word))),
  ].join(" & ");
}

function lexeme(word: string): string {
  return `'${word.replace(/['\\]/g, "$&$&")}'`;
}
