import { and, eq, lte, sql } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { meters, turns } from "../schema.ts";
import { build, one, run, statement, value } from "../statement.ts";

const takeTurn = statement(
  build
    .insert(turns)
    .values({ name: value("name"), owner: value("owner"), until: value("until") })
    .onConflictDoUpdate({
      target: [turns.name],
      set: { owner: value("owner"), until: value("until") },
      setWhere: sql`${turns.until} <= ${value("now")} or ${turns.owner} = ${value("owner")}`,
    })
    .returning({ name: turns.name }),
);
const endTurn = statement(
  build.delete(turns).where(and(eq(turns.name, value("name")), eq(turns.owner, value("owner")))),
);
const addUse = statement(
  build
    .insert(meters)
    .values({ name: value("name"), used: value("amount"), until: value("until") })
    .onConflictDoUpdate({
      target: [meters.name],
      set: {
        used: sql`case when ${meters.until} <= ${value("now")} then ${value("amount")} else ${meters.used} + ${value("amount")} end`,
        until: sql`case when ${meters.until} <= ${value("now")} then ${value("until")} else ${meters.until} end`,
      },
    })
    .returning({ used: meters.used, until: meters.until }),
);

const forgetMeters = statement(build.delete(meters).where(lte(meters.until, value("before"))));
const forgetTurns = statement(build.delete(turns).where(lte(turns.until, value("before"))));

/** What the servers of one workspace agree on among themselves: whose turn something is, and how much was used. */
export class Turns {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** True where `owner` has the turn until then: nobody had it, its time was over, or it was this owner's already. */
  async take(name: string, owner: string, now: number, until: number): Promise<boolean> {
    return (await this.#engine.writeOne(() => one(takeTurn, { name, owner, now, until }))) !== undefined;
  }

  /** Ends a turn that `owner` has. */
  async end(name: string, owner: string): Promise<void> {
    await this.#engine.writeOne(() => run(endTurn, { name, owner }));
  }

  /** Adds to what was used in the window that runs now, which else begins now; answers its sum and its end. */
  async use(name: string, amount: number, now: number, seconds: number): Promise<{ used: number; until: number }> {
    const added = await this.#engine.writeOne(() => one(addUse, { name, amount, now, until: now + seconds }));
    return added ?? { used: amount, until: now + seconds };
  }

  /** Forgets windows and turns that were over by then; answers how many. */
  async forget(before: number): Promise<number> {
    const windows = await this.#engine.writeOne(() => run(forgetMeters, { before }));
    return windows + (await this.#engine.writeOne(() => run(forgetTurns, { before })));
  }
}
