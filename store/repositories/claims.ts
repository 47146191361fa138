import type { Claims } from "../../chapters/ports/store.ts";
import { and, eq } from "../drizzle.ts";
import { claims, orgs } from "../schema.ts";
import { build, one, run, statement, value } from "../statement.ts";
import { OrgRepository } from "./org-repository.ts";

const insert = statement(
  build
    .insert(claims)
    .values({ name: value("name"), org: value("org"), at: value("at") })
    .onConflictDoNothing(),
);
const selectHolder = statement(
  build
    .select({ id: orgs.id, tag: orgs.tag })
    .from(claims)
    .innerJoin(orgs, eq(orgs.id, claims.org))
    .where(eq(claims.name, value("name"))),
);
const remove = statement(build.delete(claims).where(and(eq(claims.name, value("name")), eq(claims.org, value("org")))));

/** What one org alone holds in the workspace. */
export class ClaimRepository extends OrgRepository implements Claims {
  async take(name: string, at: number): Promise<{ readonly claimedBy: string } | undefined> {
    const org = this.org;
    return this.engine.write(function* () {
      if ((yield* run(insert, { name, org, at })) > 0) return undefined;
      const holder = yield* one(selectHolder, { name });
      return holder === undefined || holder.id === org ? undefined : { claimedBy: holder.tag };
    });
  }

  async release(name: string): Promise<boolean> {
    return (await this.engine.writeOne(() => run(remove, { name, org: this.org }))) > 0;
  }
}
