import { randomUUID } from "node:crypto";
import type { Removal, RowCounts } from "../../chapters/ports/store.ts";
import { and, asc, count, eq, exists, isNotNull, isNull, lte, sql } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { ORG_TABLES, type OrgTable } from "../org-tables.ts";
import { orgs, settings } from "../schema.ts";
import { all, build, one, run, statement, value } from "../statement.ts";
import { appendLine, WORKSPACE_CHAIN } from "./audit.ts";

/** How many rows go in one step: others write between two steps. */
const STEP = 200;
/** How often the last step is tried again when the org's work still writes. */
const LAST_TRIES = 50;
const SCRUB = "scrub_due";

/** The tables with rows of an org in the order they go: what refers to others first. */
const OWNED = ORG_TABLES.map(owned).reverse();

function owned({ name, table, key }: OrgTable) {
  const ofOrg = eq(table.org, value("org"));
  // Another may have ended this removal already: an org that was brought back since, under the same id, keeps its rows.
  const removed = exists(
    build
      .select({ one: sql`1` })
      .from(orgs)
      .where(and(eq(orgs.id, value("org")), isNotNull(orgs.removed_at))),
  );
  // Within the org, which the statement names: compared row by row it would no longer narrow the plan.
  const within = key.filter((column) => column !== table.org);
  const columns = sql.join(within, sql`, `);
  const some = sql`(${columns}) in (select ${columns} from ${table} where ${ofOrg} limit ${value("limit")})`;
  return {
    name,
    count: statement(
      build
        .select({ count: count().as("count") })
        .from(table)
        .where(ofOrg),
    ),
    deleteSome: statement(build.delete(table).where(and(ofOrg, removed, some))),
    deleteAll: statement(build.delete(table).where(and(ofOrg, removed))),
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
  build
    .select({ id: orgs.id })
    .from(orgs)
    .where(and(isNotNull(orgs.removed_at), lte(orgs.removed_at, value("before"))))
    .orderBy(asc(orgs.id)),
);
const selectOrg = statement(
  build
    .select({ id: orgs.id })
    .from(orgs)
    .where(eq(orgs.id, value("org"))),
);
const deleteOrg = statement(build.delete(orgs).where(and(eq(orgs.id, value("org")), isNotNull(orgs.removed_at))));
const markScrub = statement(
  build
    .insert(settings)
    .values({ name: SCRUB, value: value("mark") })
    .onConflictDoUpdate({ target: [settings.name], set: { value: value("mark") } }),
);
const selectScrub = statement(build.select({ value: settings.value }).from(settings).where(eq(settings.name, SCRUB)));
const clearScrub = statement(
  build.delete(settings).where(and(eq(settings.name, SCRUB), eq(settings.value, value("mark")))),
);

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

  async begin(org: string, at: number, by: string): Promise<boolean> {
    return this.#engine.write(function* () {
      if ((yield* run(begin, { org, at })) === 0) return false;
      yield* appendLine(WORKSPACE_CHAIN, { at, by, act: "org_removal_begun", fields: {} });
      return true;
    });
  }

  async begun(before = Number.MAX_VALUE): Promise<string[]> {
    return (await this.#engine.read(() => all(selectBegun, { before }))).map(({ id }) => id);
  }

  async finish(org: string, at: number): Promise<RowCounts> {
    const counts: Record<string, number> = {};
    for (const table of OWNED) {
      let gone: number;
      counts[table.name] = 0;
      do {
        gone = await this.#engine.writeOne(() => run(table.deleteSome, { org, limit: STEP }));
        counts[table.name] = (counts[table.name] ?? 0) + gone;
        // What is less than a step goes with the last one: waiting for none would wait for as long as the org's work writes.
      } while (gone === STEP);
    }
    for (let n = 1; ; n++) {
      try {
        for (const [name, gone] of Object.entries(await this.#last(org, at))) counts[name] = (counts[name] ?? 0) + gone;
        return counts;
      } catch (error) {
        // A job or a call of the org that was under way wrote once more, between our steps.
        if (n === LAST_TRIES) throw error;
      }
    }
  }

  /** Whatever was written since, the org's own row, and the note that deleted content is still to be scrubbed: all or nothing. */
  #last(org: string, at: number): Promise<Record<string, number>> {
    const mark = randomUUID();
    return this.#engine.write(function* () {
      const counts: Record<string, number> = {};
      // Whoever writes for the org now waits for its row, and then finds that it is gone.
      yield* one(selectOrg, { org }, "wait");
      for (const table of OWNED) counts[table.name] = yield* run(table.deleteAll, { org });
      counts.orgs = yield* run(deleteOrg, { org });
      if (counts.orgs > 0) {
        // Nothing of the org's own stands in it: neither its tag nor its id.
        yield* appendLine(WORKSPACE_CHAIN, { at, by: "service", act: "org_removed", fields: {} });
      }
      yield* run(markScrub, { mark });
      return counts;
    });
  }

  async vacuumDue(): Promise<boolean> {
    return (await this.#engine.read(() => one(selectScrub, {}))) !== undefined;
  }

  async setVacuumDue(): Promise<void> {
    const mark = randomUUID();
    await this.#engine.writeOne(() => run(markScrub, { mark }));
  }

  async vacuum(): Promise<void> {
    const asked = await this.#engine.read(() => one(selectScrub, {}));
    await this.#engine.vacuum();
    // What was deleted meanwhile left a mark of its own, which stays.
    if (asked) await this.#engine.writeOne(() => run(clearScrub, { mark: asked.value }));
  }
}
