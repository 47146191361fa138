import type { SQL } from "drizzle-orm";
import type { Page, PageInput } from "../../chapters/page.ts";
import type {
  FoundTrace,
  Range,
  SearchEntry,
  SearchQuery,
  TraceNumber,
  TraceSearch,
} from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, count, desc, eq, exists, gte, inArray, isNotNull, isNull, lt, lte, sql } from "../drizzle.ts";
import { atPositions, fill } from "../placeholders.ts";
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
import { having, type Narrowing, narrow } from "./attributes.ts";
import { OrgRepository } from "./org-repository.ts";
import { joined, matchText, ofRecord } from "./search-words.ts";
import { type NumberName, positionsOf, type Ranges } from "./trace-spans.ts";
import { addEntries, countOfHits, type Hit, hitsAfter, type WordQuery } from "./word-hits.ts";

const ofEvidence = and(eq(traceIndex.org, value("org")), eq(traceIndex.evidence, value("evidence")));
const countEntries = statement(
  build
    .select({ count: count().as("count") })
    .from(traceIndex)
    .where(ofEvidence),
);
/** A value, no join: planners join the whole record before they take what is missing first. */
const ownEntry = build
  .select({ id: traceIndex.id })
  .from(traceIndex)
  .where(
    and(
      eq(traceIndex.org, value("org")),
      eq(traceIndex.evidence, value("evidence")),
      eq(traceIndex.position, traces.position),
    ),
  );
const selectMissing = statement(
  build
    .select({ position: traces.position })
    .from(traces)
    .where(
      and(
        eq(traces.org, value("org")),
        eq(traces.evidence, value("evidence")),
        gte(traces.position, value("from")),
        isNull(sql`(${ownEntry})`),
      ),
    )
    .orderBy(asc(traces.position))
    .limit(value("limit")),
);
/** Only of a trace that still is what the entry was made of. SQLite's full-text table is filled by a trigger. */
const insert = statement(sql`
  insert into ${traceIndex} (org, evidence, position, started_at, ms, cost_usd, words)
  select ${traces.org}, ${traces.evidence}, ${traces.position}, cast(${value("startedAt")} as double precision),
    cast(${value("ms")} as double precision), cast(${value("costUsd")} as double precision), cast(${value("words")} as text)
  from ${traces}
  where ${traces.org} = ${value("org")} and ${traces.evidence} = ${value("evidence")}
    and ${traces.position} = ${value("position")} and ${traces.digest} = ${value("digest")}
  on conflict (org, evidence, position) do nothing`);

const NUMBERS = { started: traceIndex.started_at, ms: traceIndex.ms, cost: traceIndex.cost_usd } as const;

/** What of a query the text of its statement depends on. */
interface Shape {
  /** How many words SQLite is asked for; PostgreSQL's are not in this statement. */
  readonly words: number;
  readonly follows: boolean;
  readonly ranges: Ranges;
  /** Whether few traces are in the ranges: those are read by the ranges' index, and all else is asked of them. */
  readonly few: boolean;
  readonly narrowing: Narrowing;
}

/** Whether SQLite's full-text table is asked; of few traces the words are looked for in each. */
function byFullText({ words, few }: Shape): boolean {
  return words > 0 && !few;
}

/** SQLite reads what matches in the order of its ids, so that a page of many ends early. */
function from(shape: Shape): SQL {
  return byFullText(shape) ? sql`trace_words cross join ${traceIndex}` : sql`${traceIndex}`;
}

/** By what pages are in order: a page of words as the full-text table has it, of ranges alone as their spans do. */
function place({ words }: Shape) {
  return words === 0 ? traceIndex.position : traceIndex.id;
}

/** A sum is no column: the planner then takes the ranges' index and sorts the few, or leaves that and reads in order. */
function order(shape: Shape): SQL {
  if (byFullText(shape)) return sql`trace_words.rowid`;
  return shape.few ? sql`(${place(shape)} + 0)` : sql`${place(shape)}`;
}

/** Whether only the chunks are read that may hold something of the ranges. */
function spanned({ words, ranges, few }: Shape): boolean {
  return words === 0 && ranges.length > 0 && !few;
}

function hasWords(shape: Shape): SQL | undefined {
  const { words } = shape;
  if (words === 0) return undefined;
  if (byFullText(shape)) return sql`trace_words match ${value("match")} and trace_words.rowid = ${traceIndex.id}`;
  return and(
    ...Array.from({ length: words }, (_, i) => sql`instr(' ' || ${traceIndex.words} || ' ', ${value(`word${i}`)}) > 0`),
  );
}

function inRanges({ ranges, few }: Pick<Shape, "ranges" | "few">): (SQL | undefined)[] {
  return ranges.map(([name, end]) => {
    const column = few ? sql`${NUMBERS[name]}` : sql`(${NUMBERS[name]} + 0)`;
    return (end === "min" ? gte : lte)(column, value(`${name}_${end}`));
  });
}

function meets(shape: Shape): SQL | undefined {
  const { follows, narrowing } = shape;
  return and(
    ofEvidence,
    hasWords(shape),
    follows ? sql`${order(shape)} > ${value("after")}` : undefined,
    ...(spanned(shape) ? [gte(traceIndex.position, value("from")), lt(traceIndex.position, value("until"))] : []),
    ...inRanges(shape),
    ...narrowing.map((size, i) => inArray(traceIndex.position, having(i, size))),
  );
}

/** Of their heads nothing is joined: a planner without statistics joins all that is found before it takes a page. */
const selectHits = byShape((shape: Shape) =>
  statement(
    build
      .select({
        n: sql<number>`${place(shape)}`.as("n"),
        position: sql<number>`${traceIndex.position}`.as("position"),
        ms: sql<number | null>`${traceIndex.ms}`.as("ms"),
        costUsd: sql<number | null>`${traceIndex.cost_usd}`.as("costUsd"),
      })
      .from(from(shape))
      .where(meets(shape))
      .orderBy(order(shape))
      .limit(value("limit")),
  ),
);
/** A page of one record by a number: in the order of that number's index, which has no entry without it. */
const selectRanked = byShape(
  ({ number, first, follows }: { readonly number: TraceNumber; readonly first: string; readonly follows: boolean }) => {
    const column = NUMBERS[number];
    const way = first === "most" ? desc : asc;
    const beyond = sql.raw(first === "most" ? "<" : ">");
    return statement(
      build
        .select({
          n: sql<number>`${traceIndex.id}`.as("n"),
          key: sql<number>`${column}`.as("key"),
          position: sql<number>`${traceIndex.position}`.as("position"),
          ms: sql<number | null>`${traceIndex.ms}`.as("ms"),
          costUsd: sql<number | null>`${traceIndex.cost_usd}`.as("costUsd"),
        })
        .from(traceIndex)
        .where(
          and(
            ofEvidence,
            isNotNull(column),
            follows
              ? sql`(${column}, ${traceIndex.id}) ${beyond} (cast(${value("key")} as double precision), cast(${value("after")} as bigint))`
              : undefined,
          ),
        )
        .orderBy(way(column), way(traceIndex.id))
        .limit(value("limit")),
    );
  },
);
const selectHeads = byShape((size: number) =>
  statement(
    build
      .select({
        id: traces.id,
        evidence: traces.evidence,
        position: traces.position,
        session: traces.session,
        startedAt: sql<number | null>`${traces.started_at}`.as("startedAt"),
        calls: traces.calls,
        digest: traces.digest,
      })
      .from(traces)
      .where(atPositions(traces, size)),
  ),
);
/** The record's own word is in the match: where the record is the org's, no row of it need be read to be counted. */
const countWords = statement(
  build.select({ count: count().as("count") }).from(
    build
      .select({ id: sql<number>`trace_words.rowid`.as("id") })
      .from(sql`trace_words`)
      .where(
        and(
          sql`trace_words match ${value("match")}`,
          exists(
            build
              .select({ id: sql<number>`${traceIndex.id}`.as("own") })
              .from(traceIndex)
              .where(ofEvidence),
          ),
        ),
      )
      .limit(value("most"))
      .as("some"),
  ),
);
const countFound = byShape((shape: Shape) => {
  const some = build
    .select({ id: sql<number>`${traceIndex.id}`.as("id") })
    .from(from(shape))
    .where(meets(shape))
    // In order PostgreSQL reads no more of the table than what is counted.
    .orderBy(...(spanned(shape) ? [order(shape)] : []))
    .limit(value("most"))
    .as("some");
  return statement(build.select({ count: count().as("count") }).from(some));
});

/** How many traces are in the ranges, counted up to `most`. */
const countInRanges = byShape((ranges: Ranges) => {
  const some = build
    .select({ id: sql<number>`${traceIndex.id}`.as("id") })
    .from(traceIndex)
    .where(and(ofEvidence, ...inRanges({ ranges, few: true })))
    // In the order of a range's index, which a plan for any values then takes.
    .orderBy(asc(NUMBERS[ranges[0]?.[0] ?? "started"]))
    .limit(value("most"))
    .as("some");
  return statement(build.select({ count: count().as("count") }).from(some));
});

/** For a planner that takes a record for small, which one is that is unlike most: it compares each trace with each of a value. */
const noNestedLoops = {
  query: () => sql`select set_config('enable_nestloop', 'off', true)`,
} as Statement<unknown>;

/** So many traces of ranges are read one by one and sorted. */
const FEW = 10_000;

/** Search over traces of one org: SQLite's FTS5, PostgreSQL's own text search (word-hits.ts). */
export class SearchRepository extends OrgRepository implements TraceSearch {
  async indexed(evidence: string): Promise<number> {
    return (await this.engine.read(() => one(countEntries, { org: this.org, evidence })))?.count ?? 0;
  }

  async missing(evidence: string, from: number, limit: number): Promise<number[]> {
    const rows = await this.engine.read(() => all(selectMissing, { org: this.org, evidence, from, limit }));
    return rows.map(({ position }) => position);
  }

  async add(evidence: string, entries: readonly SearchEntry[]): Promise<void> {
    const fixed = { org: this.org, evidence };
    const { dialect, rowsPerInsert } = this.engine;
    await this.engine.write(function* () {
      if (dialect === "postgres") {
        const whole = entries.map(({ words, ...entry }) => ({ ...entry, words: joined(words) }));
        return yield* addEntries(fixed, whole, rowsPerInsert);
      }
      for (const { words, ...entry } of entries)
        yield* run(insert, { ...fixed, ...entry, words: joined([ofRecord(evidence), ...words]) });
    });
  }

  async find(evidence: string, query: SearchQuery, page?: PageInput): Promise<Page<FoundTrace>> {
    const limit = pageLimit(page);
    const after = cursorKey("found", "n", page)?.[0];
    const asked = this.#asked(evidence, query);
    if (!asked) return { items: [] };
    const hits = asked.byWords
      ? await this.engine.write(() => hitsAfter(asked, Number(after ?? -1), limit + 1))
      : await this.#hitsInPlan(asked, after, limit + 1);
    const found = pageOf(
      "found",
      hits,
      limit,
      ({ n }) => [Number(n)],
      (hit) => hit,
    );
    return { ...found, items: await this.#told(evidence, found.items) };
  }

  async ranked(
    evidence: string,
    { number, first }: { readonly number: TraceNumber; readonly first: "most" | "least" },
    page?: PageInput,
  ): Promise<Page<FoundTrace>> {
    const limit = pageLimit(page);
    const list = `${number} ${first}`;
    const [key, after] = cursorKey(list, "nn", page) ?? [];
    const fixed = { org: this.org, evidence };
    const asked = { ...fixed, limit: limit + 1, ...(key === undefined || after === undefined ? {} : { key, after }) };
    const ranked = selectRanked({ number, first, follows: key !== undefined });
    const hits = await this.engine.read(() => all(ranked, asked));
    const found = pageOf(
      list,
      hits,
      limit,
      (hit) => [Number(hit.key), Number(hit.n)],
      (hit) => hit,
    );
    return { ...found, items: await this.#told(evidence, found.items) };
  }

  async count(evidence: string, query: SearchQuery, most: number): Promise<number> {
    const asked = this.#asked(evidence, query);
    if (!asked) return 0;
    // What PostgreSQL is told of the words lasts as long as a transaction.
    if (asked.byWords) return this.engine.write(() => countOfHits(asked, most));
    const { shape, values } = await this.#planned(asked, undefined);
    const wordsAlone = byFullText(shape) && shape.ranges.length === 0 && shape.narrowing.length === 0;
    const counting = wordsAlone ? countWords : countFound(shape);
    return (await this.#inPlan(shape, () => one(counting, { ...values, most })))?.count ?? 0;
  }

  async #hitsInPlan(asked: WordQuery, after: string | number | undefined, limit: number) {
    const { shape, values } = await this.#planned(asked, after);
    return this.#inPlan(shape, () => all(selectHits(shape), { ...values, limit }));
  }

  async #inPlan<T>({ narrowing }: Shape, program: () => Program<T>): Promise<T> {
    if (narrowing.length === 0 || this.engine.dialect !== "postgres") return this.engine.read(program);
    return this.engine.write(function* () {
      yield* one(noNestedLoops, {});
      return yield* program();
    });
  }

  /** Hits as lists tell them: read apart, since what rules plans out for hits would rule out the one by their keys. */
  async #told(evidence: string, hits: readonly Hit[]): Promise<FoundTrace[]> {
    if (hits.length === 0) return [];
    const asked: Record<string, string | number> = { org: this.org, evidence };
    const positions = hits.map(({ position }) => position);
    const ofHits = selectHeads(fill(asked, "position", positions));
    const heads = await this.engine.read(() => all(ofHits, asked));
    const byPosition = new Map(heads.map((head) => [head.position, head]));
    // One that was deleted between the two reads is left out.
    return hits.flatMap(({ position, ms, costUsd }) => {
      const head = byPosition.get(position);
      return head === undefined ? [] : [{ ...head, startedAt: head.startedAt ?? undefined, ms, costUsd }];
    });
  }

  /** A query as values and what its statement depends on; undefined where its selection leaves nothing. */
  #asked(evidence: string, query: SearchQuery): (WordQuery & { readonly byWords: boolean }) | undefined {
    const values: Record<string, string | number> = { org: this.org, evidence };
    const narrowing = narrow(query.selection ?? {}, values);
    if (narrowing === undefined) return undefined;
    const ranges: Ranges[number][] = [];
    for (const name of Object.keys(NUMBERS) as NumberName[])
      for (const end of ["min", "max"] as const) {
        const bound = (query[name] as Range | undefined)?.[end];
        if (bound === undefined) continue;
        ranges.push([name, end]);
        values[`${name}_${end}`] = bound;
      }
    const { words } = query;
    const byWords = this.engine.dialect === "postgres" && words.length > 0;
    return { evidence, words, ranges, narrowing, values, byWords };
  }

  /** The shape and values of a query of one statement. */
  async #planned({ evidence, words, ranges, narrowing, values }: WordQuery, after: string | number | undefined) {
    const few = ranges.length > 0 && (await this.#isFew(ranges, values));
    const shape: Shape = { words: words.length, follows: after !== undefined, ranges, few, narrowing };
    const sought = few
      ? Object.fromEntries(words.map(({ word, prefix }, i) => [`word${i}`, prefix ? ` ${word}` : ` ${word} `]))
      : { match: matchText(evidence, words) };
    const read = spanned(shape)
      ? await this.engine.read(() => positionsOf(ranges, values, Number(after ?? -1)))
      : undefined;
    return { shape, values: { ...values, ...sought, ...read, ...(after === undefined ? {} : { after }) } };
  }

  async #isFew(ranges: Ranges, values: Values): Promise<boolean> {
    const { org, evidence } = values;
    const bounds = Object.fromEntries(ranges.map(([name, end]) => [`${name}_${end}`, values[`${name}_${end}`] ?? 0]));
    const asked = { org: org ?? "", evidence: evidence ?? "", ...bounds, most: FEW + 1 };
    return ((await this.engine.read(() => one(countInRanges(ranges), asked)))?.count ?? 0) <= FEW;
  }
}
