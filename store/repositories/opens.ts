import type { Page, PageInput } from "../../chapters/page.ts";
import type { OpenRow, Opens, OpensTally } from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, count, eq, ne, sql } from "../drizzle.ts";
import { opens } from "../schema.ts";
import { all, build, byShape, one, run, statement, value } from "../statement.ts";
import { OrgRepository } from "./org-repository.ts";

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

const selectPage = byShape((follows: boolean) => {
  const key = sql`(${opens.run_group}, ${opens.via}, ${opens.day}, ${opens.member})`;
  const after = sql`(${value("group")}, ${value("via")}, ${value("day")}, ${value("member")})`;
  return statement(
    build
      .select({ run_group: opens.run_group, via: opens.via, day: opens.day, member: opens.member })
      .from(opens)
      .where(and(eq(opens.org, value("org")), follows ? sql`${key} > ${after}` : undefined))
      .orderBy(asc(opens.run_group), asc(opens.via), asc(opens.day), asc(opens.member))
      .limit(value("limit")),
  );
});

/** Opens of what one org sent. */
export class OpenRepository extends OrgRepository implements Opens {
  async count({ group, via, day, member }: OpenRow): Promise<boolean> {
    const values = { org: this.org, run_group: group, via, day, member: member ?? "" };
    return (await this.engine.writeOne(() => run(insert, values))) > 0;
  }

  async tally(group: string): Promise<OpensTally> {
    const key = { org: this.org, run_group: group };
    return this.engine.read(function* () {
      const byVia = yield* all(countByVia, key);
      const members = (yield* one(countMembers, key))?.members ?? 0;
      const anonymous = (yield* one(countAnonymous, key))?.anonymous ?? 0;
      return { byVia, members: Number(members), anonymous };
    });
  }

  async list(page?: PageInput): Promise<Page<OpenRow>> {
    const limit = pageLimit(page);
    const key = cursorKey("opens", "ssns", page);
    const [group = "", via = "", day = 0, member = ""] = key ?? [];
    const values = { org: this.org, limit: limit + 1, ...(key ? { group, via, day, member } : {}) };
    const rows = await this.engine.read(() => all(selectPage(key !== undefined), values));
    return pageOf(
      "opens",
      rows,
      limit,
      (row) => [row.run_group, row.via, row.day, row.member],
      (row) => ({
        group: row.run_group,
        via: row.via,
        day: row.day,
        member: row.member === "" ? undefined : row.member,
      }),
    );
  }
}
