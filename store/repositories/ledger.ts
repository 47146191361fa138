import type { Page } from "../../chapters/page.ts";
import type { Ledger, LedgerRow, OrderedPage } from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, desc, eq, gte, sql } from "../drizzle.ts";
import { ledger } from "../schema.ts";
import { all, build, byShape, exclude, one, run, statement, type Values, value } from "../statement.ts";
import { OrgRepository } from "./org-repository.ts";

const columns = {
  id: ledger.id,
  at: ledger.at,
  job: ledger.job,
  kind: ledger.kind,
  who: ledger.who,
  micro_usd: ledger.micro_usd,
  note: ledger.note,
};
const since = and(eq(ledger.org, value("org")), gte(ledger.at, value("since")));
const insert = statement(
  build.insert(ledger).values({
    org: value("org"),
    id: value("id"),
    at: value("at"),
    job: value("job"),
    kind: value("kind"),
    who: value("who"),
    micro_usd: value("micro_usd"),
    note: value("note"),
  }),
);
const total = sql<number>`cast(coalesce(sum(${ledger.micro_usd}), 0) as bigint)`;
const selectTotal = statement(
  build
    .select({ total: total.as("total") })
    .from(ledger)
    .where(since),
);
const selectPage = byShape((newest: boolean, follows: boolean) => {
  const key = sql`(${ledger.at}, ${ledger.id})`;
  const after = sql`(${value("after_at")}, ${value("after_id")})`;
  return statement(
    build
      .select(columns)
      .from(ledger)
      .where(and(since, follows ? (newest ? sql`${key} < ${after}` : sql`${key} > ${after}`) : undefined))
      .orderBy(...(newest ? [desc(ledger.at), desc(ledger.id)] : [asc(ledger.at), asc(ledger.id)]))
      .limit(value("limit")),
  );
});

/** What one org spent, by time. */
export class LedgerRepository extends OrgRepository implements Ledger {
  async append(row: LedgerRow): Promise<void> {
    const { id, at, job, kind, who, micro_usd, note } = row;
    const values = { org: this.org, id, at, job, kind, who, micro_usd, note };
    await this.engine.writeOne(() => run(insert, values));
  }

  async reserve(row: LedgerRow, since: number, ceiling: number): Promise<boolean> {
    const org = this.org;
    const { id, at, job, kind, who, micro_usd, note } = row;
    return this.engine.write(function* () {
      yield* exclude(`ledger ${org}`);
      const spent = (yield* one(selectTotal, { org, since }))?.total ?? 0;
      if (spent + micro_usd > ceiling) return false;
      yield* run(insert, { org, id, at, job, kind, who, micro_usd, note });
      return true;
    });
  }

  async since(at: number): Promise<number> {
    return (await this.engine.read(() => one(selectTotal, { org: this.org, since: at })))?.total ?? 0;
  }

  async list(since: number, page?: OrderedPage): Promise<Page<LedgerRow>> {
    const limit = pageLimit(page);
    const key = cursorKey("ledger", "ns", page);
    const values: Record<string, Values[string]> = { org: this.org, since, limit: limit + 1 };
    if (key) [values.after_at, values.after_id] = [key[0] ?? 0, key[1] ?? ""];
    const rows = await this.engine.read(() => all(selectPage(page?.order !== "oldest", key !== undefined), values));
    return pageOf(
      "ledger",
      rows,
      limit,
      (row) => [row.at, row.id],
      (row) => row,
    );
  }
}
