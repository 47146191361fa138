import type { SQL } from "drizzle-orm";
import type { Page, PageInput } from "../../chapters/page.ts";
import type { OrgRow, TokenRow } from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, asc, eq, gt, isNull, sql } from "../drizzle.ts";
import type { Engine } from "../engine.ts";
import { claims, jobs, orgs, records, settings, tokens } from "../schema.ts";
import { all, build, byShape, one, run, statement, value } from "../statement.ts";
import { tokenColumns } from "./tokens.ts";

const orgColumns = { id: orgs.id, tag: orgs.tag, created_at: orgs.created_at };
const insertOrg = statement(
  build
    .insert(orgs)
    .values({ id: value("id"), tag: value("tag"), created_at: value("created_at"), removed_at: null })
    .onConflictDoNothing(),
);
/** Not on its way out. */
const stands = isNull(orgs.removed_at);
const selectByTag = statement(
  build
    .select(orgColumns)
    .from(orgs)
    .where(and(eq(orgs.tag, value("tag")), stands)),
);
const selectById = statement(
  build
    .select(orgColumns)
    .from(orgs)
    .where(and(eq(orgs.id, value("id")), stands)),
);
const selectOrgs = byShape((follows: boolean) =>
  statement(
    build
      .select(orgColumns)
      .from(orgs)
      .where(and(stands, follows ? gt(orgs.id, value("after")) : undefined))
      .orderBy(asc(orgs.id))
      .limit(value("limit")),
  ),
);

/** The org, one that stands, with a row of this id: the first of them where copies of one org are in several. */
const orgHolding = (table: typeof records | typeof jobs | typeof tokens, more?: SQL) =>
  statement(
    build
      .select({ org: table.org })
      .from(table)
      .innerJoin(orgs, eq(orgs.id, table.org))
      .where(and(eq(table.id, value("id")), more, stands))
      .orderBy(asc(table.org))
      .limit(1),
  );
const orgOfRecord = orgHolding(records, eq(records.kind, value("kind")));
const orgOfJob = orgHolding(jobs);
const orgOfToken = orgHolding(tokens);
const orgOfClaim = statement(
  build
    .select(orgColumns)
    .from(claims)
    .innerJoin(orgs, eq(orgs.id, claims.org))
    .where(and(eq(claims.name, value("name")), stands)),
);
const selectToken = statement(
  build
    .select({
      ...tokenColumns,
      org: tokens.org,
      org_tag: sql<string>`${orgs.tag}`.as("org_tag"),
      org_created_at: sql<number>`${orgs.created_at}`.as("org_created_at"),
    })
    .from(tokens)
    .innerJoin(orgs, eq(orgs.id, tokens.org))
    .where(and(eq(tokens.hash, value("hash")), stands)),
);
const selectSetting = statement(
  build
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.name, value("name"))),
);
const putSetting = statement(
  build
    .insert(settings)
    .values({ name: value("name"), value: value("value") })
    .onConflictDoUpdate({ target: [settings.name], set: { value: value("value") } }),
);

/** What crosses orgs: workspaces, whose an id is, credentials by hash, values of the workspace itself. */
export class Directory {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** False when the id or the tag is taken. */
  async createOrg({ id, tag, created_at }: OrgRow): Promise<boolean> {
    return (await this.#engine.writeOne(() => run(insertOrg, { id, tag, created_at }))) > 0;
  }

  async orgByTag(tag: string): Promise<OrgRow | undefined> {
    return this.#engine.read(() => one(selectByTag, { tag }));
  }

  async orgById(id: string): Promise<OrgRow | undefined> {
    return this.#engine.read(() => one(selectById, { id }));
  }

  /** Oldest first. */
  async orgs(page?: PageInput): Promise<Page<OrgRow>> {
    const limit = pageLimit(page);
    const after = cursorKey("orgs", "s", page)?.[0];
    const values = { limit: limit + 1, ...(after === undefined ? {} : { after }) };
    const rows = await this.#engine.read(() => all(selectOrgs(after !== undefined), values));
    return pageOf(
      "orgs",
      rows,
      limit,
      (row) => [row.id],
      (row) => row,
    );
  }

  async orgOfRecord(kind: string, id: string): Promise<string | undefined> {
    return (await this.#engine.read(() => one(orgOfRecord, { kind, id })))?.org;
  }

  async orgOfJob(id: string): Promise<string | undefined> {
    return (await this.#engine.read(() => one(orgOfJob, { id })))?.org;
  }

  async orgOfToken(id: string): Promise<string | undefined> {
    return (await this.#engine.read(() => one(orgOfToken, { id })))?.org;
  }

  async orgOfClaim(name: string): Promise<OrgRow | undefined> {
    return this.#engine.read(() => one(orgOfClaim, { name }));
  }

  async tokenByHash(hash: string): Promise<{ readonly org: OrgRow; readonly token: TokenRow } | undefined> {
    const found = await this.#engine.read(() => one(selectToken, { hash }));
    if (!found) return undefined;
    const { org: id, org_tag: tag, org_created_at: created_at, ...token } = found;
    return { org: { id, tag, created_at }, token };
  }

  async setting(name: string): Promise<string | undefined> {
    return (await this.#engine.read(() => one(selectSetting, { name })))?.value;
  }

  async putSetting(name: string, value: string): Promise<void> {
    await this.#engine.writeOne(() => run(putSetting, { name, value }));
  }
}
