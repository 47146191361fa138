import { AppError } from "../../chapters/errors.ts";
import type { JournalEntry } from "../../chapters/sandboxes/journal.ts";
import { packJson, unpackJson } from "../codec.ts";
import { and, asc, desc, eq } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import type { Journals } from "../port.ts";
import { journals } from "../schema.ts";
import { all, build, exclude, one, run, statement, value } from "../statement.ts";

const ofWorld = and(eq(journals.org, value("org")), eq(journals.world, value("world")));
const selectLast = statement(
  build.select({ seq: journals.seq }).from(journals).where(ofWorld).orderBy(desc(journals.seq)).limit(1),
);
const insert = statement(
  build.insert(journals).values({
    org: value("org"),
    world: value("world"),
    seq: value("seq"),
    encoding: value("encoding"),
    body: value("body"),
  }),
);
const selectAll = statement(
  build
    .select({ encoding: journals.encoding, body: journals.body })
    .from(journals)
    .where(ofWorld)
    .orderBy(asc(journals.seq)),
);
const remove = statement(build.delete(journals).where(ofWorld));

/** Journals of one org's worlds: without gaps, from 1. */
export class JournalRepository implements Journals {
  readonly #engine: Engine;
  readonly #org: string;

  constructor(engine: Engine, org: string) {
    this.#engine = engine;
    this.#org = org;
  }

  async append(world: string, entries: readonly JournalEntry[]): Promise<void> {
    const key = { org: this.#org, world };
    const rows = entries.map((entry) => ({ ...key, seq: entry.seq, ...packJson(entry) }));
    await this.#engine.write(function* () {
      yield* exclude(`journal ${key.org} ${world}`);
      let next = ((yield* one(selectLast, key))?.seq ?? 0) + 1;
      for (const row of rows) {
        if (row.seq !== next)
          throw new AppError("conflict", "The journal has gone on; rebuild the world and call again.");
        yield* run(insert, row);
        next += 1;
      }
    });
  }

  async read(world: string): Promise<JournalEntry[]> {
    const rows = await this.#engine.read(() => all(selectAll, { org: this.#org, world }));
    return rows.map((row) => unpackJson(row) as JournalEntry);
  }

  async clear(world: string): Promise<void> {
    await this.#engine.writeOne(() => run(remove, { org: this.#org, world }));
  }
}
