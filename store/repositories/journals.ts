import type { JournalPosition, Journals, JournalTail } from "../../chapters/ports/store.ts";
import type { JournalEntry } from "../../chapters/records/sandboxes/journal.ts";
import { type Packed, pack, unpackJson } from "../codec.ts";
import { and, asc, eq, gte } from "../drizzle.ts";
import { journals } from "../schema.ts";
import { all, build, exclude, type Program, run, statement, value } from "../statement.ts";
import { sha256 } from "../text.ts";
import { OrgRepository } from "./org-repository.ts";

const ofWorld = and(eq(journals.org, value("org")), eq(journals.world, value("world")));
const insert = statement(
  build.insert(journals).values({
    org: value("org"),
    world: value("world"),
    seq: value("seq"),
    encoding: value("encoding"),
    body: value("body"),
    chain: value("chain"),
  }),
);
const selectFrom = statement(
  build
    .select({ seq: journals.seq, chain: journals.chain, encoding: journals.encoding, body: journals.body })
    .from(journals)
    .where(and(ofWorld, gte(journals.seq, value("seq"))))
    .orderBy(asc(journals.seq)),
);
const remove = statement(build.delete(journals).where(ofWorld));

/** Where a journal without entries ends. */
const START: JournalPosition = { seq: 0, chain: "" };

/** Journals of one org's worlds: without gaps, from 1. */
export class JournalRepository extends OrgRepository implements Journals {
  async append(
    world: string,
    entries: readonly JournalEntry[],
    after: JournalPosition,
    again?: (missed: JournalTail) => readonly JournalEntry[] | undefined,
  ) {
    const key = { org: this.org, world };
    return this.engine.write(function* () {
      yield* exclude(scope(key));
      const missed = yield* tailOf(key, after);
      const next = missed ? again?.(missed) : entries;
      if (missed && !next) return { missed };
      const { rows, place } = chained(next ?? [], missed?.place ?? after);
      for (const row of rows) yield* run(insert, { ...key, ...row });
      return { place };
    });
  }

  async tail(world: string, after: JournalPosition): Promise<JournalTail | undefined> {
    return this.engine.read(() => tailOf({ org: this.org, world }, after));
  }

  async read(world: string): Promise<JournalEntry[]> {
    const rows = await this.engine.read(() => all(selectFrom, { org: this.org, world, seq: 1 }));
    return rows.map((row) => unpackJson(row) as JournalEntry);
  }

  async clear(world: string): Promise<void> {
    const key = { org: this.org, world };
    // Not between another's look at the journal and its entry.
    await this.engine.write(function* () {
      yield* exclude(scope(key));
      yield* run(remove, key);
    });
  }
}

type Key = { readonly org: string; readonly world: string };

/** The rows of entries that follow a place, and the place they end at. */
function chained(entries: readonly JournalEntry[], after: JournalPosition) {
  let { seq, chain } = after;
  const rows = entries.map((entry) => {
    if (entry.seq !== ++seq) throw new TypeError("an entry does not follow the one before it");
    const raw = Buffer.from(JSON.stringify(entry));
    chain = sha256(`${chain}\n${sha256(raw)}`);
    return { seq, chain, ...pack(raw) };
  });
  return { rows, place: { seq, chain } };
}

function scope({ org, world }: Key): string {
  return `journal ${org} ${world}`;
}

/** Each look is one query: what it answers stood at one moment. */
function* tailOf(key: Key, after: JournalPosition): Program<JournalTail | undefined> {
  const [known, ...beyond] = yield* all(selectFrom, { ...key, seq: after.seq });
  if (after.seq > 0 && known?.seq === after.seq && known.chain === after.chain)
    return beyond.length === 0 ? undefined : tailFrom(after.seq, beyond);
  if (after.seq === 0 && known === undefined) return undefined;
  return tailFrom(0, yield* all(selectFrom, { ...key, seq: 1 }));
}

function tailFrom(from: number, rows: readonly (JournalPosition & Packed)[]): JournalTail {
  const end = rows.at(-1);
  return {
    from,
    entries: rows.map((row) => unpackJson(row) as JournalEntry),
    place: end ? { seq: end.seq, chain: end.chain } : START,
  };
}
