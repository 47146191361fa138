import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { and, asc, count, eq, isNotNull, isNull, sql } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import type { Removal, RowCounts } from "../port.ts";
import {
  audit,
  blobs,
  claims,
  deliveries,
  jobEvents,
  jobs,
  journals,
  ledger,
  opens,
  orgs,
  recordFields,
  records,
  settings,
  tokens,
  traces,
  trials,
} from "../schema.ts";
import { all, build, one, run, statement, value } from "../statement.ts";

/** How many rows go in one step: others write between two steps. */
const STEP = 200;
/** How often the last step is tried again when the org's work still writes. */
const LAST_TRIES = 50;
const SCRUB = "scrub_due";

type Owned = PgTable & { readonly org: PgColumn };

/** Every table with rows of an org and what tells its rows apart, in the order they go: what refers to others first. */
const OWNED = [
  owned("record_fields", recordFields, [recordFields.kind, recordFields.field, recordFields.value, recordFields.id]),
  owned("records", records, [records.kind, records.id]),
  owned("blobs", blobs, [blobs.digest]),
  owned("traces", traces, [traces.evidence, traces.position]),
  owned("trials", trials, [trials.run, trials.task, trials.n, trials.attempt]),
  owned("job_events", jobEvents, [jobEvents.job, jobEvents.seq]),
  owned("jobs", jobs, [jobs.id]),
  owned("ledger", ledger, [ledger.id]),
  owned("audit", audit, [audit.seq]),
  owned("journals", journals, [journals.world, journals.seq]),
  owned("tokens", tokens, [tokens.id]),
  owned("deliveries", deliveries, [deliveries.id]),
  owned("opens", opens, [opens.run_group, opens.via, opens.day, opens.member]),
  owned("claims", claims, [claims.name]),
] as const;

function owned(name: string, table: Owned, key: readonly PgColumn[]) {
  const ofOrg = eq(table.org, value("org"));
  const columns = sql.join([...key], sql`, `);
  const some = sql`(${columns}) in (select ${columns} from ${table} where ${ofOrg} limit ${value("limit")})`;
  return {
    name,
    count: statement(
      build
        .select({ count: count().as("count") })
        .from(table)
        .where(ofOrg),
    ),
    deleteSome: statement(build.delete(table).where(and(ofOrg, some))),
    deleteAll: statement(build.delete(table).where(ofOrg)),
  };
}

const countOrg = statement(
  build
    .select({ count: count().as("count") })
    .from(orgs)
    .where(eq(orgs.id, value("org"))),
);
const begin = statement(
  build
    .update(orgs)
    // No tag begins so: the one it had is free at once.
    .set({ removed_at: value("at"), tag: sql`'~' || ${orgs.id}` })
    .where(and(eq(orgs.id, value("org")), isNull(orgs.removed_at))),
);
const selectBegun = statement(
  build.select({ id: orgs.id }).from(orgs).where(isNotNull(orgs.removed_at)).orderBy(asc(orgs.id)),
);
const deleteOrg = statement(build.delete(orgs).where(and(eq(orgs.id, value("org")), isNotNull(orgs.removed_at))));
const markScrub = statement(build.insert(settings).values({ name: SCRUB, value: "1" }).onConflictDoNothing());
const selectScrub = statement(build.select({ name: settings.name }).from(settings).where(eq(settings.name, SCRUB)));
const clearScrub = statement(build.delete(settings).where(eq(settings.name, SCRUB)));

/** Takes orgs out of the store. What was begun is a row, so that a kill between two steps loses no step. */
export class OrgRemoval implements Removal {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async count(org: string): Promise<RowCounts> {
    const counts: Record<string, number> = {};
    for (const table of OWNED) {
      counts[table.name] = (await this.#engine.read(() => one(table.count, { org })))?.count ?? 0;
    }
    counts.orgs = (await this.#engine.read(() => one(countOrg, { org })))?.count ?? 0;
    return counts;
  }

  async begin(org: string, at: number): Promise<boolean> {
    return (await this.#engine.writeOne(() => run(begin, { org, at }))) > 0;
  }

  async begun(): Promise<string[]> {
    return (await this.#engine.read(() => all(selectBegun, {}))).map(({ id }) => id);
  }

  async finish(org: string): Promise<RowCounts> {
    const counts: Record<string, number> = {};
    for (const table of OWNED) {
      let gone: number;
      counts[table.name] = 0;
      do {
        gone = await this.#engine.writeOne(() => run(table.deleteSome, { org, limit: STEP }));
        counts[table.name] = (counts[table.name] ?? 0) + gone;
      } while (gone > 0);
    }
    for (let n = 1; ; n++) {
      try {
        for (const [name, gone] of Object.entries(await this.#last(org))) counts[name] = (counts[name] ?? 0) + gone;
        return counts;
      } catch (error) {
        // A job or a call of the org that was under way wrote once more, between our steps.
        if (n === LAST_TRIES) throw error;
      }
    }
  }

  /** Whatever was written since, the org's own row, and the note that deleted content is still to be scrubbed: all or nothing. */
  #last(org: string): Promise<Record<string, number>> {
    return this.#engine.write(function* () {
      const counts: Record<string, number> = {};
      for (const table of OWNED) counts[table.name] = yield* run(table.deleteAll, { org });
      counts.orgs = yield* run(deleteOrg, { org });
      yield* run(markScrub, {});
      return counts;
    });
  }

  async scrubDue(): Promise<boolean> {
    return (await this.#engine.read(() => one(selectScrub, {}))) !== undefined;
  }

  async markScrub(): Promise<void> {
    await this.#engine.writeOne(() => run(markScrub, {}));
  }

  async scrub(): Promise<void> {
    // Cleared first: what is deleted while it runs asks for another.
    await this.#engine.writeOne(() => run(clearScrub, {}));
    try {
      await this.#engine.scrub();
    } catch (error) {
      await this.markScrub();
      throw error;
    }
  }
}
