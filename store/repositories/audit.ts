import type { Page } from "../../chapters/page.ts";
import { CHAIN_START, chainHash } from "../audit-chain.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, desc, eq, gt, lt } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import type { AuditLine, AuditLog, OrderedPage } from "../port.ts";
import { audit } from "../schema.ts";
import { all, build, byShape, exclude, one, run, statement, value } from "../statement.ts";
import { canonicalText, columnText } from "../text.ts";

const ofOrg = eq(audit.org, value("org"));
const columns = {
  seq: audit.seq,
  at: audit.at,
  by: audit.by,
  act: audit.act,
  fields: audit.fields,
  hash: audit.hash,
};
const selectLast = statement(
  build.select({ seq: audit.seq, hash: audit.hash }).from(audit).where(ofOrg).orderBy(desc(audit.seq)).limit(1),
);
const insert = statement(
  build.insert(audit).values({
    org: value("org"),
    seq: value("seq"),
    at: value("at"),
    by: value("by"),
    act: value("act"),
    fields: value("fields"),
    hash: value("hash"),
  }),
);
const selectPage = byShape((newest: boolean, follows: boolean) =>
  statement(
    build
      .select(columns)
      .from(audit)
      .where(and(ofOrg, follows ? (newest ? lt : gt)(audit.seq, value("after")) : undefined))
      .orderBy(newest ? desc(audit.seq) : asc(audit.seq))
      .limit(value("limit")),
  ),
);

/** One org's audit log. Lines are numbered from 1 without gaps. */
export class AuditRepository implements AuditLog {
  readonly #engine: Engine;
  readonly #org: string;

  constructor(engine: Engine, org: string) {
    this.#engine = engine;
    this.#org = org;
  }

  async append(at: number, by: string, act: string, fields: AuditLine["fields"]): Promise<AuditLine> {
    const org = this.#org;
    const text = canonicalText(fields);
    // The hash covers what a reader will see, so what the columns keep.
    const kept = { at, by: columnText(by), act: columnText(act), fields: JSON.parse(text) as AuditLine["fields"] };
    return this.#engine.write(function* () {
      yield* exclude(`audit ${org}`);
      const last = yield* one(selectLast, { org });
      const line = { seq: (last?.seq ?? 0) + 1, ...kept };
      const hash = chainHash(last?.hash ?? CHAIN_START, org, line);
      yield* run(insert, { org, ...line, fields: text, hash });
      return { ...line, hash };
    });
  }

  async list(page?: OrderedPage): Promise<Page<AuditLine>> {
    const limit = pageLimit(page);
    const after = cursorKey("audit", "n", page)?.[0];
    const statement = selectPage(page?.order !== "oldest", after !== undefined);
    const values = { org: this.#org, limit: limit + 1, ...(after === undefined ? {} : { after }) };
    const rows = await this.#engine.read(() => all(statement, values));
    return pageOf(
      "audit",
      rows,
      limit,
      (row) => [row.seq],
      (row) => ({ ...row, fields: JSON.parse(row.fields) as AuditLine["fields"] }),
    );
  }
}
