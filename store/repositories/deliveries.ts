import type { Page, PageInput } from "../../chapters/page.ts";
import type { Deliveries, DeliveryRow } from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, desc, eq, lt } from "../drizzle.ts";
import { deliveries } from "../schema.ts";
import { all, build, byShape, one, run, statement, value } from "../statement.ts";
import { canonicalText } from "../text.ts";
import { OrgRepository } from "./org-repository.ts";

const ofOrg = eq(deliveries.org, value("org"));
const columns = {
  id: deliveries.id,
  at: deliveries.at,
  by: deliveries.by,
  channel: deliveries.channel,
  run_group: deliveries.run_group,
  target: deliveries.target,
  reference: deliveries.reference,
};
const insert = statement(
  build.insert(deliveries).values({
    org: value("org"),
    id: value("id"),
    at: value("at"),
    by: value("by"),
    channel: value("channel"),
    run_group: value("run_group"),
    target: value("target"),
    reference: value("reference"),
  }),
);
const selectPage = byShape((follows: boolean) =>
  statement(
    build
      .select(columns)
      .from(deliveries)
      .where(and(ofOrg, follows ? lt(deliveries.id, value("after")) : undefined))
      .orderBy(desc(deliveries.id))
      .limit(value("limit")),
  ),
);
const selectLast = statement(
  build
    .select(columns)
    .from(deliveries)
    .where(and(ofOrg, eq(deliveries.channel, value("channel"))))
    .orderBy(desc(deliveries.id))
    .limit(1),
);

/** What one org sent, newest first. Lines are added and never changed. */
export class DeliveryRepository extends OrgRepository implements Deliveries {
  async append({ id, at, by, channel, group, target, reference }: DeliveryRow): Promise<void> {
    const values = { org: this.org, id, at, by, channel, run_group: group, target };
    await this.engine.writeOne(() => run(insert, { ...values, reference: canonicalText(reference) }));
  }

  async list(page?: PageInput): Promise<Page<DeliveryRow>> {
    const limit = pageLimit(page);
    const after = cursorKey("deliveries", "s", page)?.[0];
    const values = { org: this.org, limit: limit + 1, ...(after === undefined ? {} : { after }) };
    const rows = await this.engine.read(() => all(selectPage(after !== undefined), values));
    return pageOf("deliveries", rows, limit, (row) => [row.id], rowOf);
  }

  async last(channel: string): Promise<DeliveryRow | undefined> {
    const row = await this.engine.read(() => one(selectLast, { org: this.org, channel }));
    return row && rowOf(row);
  }
}

function rowOf({
  run_group,
  reference,
  ...row
}: Omit<DeliveryRow, "group" | "reference"> & {
  readonly run_group: string;
  readonly reference: string;
}): DeliveryRow {
  return { ...row, group: run_group, reference: JSON.parse(reference) as DeliveryRow["reference"] };
}
