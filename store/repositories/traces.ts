import type { Page, PageInput } from "../../chapters/page.ts";
import type { NewTrace, StoredTrace, TraceHead, Traces } from "../../chapters/ports/store.ts";
import type { CanonicalTrace } from "../../chapters/records/evidence/evidence.ts";
import { unpackJson } from "../codec.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, count, eq, gt, gte, isNull, lt, or, sql } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { packTrace } from "../pack-trace.ts";
import { atPositions, fill } from "../placeholders.ts";
import { traceSpans, traces } from "../schema.ts";
import { all, build, byShape, one, type Program, run, statement, type Values, value } from "../statement.ts";
import { OrgRepository } from "./org-repository.ts";

const ofEvidence = and(eq(traces.org, value("org")), eq(traces.evidence, value("evidence")));
const whole = {
  id: traces.id,
  evidence: traces.evidence,
  position: traces.position,
  encoding: traces.encoding,
  body: traces.body,
};

const columns = ["id", "session", "started_at", "calls", "digest", "encoding", "body"] as const;
const upsert = byShape((size: number) => {
  const row = (i: number) => ({
    org: value<string>("org"),
    evidence: value<string>(`evidence${i}`),
    position: value<number>(`position${i}`),
    id: value<string>(`id${i}`),
    session: value<string>(`session${i}`),
    started_at: value<number>(`started_at${i}`),
    calls: value<number>(`calls${i}`),
    digest: value<string>(`digest${i}`),
    encoding: value<string>(`encoding${i}`),
    body: value<Uint8Array>(`body${i}`),
  });
  return statement(
    build
      .insert(traces)
      .values(Array.from({ length: size }, (_, i) => row(i)))
      .onConflictDoUpdate({
        target: [traces.org, traces.evidence, traces.position],
        set: Object.fromEntries(columns.map((column) => [column, sql`excluded.${sql.identifier(column)}`])),
      }),
  );
});
const selectHeads = statement(
  build
    .select({
      id: traces.id,
      evidence: traces.evidence,
      position: traces.position,
      session: traces.session,
      started_at: traces.started_at,
      calls: traces.calls,
      digest: traces.digest,
    })
    .from(traces)
    .where(and(ofEvidence, gt(traces.position, value("after"))))
    .orderBy(asc(traces.position))
    .limit(value("limit")),
);
const countOf = statement(
  build
    .select({ count: count().as("count") })
    .from(traces)
    .where(ofEvidence),
);
const selectOne = statement(
  build
    .select(whole)
    .from(traces)
    .where(and(eq(traces.org, value("org")), eq(traces.id, value("id")))),
);
const selectFrom = statement(
  build
    .select(whole)
    .from(traces)
    .where(and(ofEvidence, gte(traces.position, value("from"))))
    .orderBy(asc(traces.position))
    .limit(value("limit")),
);
const selectAt = byShape((size: number) =>
  statement(build.select(whole).from(traces).where(atPositions(traces, size)).orderBy(asc(traces.position))),
);
const remove = statement(build.delete(traces).where(ofEvidence));
const removeSpans = statement(
  build.delete(traceSpans).where(and(eq(traceSpans.org, value("org")), eq(traceSpans.evidence, value("evidence")))),
);
const removeOne = statement(build.delete(traces).where(and(eq(traces.org, value("org")), eq(traces.id, value("id")))));
const removeBefore = byShape((undated: boolean) => {
  const before = lt(traces.started_at, value("at"));
  return statement(
    build.delete(traces).where(and(ofEvidence, undated ? or(before, isNull(traces.started_at)) : before)),
  );
});

/** Rows a stream reads at once. */
const STREAM_BATCH = 64;

/** Traces of one org, compressed. `digest` is the SHA-256 of the trace's JSON text as its converter wrote it. */
export class TraceRepository extends OrgRepository implements Traces {
  async append(rows: readonly NewTrace[]): Promise<void> {
    await this.engine.write(appending(this.engine, this.org, rows));
  }

  async heads(evidence: string, page?: PageInput & { readonly from?: number }): Promise<Page<TraceHead>> {
    const limit = pageLimit(page);
    const after = Number(cursorKey("traces", "n", page)?.[0] ?? (page?.from ?? 0) - 1);
    const values = { org: this.org, evidence, after, limit: limit + 1 };
    const rows = await this.engine.read(() => all(selectHeads, values));
    return pageOf(
      "traces",
      rows,
      limit,
      (row) => [row.position],
      ({ started_at, ...head }) => ({ ...head, startedAt: started_at ?? undefined }),
    );
  }

  async count(evidence: string): Promise<number> {
    return (await this.engine.read(() => one(countOf, { org: this.org, evidence })))?.count ?? 0;
  }

  async get(id: string): Promise<StoredTrace | undefined> {
    const found = await this.engine.read(() => one(selectOne, { org: this.org, id }));
    return found && decoded(found);
  }

  async at(evidence: string, positions: readonly number[]): Promise<StoredTrace[]> {
    const wanted = [...new Set(positions)].sort((a, b) => a - b);
    const found: StoredTrace[] = [];
    for (let i = 0; i < wanted.length; i += STREAM_BATCH) {
      const values: Record<string, string | number> = { org: this.org, evidence };
      const some = selectAt(fill(values, "position", wanted.slice(i, i + STREAM_BATCH)));
      for (const row of await this.engine.read(() => all(some, values))) found.push(decoded(row));
    }
    return found;
  }

  async *stream(evidence: readonly string[]): AsyncIterable<StoredTrace> {
    for (const record of new Set(evidence)) {
      let from = 0;
      for (;;) {
        const values = { org: this.org, evidence: record, from, limit: STREAM_BATCH };
        const rows = await this.engine.read(() => all(selectFrom, values));
        for (const row of rows) yield decoded(row);
        const last = rows.at(-1);
        if (!last || rows.length < STREAM_BATCH) break;
        from = last.position + 1;
      }
    }
  }

  async deleteEvidence(evidence: string): Promise<number> {
    const values = { org: this.org, evidence };
    return this.engine.write(function* () {
      const gone = yield* run(remove, values);
      yield* run(removeSpans, values);
      return gone;
    });
  }

  async delete(id: string): Promise<boolean> {
    return (await this.engine.writeOne(() => run(removeOne, { org: this.org, id }))) > 0;
  }

  async deleteBefore(evidence: string, at: number, undated: boolean): Promise<number> {
    return this.engine.writeOne(() => run(removeBefore(undated), { org: this.org, evidence, at }));
  }
}

/** The program that writes traces, which are packed before it runs. */
export function appending({ rowsPerInsert }: Engine, org: string, rows: readonly NewTrace[]): () => Program<void> {
  // PostgreSQL refuses an insert that meets its own row; the last one to a position is the one that stays.
  const last = new Map(rows.map((row) => [`${row.position} ${row.evidence}`, row]));
  // In one order, so that appends to the same record never wait for each other.
  const stored = [...last.values()]
    .sort((a, b) => (a.evidence < b.evidence ? -1 : a.evidence > b.evidence ? 1 : a.position - b.position))
    .map(encoded);
  return function* () {
    for (let i = 0; i < stored.length; i += rowsPerInsert) {
      const some = stored.slice(i, i + rowsPerInsert);
      const values: Record<string, Values[string]> = { org };
      for (const [n, row] of some.entries()) {
        for (const [column, cell] of Object.entries(row)) values[`${column}${n}`] = cell;
      }
      yield* run(upsert(some.length), values);
    }
  };
}

function encoded({ id, evidence, position, ...row }: NewTrace): Values {
  const { startedAt, ...packed } = "packed" in row ? row.packed : packTrace(row.trace);
  return { evidence, position, id, started_at: startedAt ?? null, ...packed };
}

function decoded(row: {
  readonly id: string;
  readonly evidence: string;
  readonly position: number;
  readonly encoding: string;
  readonly body: Uint8Array;
}): StoredTrace {
  const { id, evidence, position } = row;
  return { id, evidence, position, trace: unpackJson(row) as CanonicalTrace };
}
