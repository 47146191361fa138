import type { SQL } from "drizzle-orm";
import type { Page, PageInput } from "../../chapters/page.ts";
import type { FoundTrace, Range, SearchEntry, SearchQuery, TraceSearch } from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, count, eq, exists, gte, inArray, isNull, lte, sql } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { traceIndex, traces } from "../schema.ts";
import { all, build, byShape, one, run, statement, value } from "../statement.ts";
import { having, type Narrowing, narrow } from "./attributes.ts";

const ofEvidence = and(eq(traceIndex.org, value("org")), eq(traceIndex.evidence, value("evidence")));
/** Of one org: each table is narrowed to it by itself, so that no plan reads another's rows. */
const sameTrace = and(eq(traces.evidence, traceIndex.evidence), eq(traces.position, traceIndex.position));
const countEntries = statement(
  build
    .select({ count: count().as("count") })
    .from(traceIndex)
    .where(ofEvidence),
);
const selectMissing = statement(
  build
    .select({ position: traces.position })
    .from(traces)
    .leftJoin(traceIndex, and(sameTrace, eq(traceIndex.org, value("org"))))
    .where(
      and(
        eq(traces.org, value("org")),
        eq(traces.evidence, value("evidence")),
        gte(traces.position, value("from")),
        isNull(traceIndex.id),
      ),
    )
    .orderBy(asc(traces.position))
    .limit(value("limit")),
);
/** Only of a trace that still is what the entry was made of. */
const insert = statement(sql`
  insert into ${traceIndex} (org, evidence, position, started_at, ms, cost_usd, words)
  select ${traces.org}, ${traces.evidence}, ${traces.position}, cast(${value("startedAt")} as double precision),
    cast(${value("ms")} as double precision), cast(${value("costUsd")} as double precision), cast(${value("words")} as text)
  from ${traces}
  where ${traces.org} = ${value("org")} and ${traces.evidence} = ${value("evidence")}
    and ${traces.position} = ${value("position")} and ${traces.digest} = ${value("digest")}
  on conflict (org, evidence, position) do nothing`);

const NUMBERS = { started: traceIndex.started_at, ms: traceIndex.ms, cost: traceIndex.cost_usd } as const;
type NumberName = keyof typeof NUMBERS;

/** What of a query the text of its statement depends on. */
interface Shape {
  readonly dialect: Engine["dialect"];
  /** How many words are asked for. */
  readonly words: number;
  readonly follows: boolean;
  readonly ranges: readonly (readonly [NumberName, "min" | "max"])[];
  /** Whether few traces are in the ranges: those are read by the ranges' index, and all else is asked of them. */
  readonly few: boolean;
  readonly narrowing: Narrowing;
}

const MATCH: Readonly<Record<Engine["dialect"], SQL>> = {
  sqlite: sql`trace_words match ${value("match")} and trace_words.rowid = ${traceIndex.id}`,
  postgres: sql`array_to_tsvector(string_to_array(${traceIndex.words}, ' ')) @@ cast(${value("match")} as tsquery)`,
};

/** Whether SQLite's full-text table is asked; of few traces the words are looked for in each. */
function byFullText({ dialect, words, few }: Shape): boolean {
  return dialect === "sqlite" && words > 0 && !few;
}

/** SQLite reads what matches in the order of its ids, so that a page of many ends early. */
function from(shape: Shape): SQL {
  return byFullText(shape) ? sql`trace_words cross join ${traceIndex}` : sql`${traceIndex}`;
}

/** A sum is no column: the planner then takes the ranges' index and sorts the few, or leaves that and reads in order. */
function order(shape: Shape): SQL {
  if (byFullText(shape)) return sql`trace_words.rowid`;
  return shape.few ? sql`(${traceIndex.id} + 0)` : sql`${traceIndex.id}`;
}

function hasWords(shape: Shape): SQL | undefined {
  const { dialect, words } = shape;
  if (words === 0) return undefined;
  if (dialect === "postgres" || byFullText(shape)) return MATCH[dialect];
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
    ...inRanges(shape),
    ...narrowing.map((size, i) => inArray(traceIndex.position, having(i, size))),
  );
}

const selectFound = byShape((shape: Shape) =>
  statement(
    build
      .select({
        n: sql<number>`${traceIndex.id}`.as("n"),
        id: traces.id,
        evidence: traces.evidence,
        position: traces.position,
        session: traces.session,
        startedAt: sql<number | null>`${traces.started_at}`.as("startedAt"),
        calls: traces.calls,
        digest: traces.digest,
        ms: sql<number | null>`${traceIndex.ms}`.as("ms"),
        costUsd: sql<number | null>`${traceIndex.cost_usd}`.as("costUsd"),
      })
      .from(from(shape))
      .innerJoin(traces, and(sameTrace, eq(traces.org, value("org"))))
      .where(meets(shape))
      .orderBy(order(shape))
      .limit(value("limit")),
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
    .limit(value("most"))
    .as("some");
  return statement(build.select({ count: count().as("count") }).from(some));
});

/** How many traces are in the ranges, counted up to `most`. */
const countInRanges = byShape((ranges: Shape["ranges"]) => {
  const some = build
    .select({ id: sql<number>`${traceIndex.id}`.as("id") })
    .from(traceIndex)
    .where(and(ofEvidence, ...inRanges({ ranges, few: true })))
    .limit(value("most"))
    .as("some");
  return statement(build.select({ count: count().as("count") }).from(some));
});

/** So many traces of ranges are read one by one and sorted. */
const FEW = 10_000;

/** Search over traces of one org: SQLite's FTS5, PostgreSQL's own text search. */
export class SearchRepository implements TraceSearch {
  readonly #engine: Engine;
  readonly #org: string;

  constructor(engine: Engine, org: string) {
    this.#engine = engine;
    this.#org = org;
  }

  async indexed(evidence: string): Promise<number> {
    return (await this.#engine.read(() => one(countEntries, { org: this.#org, evidence })))?.count ?? 0;
  }

  async missing(evidence: string, from: number, limit: number): Promise<number[]> {
    const rows = await this.#engine.read(() => all(selectMissing, { org: this.#org, evidence, from, limit }));
    return rows.map(({ position }) => position);
  }

  async add(evidence: string, entries: readonly SearchEntry[]): Promise<void> {
    const org = this.#org;
    await this.#engine.write(function* () {
      for (const { words, ...entry } of entries)
        yield* run(insert, { org, evidence, ...entry, words: joined([ofRecord(evidence), ...words]) });
    });
  }

  async find(evidence: string, query: SearchQuery, page?: PageInput): Promise<Page<FoundTrace>> {
    const limit = pageLimit(page);
    const after = cursorKey("found", "n", page)?.[0];
    const asked = await this.#asked(evidence, query, after !== undefined);
    if (!asked) return { items: [] };
    const values = { ...asked.values, limit: limit + 1, ...(after === undefined ? {} : { after }) };
    const rows = await this.#engine.read(() => all(selectFound(asked.shape), values));
    return pageOf(
      "found",
      rows,
      limit,
      (row) => [Number(row.n)],
      ({ n: _n, startedAt, ...row }) => ({ ...row, startedAt: startedAt ?? undefined }),
    );
  }

  async count(evidence: string, query: SearchQuery, most: number): Promise<number> {
    const asked = await this.#asked(evidence, query, false);
    if (!asked) return 0;
    const { shape, values } = asked;
    const wordsAlone = byFullText(shape) && shape.ranges.length === 0 && shape.narrowing.length === 0;
    const counting = wordsAlone ? countWords : countFound(shape);
    return (await this.#engine.read(() => one(counting, { ...values, most })))?.count ?? 0;
  }

  /** The shape and values of a query; undefined where its selection leaves nothing. */
  async #asked(evidence: string, query: SearchQuery, follows: boolean) {
    const { dialect } = this.#engine;
    const values: Record<string, string | number> = { org: this.#org, evidence };
    const narrowing = narrow(query.selection ?? {}, values);
    if (narrowing === undefined) return undefined;
    const ranges: Shape["ranges"][number][] = [];
    for (const name of Object.keys(NUMBERS) as NumberName[])
      for (const end of ["min", "max"] as const) {
        const bound = (query[name] as Range | undefined)?.[end];
        if (bound === undefined) continue;
        ranges.push([name, end]);
        values[`${name}_${end}`] = bound;
      }
    const few = ranges.length > 0 && (await this.#isFew(ranges, values));
    const shape = { dialect, words: query.words.length, follows, ranges, few, narrowing };
    if (dialect === "sqlite" && few)
      query.words.forEach(({ word, prefix }, i) => {
        values[`word${i}`] = prefix ? ` ${word}` : ` ${word} `;
      });
    else if (query.words.length > 0) values.match = matchText(dialect, evidence, query.words);
    return { shape, values };
  }

  async #isFew(ranges: Shape["ranges"], values: Readonly<Record<string, string | number>>): Promise<boolean> {
    const { org, evidence } = values;
    const bounds = Object.fromEntries(ranges.map(([name, end]) => [`${name}_${end}`, values[`${name}_${end}`] ?? 0]));
    const asked = { org: org ?? "", evidence: evidence ?? "", ...bounds, most: FEW + 1 };
    return ((await this.#engine.read(() => one(countInRanges(ranges), asked)))?.count ?? 0) <= FEW;
  }
}

/** Words that must all be there, as the engine's search takes them. They hold no quote. */
function matchText(dialect: Engine["dialect"], evidence: string, asked: SearchQuery["words"]): string {
  const words = [{ word: ofRecord(evidence), prefix: false }, ...asked];
  return dialect === "sqlite"
    ? words.map(({ word, prefix }) => `"${word}"${prefix ? "*" : ""}`).join(" AND ")
    : words.map(({ word, prefix }) => `'${word}'${prefix ? ":*" : ""}`).join(" & ");
}

/** A text search of PostgreSQL tells words apart within a mebibyte alone: of more it finds none. */
const MOST_BYTES = 1_000_000;

/** Words as one text: as many of the first ones as are found again. */
function joined(words: readonly string[]): string {
  let bytes = 0;
  const last = words.findIndex((word) => {
    bytes += Buffer.byteLength(word) + 1;
    return bytes > MOST_BYTES;
  });
  return (last < 0 ? words : words.slice(0, last)).join(" ");
}

/** The word that only entries of this record have: the full-text index is one for all records. */
function ofRecord(evidence: string): string {
  return `in=${evidence.replace(/[^A-Za-z0-9_]/g, "_").toLowerCase()}`;
}
