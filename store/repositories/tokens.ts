import type { Page, PageInput } from "../../chapters/page.ts";
import type { Replacement, TokenRow, Tokens } from "../../chapters/ports/store.ts";
import { cursorKey, pageLimit, pageOf } from "../cursor.ts";
import { and, desc, eq, gt, isNull, lt, or } from "../drizzle.ts";
import { tokens } from "../schema.ts";
import { all, build, byShape, one, run, statement, value } from "../statement.ts";
import { OrgRepository } from "./org-repository.ts";

const byId = and(eq(tokens.org, value("org")), eq(tokens.id, value("id")));

/** What a token is read by. */
export const tokenColumns = {
  id: tokens.id,
  kind: tokens.kind,
  hash: tokens.hash,
  prefix: tokens.prefix,
  name: tokens.name,
  scope: tokens.scope,
  world: tokens.world,
  created_by: tokens.created_by,
  created_at: tokens.created_at,
  expires_at: tokens.expires_at,
  last_used_at: tokens.last_used_at,
  revoked_at: tokens.revoked_at,
};
const insert = statement(
  build.insert(tokens).values({
    org: value("org"),
    id: value("id"),
    kind: value("kind"),
    hash: value("hash"),
    prefix: value("prefix"),
    name: value("name"),
    scope: value("scope"),
    world: value("world"),
    created_by: value("created_by"),
    created_at: value("created_at"),
    expires_at: value("expires_at"),
    last_used_at: value("last_used_at"),
    revoked_at: value("revoked_at"),
  }),
);
const selectOne = statement(build.select(tokenColumns).from(tokens).where(byId));
const selectPage = byShape((follows: boolean, live: boolean) =>
  statement(
    build
      .select(tokenColumns)
      .from(tokens)
      .where(
        and(
          eq(tokens.org, value("org")),
          eq(tokens.kind, value("kind")),
          follows ? lt(tokens.id, value("after")) : undefined,
          live ? isNull(tokens.revoked_at) : undefined,
          live ? or(isNull(tokens.expires_at), gt(tokens.expires_at, value("now"))) : undefined,
        ),
      )
      .orderBy(desc(tokens.id))
      .limit(value("limit")),
  ),
);
const revoke = statement(
  build
    .update(tokens)
    .set({ revoked_at: value("at") })
    .where(and(byId, isNull(tokens.revoked_at))),
);
const touch = statement(
  build
    .update(tokens)
    .set({ last_used_at: value("at") })
    .where(and(byId, or(isNull(tokens.last_used_at), lt(tokens.last_used_at, value("at"))))),
);

const remove = statement(build.delete(tokens).where(byId));

/** Credentials of one org, newest first in lists. */
export class TokenRepository extends OrgRepository implements Tokens {
  async insert(row: TokenRow): Promise<void> {
    await this.engine.writeOne(() => run(insert, { ...row, org: this.org }));
  }

  async get(id: string): Promise<TokenRow | undefined> {
    return this.engine.read(() => one(selectOne, { org: this.org, id }));
  }

  async list(kind: TokenRow["kind"], page?: PageInput): Promise<Page<TokenRow>> {
    return this.#page(kind, undefined, page);
  }

  async live(kind: TokenRow["kind"], now: number, page?: PageInput): Promise<Page<TokenRow>> {
    return this.#page(kind, now, page);
  }

  async #page(kind: TokenRow["kind"], now: number | undefined, page: PageInput | undefined): Promise<Page<TokenRow>> {
    const limit = pageLimit(page);
    const after = cursorKey(`tokens.${kind}`, "s", page)?.[0];
    const given = { ...(after === undefined ? {} : { after }), ...(now === undefined ? {} : { now }) };
    const values = { org: this.org, kind, limit: limit + 1, ...given };
    const rows = await this.engine.read(() => all(selectPage(after !== undefined, now !== undefined), values));
    return pageOf(
      `tokens.${kind}`,
      rows,
      limit,
      (row) => [row.id],
      (row) => row,
    );
  }

  async replace(pairs: readonly Replacement[], at: number): Promise<string[]> {
    const org = this.org;
    // In the order of their ids, so that two who replace the same tokens never wait for each other.
    const ordered = pairs.toSorted((a, b) => (a.old < b.old ? -1 : 1));
    return this.engine.write(function* () {
      const replaced: string[] = [];
      for (const { old, row } of ordered) {
        if ((yield* run(revoke, { org, id: old, at })) === 0) continue;
        yield* run(insert, { ...row, org });
        replaced.push(old);
      }
      return replaced;
    });
  }

  async revoke(id: string, at: number): Promise<TokenRow | undefined> {
    const key = { org: this.org, id };
    return this.engine.write(function* () {
      yield* run(revoke, { ...key, at });
      return yield* one(selectOne, key);
    });
  }

  async touch(id: string, at: number): Promise<void> {
    await this.engine.writeOne(() => run(touch, { org: this.org, id, at }));
  }

  async delete(id: string): Promise<boolean> {
    return (await this.engine.writeOne(() => run(remove, { org: this.org, id }))) > 0;
  }
}
