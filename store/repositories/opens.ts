import { and, count, eq, ne, sql } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import type { OpenRow, Opens, OpensTally } from "../port.ts";
import { opens } from "../schema.ts";
import { all, build, one, run, statement, value } from "../statement.ts";

const ofGroup = and(eq(opens.org, value("org")), eq(opens.run_group, value("run_group")));
const insert = statement(
  build
    .insert(opens)
    .values({
      org: value("org"),
      run_group: value("run_group"),
      via: value("via"),
      day: value("day"),
      member: value("member"),
    })
    .onConflictDoNothing(),
);
const countByVia = statement(
  build
    .select({ via: opens.via, opens: count().as("opens") })
    .from(opens)
    .where(ofGroup)
    .groupBy(opens.via)
    .orderBy(opens.via),
);
const countMembers = statement(
  build
    .select({ members: sql<number>`count(distinct ${opens.member})`.as("members") })
    .from(opens)
    .where(and(ofGroup, ne(opens.member, ""))),
);
const countAnonymous = statement(
  build
    .select({ anonymous: count().as("anonymous") })
    .from(opens)
    .where(and(ofGroup, eq(opens.member, ""))),
);

/** Opens of what one org sent. */
export class OpenRepository implements Opens {
  readonly #engine: Engine;
  readonly #org: string;

  constructor(engine: Engine, org: string) {
    this.#engine = engine;
    this.#org = org;
  }

  async count({ group, via, day, member }: OpenRow): Promise<boolean> {
    const values = { org: this.#org, run_group: group, via, day, member: member ?? "" };
    return (await this.#engine.writeOne(() => run(insert, values))) > 0;
  }

  async tally(group: string): Promise<OpensTally> {
    const key = { org: this.#org, run_group: group };
    return this.#engine.read(function* () {
      const byVia = yield* all(countByVia, key);
      const members = (yield* one(countMembers, key))?.members ?? 0;
      const anonymous = (yield* one(countAnonymous, key))?.anonymous ?? 0;
      return { byVia, members: Number(members), anonymous };
    });
  }
}
