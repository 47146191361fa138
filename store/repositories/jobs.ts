import { AppError, conflict, unprocessable } from "../../chapters/errors.ts";
import type { JobStatus } from "../../chapters/job.ts";
import type { Page } from "../../chapters/page.ts";
import type { JobEvent, JobGuard, JobRow, OrgJobs, RecordChange } from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, desc, eq, gt, isNull, lt, sql } from "../drizzle.ts";
import { jobEvents, jobs } from "../schema.ts";
import { all, build, byShape, one, run, statement, type Values, value } from "../statement.ts";
import { canonicalText } from "../text.ts";
import { jobColumns, jobOf, jobValues } from "./job-rows.ts";
import { OrgRepository } from "./org-repository.ts";
import { applying } from "./records.ts";

/** Statuses of a job that has not ended. */
const LIVE: readonly JobStatus[] = ["queued", "held", "running"];

/** That a job has not ended, in the words of the unique index on live keys: SQLite takes an index only by the same words. */
export const isLive = sql`${jobs.status} in ('queued', 'held', 'running')`;

const byId = and(eq(jobs.org, value("org")), eq(jobs.id, value("id")));
const insertNew = statement(
  build
    .insert(jobs)
    .values({
      id: value("id"),
      org: value("org"),
      kind: value("kind"),
      key: value("key"),
      status: value("status"),
      note: value("note"),
      parent: value("parent"),
      by: value("by"),
      input: value("input"),
      state: value("state"),
      result: value("result"),
      attempt: value("attempt"),
      done: value("done"),
      total: value("total"),
      message: value("message"),
      stop_by: value("stop_by"),
      created_at: value("created_at"),
      started_at: value("started_at"),
      ended_at: value("ended_at"),
      lease_owner: null,
      lease_until: null,
    })
    .onConflictDoNothing()
    .returning(jobColumns),
);
const selectOne = statement(build.select(jobColumns).from(jobs).where(byId));
const selectLiveKey = statement(
  build
    .select(jobColumns)
    .from(jobs)
    .where(and(eq(jobs.org, value("org")), eq(jobs.key, value("key")), isLive)),
);
const selectPage = byShape(
  (live: boolean, kind: boolean, parent: boolean, whole: boolean, newest: boolean, follows: boolean) =>
    statement(
      build
        .select(jobColumns)
        .from(jobs)
        .where(
          and(
            eq(jobs.org, value("org")),
            live ? isLive : undefined,
            kind ? eq(jobs.kind, value("kind")) : undefined,
            parent ? eq(jobs.parent, value("parent")) : undefined,
            whole ? isNull(jobs.parent) : undefined,
            follows ? (newest ? lt : gt)(jobs.id, value("after")) : undefined,
          ),
        )
        .orderBy(newest ? desc(jobs.id) : asc(jobs.id))
        .limit(value("limit")),
    ),
);
const CHANGEABLE = [
  "status",
  "note",
  "parent",
  "by",
  "input",
  "state",
  "result",
  "attempt",
  "done",
  "total",
  "message",
  "stop_by",
  "created_at",
  "started_at",
  "ended_at",
] as const;
const updateSome = byShape((columns: readonly string[], dropLease: boolean, owned: boolean, inStatus: boolean) =>
  statement(
    build
      .update(jobs)
      .set({
        ...Object.fromEntries(columns.map((column) => [column, sql`${value(column)}`])),
        ...(dropLease ? { lease_owner: null, lease_until: null } : {}),
      })
      .where(
        and(
          byId,
          isLive,
          owned ? eq(jobs.lease_owner, value("owner")) : undefined,
          inStatus ? eq(jobs.status, value("was")) : undefined,
        ),
      )
      .returning(jobColumns),
  ),
);
const insertEvent = statement(
  build.insert(jobEvents).values({
    org: value("org"),
    job: value("id"),
    seq: value("seq"),
    at: value("at"),
    kind: value("kind"),
    fields: value("fields"),
  }),
);
const ofJob = and(eq(jobEvents.org, value("org")), eq(jobEvents.job, value("id")));
const selectLastEvent = statement(
  build.select({ seq: jobEvents.seq }).from(jobEvents).where(ofJob).orderBy(desc(jobEvents.seq)).limit(1),
);
const selectEvents = statement(
  build
    .select({ seq: jobEvents.seq, at: jobEvents.at, kind: jobEvents.kind, fields: jobEvents.fields })
    .from(jobEvents)
    .where(ofJob)
    .orderBy(asc(jobEvents.seq)),
);

/** Longest key of a job, in characters: an index of PostgreSQL takes no entry above 2,700 bytes. */
const LONGEST_KEY = 600;

/** `OrgJobs` over the job and event tables; no row of another org is read or written. */
export class JobRepository extends OrgRepository implements OrgJobs {
  async start(row: JobRow, records: readonly RecordChange[] = []): ReturnType<OrgJobs["start"]> {
    const org = this.org;
    if (row.key.length > LONGEST_KEY) throw unprocessable("The key of a job is too long.");
    const values = { ...jobValues(row), org };
    const applied = applying(org, records);
    return this.engine.write(function* () {
      // The holder of the key may end between the two statements; then the key is free.
      for (let i = 0; i < 3; i++) {
        const inserted = yield* one(insertNew, values);
        if (inserted) {
          yield* applied();
          return { row: jobOf(inserted), deduplicated: false };
        }
        const holder = yield* one(selectLiveKey, { org, key: row.key });
        if (holder) return { row: jobOf(holder), deduplicated: true };
      }
      throw conflict("A job with this id is there already.");
    });
  }

  async get(id: string): Promise<JobRow | undefined> {
    const found = await this.engine.read(() => one(selectOne, { org: this.org, id }));
    return found && jobOf(found);
  }

  async list(options: Parameters<OrgJobs["list"]>[0] = {}): Promise<Page<JobRow>> {
    const { live = false, kind, parent, order } = options;
    const limit = pageLimit(options);
    const after = cursorKey("jobs", "s", options)?.[0];
    const [ofParent, whole] = [typeof parent === "string", parent === null];
    const page = selectPage(live, kind !== undefined, ofParent, whole, order !== "oldest", after !== undefined);
    const values: Record<string, Values[string]> = { org: this.org, limit: limit + 1 };
    for (const [name, cell] of Object.entries({ kind, parent: parent ?? undefined, after }))
      if (cell !== undefined) values[name] = cell;
    const rows = await this.engine.read(() => all(page, values));
    return pageOf("jobs", rows, limit, (row) => [row.id], jobOf);
  }

  async update(
    id: string,
    change: Parameters<OrgJobs["update"]>[1],
    { owner, status }: JobGuard = {},
  ): Promise<JobRow | undefined> {
    const given = jobValues(change);
    const columns = CHANGEABLE.filter((column) => given[column] !== undefined);
    if (columns.length === 0) {
      const row = await this.get(id);
      return row && LIVE.includes(row.status) && row.status === (status ?? row.status) ? row : undefined;
    }
    const leavesQueue = change.status !== undefined && change.status !== "running";
    const update = updateSome(columns, leavesQueue, owner !== undefined, status !== undefined);
    const guard = { ...(owner === undefined ? {} : { owner }), ...(status === undefined ? {} : { was: status }) };
    const values = { ...given, org: this.org, id, ...guard };
    const changed = await this.engine.writeOne(() => one(update, values));
    return changed && jobOf(changed);
  }

  async event(id: string, at: number, kind: string, fields: JobEvent["fields"]): Promise<void> {
    const org = this.org;
    const text = canonicalText(fields);
    await this.engine.write(function* () {
      if (!(yield* one(selectOne, { org, id }, "wait"))) throw new AppError("not_found", "No such job.");
      const last = yield* one(selectLastEvent, { org, id });
      yield* run(insertEvent, { org, id, seq: (last?.seq ?? 0) + 1, at, kind, fields: text });
    });
  }

  async events(id: string): Promise<JobEvent[]> {
    const rows = await this.engine.read(() => all(selectEvents, { org: this.org, id }));
    return rows.map((row) => ({ ...row, fields: JSON.parse(row.fields) as JobEvent["fields"] }));
  }
}
