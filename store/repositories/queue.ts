import type { SQL } from "drizzle-orm";
import type { Page, PageInput } from "../../chapters/page.ts";
import type { JobRow } from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, desc, eq, inArray, isNull, lt, or, sql } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { placeholders } from "../placeholders.ts";
import { jobs } from "../schema.ts";
import { all, build, byShape, one, statement, type Values, value } from "../statement.ts";
import { jobColumns, jobOf } from "./job-rows.ts";
import { isLive } from "./jobs.ts";

// Each status apart, so that both are ranges of the queue's index.
const selectQueued = byShape((kinds: number) =>
  statement(
    build
      .select({ org: jobs.org, id: jobs.id, created_at: jobs.created_at })
      .from(jobs)
      .where(and(sql`${jobs.status} = 'queued'`, ofKinds(kinds)))
      .orderBy(asc(jobs.created_at), asc(jobs.id))
      .limit(value("limit")),
  ),
);
const selectExpired = byShape((kinds: number) =>
  statement(
    build
      .select({ org: jobs.org, id: jobs.id, created_at: jobs.created_at })
      .from(jobs)
      .where(
        and(
          sql`${jobs.status} = 'running'`,
          or(isNull(jobs.lease_until), lt(jobs.lease_until, value("now"))),
          ofKinds(kinds),
        ),
      )
      .orderBy(asc(jobs.created_at), asc(jobs.id))
      .limit(value("limit")),
  ),
);
const byId = and(eq(jobs.org, value("org")), eq(jobs.id, value("id")));
const takeWhere = (condition: SQL | undefined) =>
  statement(
    build
      .update(jobs)
      .set({
        status: "running",
        attempt: sql`${jobs.attempt} + 1`,
        started_at: sql`coalesce(${jobs.started_at}, ${value("now")})`,
        lease_owner: value("owner"),
        lease_until: value("lease_until"),
      })
      .where(and(byId, condition))
      .returning(jobColumns),
  );
const take = takeWhere(undefined);
const takeWaiting = takeWhere(
  or(
    sql`${jobs.status} = 'queued'`,
    and(sql`${jobs.status} = 'running'`, or(isNull(jobs.lease_until), lt(jobs.lease_until, value("expired")))),
  ),
);
const renew = byShape((ids: number) =>
  statement(
    build
      .update(jobs)
      .set({ lease_until: value("lease_until") })
      .where(
        and(
          sql`${jobs.status} = 'running'`,
          eq(jobs.lease_owner, value("owner")),
          inArray(jobs.id, placeholders("id", ids)),
        ),
      )
      .returning({ id: jobs.id, stop_by: jobs.stop_by }),
  ),
);
const selectAcross = byShape((live: boolean, follows: boolean) =>
  statement(
    build
      .select(jobColumns)
      .from(jobs)
      .where(
        and(
          live ? isLive : undefined,
          follows ? sql`(${jobs.id}, ${jobs.org}) < (${value("after_id")}, ${value("after_org")})` : undefined,
        ),
      )
      .orderBy(desc(jobs.id), desc(jobs.org))
      .limit(value("limit")),
  ),
);

function ofKinds(size: number) {
  return size === 0 ? undefined : inArray(jobs.kind, placeholders("kind", size));
}

function named(name: string, list: readonly string[]): Values {
  return Object.fromEntries(list.map((item, i) => [`${name}${i}`, item]));
}

/** The jobs of all orgs, as the host sees them. */
export class JobQueue {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Queued jobs and running ones whose lease ended before `now`, oldest first. Two owners never get the same one. */
  async claim(
    owner: string,
    limit: number,
    now: number,
    leaseUntil: number,
    kinds: readonly string[] = [],
  ): Promise<JobRow[]> {
    const asked = { limit, ...named("kind", kinds) };
    return this.#engine.write(function* () {
      const queued = yield* all(selectQueued(kinds.length), asked, "skip");
      const expired = yield* all(selectExpired(kinds.length), { ...asked, now }, "skip");
      const oldest = [...queued, ...expired].sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
      const taken: JobRow[] = [];
      for (const { org, id } of oldest.slice(0, limit)) {
        const row = yield* one(take, { org, id, owner, now, lease_until: leaseUntil });
        if (row) taken.push(jobOf(row));
      }
      return taken;
    });
  }

  /** Takes this job if it is queued or its lease ended before `now`. */
  async claimOne(org: string, id: string, owner: string, now: number, lease: number): Promise<JobRow | undefined> {
    const values = { org, id, owner, now, expired: now, lease_until: lease };
    const row = await this.#engine.writeOne(() => one(takeWaiting, values));
    return row && jobOf(row);
  }

  /** Extends the leases that `owner` holds among these; answers those that were asked to stop, and those it does not hold. */
  async renew(
    owner: string,
    ids: readonly string[],
    leaseUntil: number,
  ): Promise<{ readonly stops: readonly string[]; readonly lost: readonly string[] }> {
    const stops: string[] = [];
    const lost = new Set(ids);
    for (let i = 0; i < ids.length; i += MOST_AT_ONCE) {
      const some = ids.slice(i, i + MOST_AT_ONCE);
      const values = { owner, lease_until: leaseUntil, ...named("id", some) };
      const held = await this.#engine.writeOne(() => all(renew(some.length), values));
      for (const { id, stop_by } of held) {
        lost.delete(id);
        if (stop_by !== null) stops.push(id);
      }
    }
    return { stops, lost: [...lost] };
  }

  /** Newest first. */
  async list({ live = false, ...page }: PageInput & { readonly live?: boolean } = {}): Promise<Page<JobRow>> {
    const limit = pageLimit(page);
    const key = cursorKey("jobs.all", "ss", page);
    const [after_id = "", after_org = ""] = key ?? [];
    const values = { limit: limit + 1, ...(key ? { after_id, after_org } : {}) };
    const rows = await this.#engine.read(() => all(selectAcross(live, key !== undefined), values));
    return pageOf("jobs.all", rows, limit, (row) => [row.id, row.org], jobOf);
  }
}

/** Most ids asked for in one query. */
const MOST_AT_ONCE = 256;
