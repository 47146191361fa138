import type { BaseCtx, ServiceCtx } from "../context.ts";
import type { Page, PageInput } from "../page.ts";
import type { OrgRow } from "../ports/store.ts";
import { Surface } from "../records/sandboxes/sandboxes.ts";

/** Who is calling: never the credential. The service-wide credential learns that it is global. */
export async function whoami(ctx: BaseCtx) {
  const { kind, name, scope, org } = ctx.caller;
  return { kind, name, scope, org: org?.tag ?? null, global: org === undefined };
}

/** The orgs a credential opens: every org for the operator, else its own. */
export async function listOrgs(ctx: ServiceCtx, input: PageInput) {
  const page = await opened(ctx, input);
  const orgs = await Promise.all(
    page.items.map(async (row) => ({
      org: row.tag,
      surfaces: await surfaceNames(ctx, row.id),
      created_at: row.created_at,
    })),
  );
  return { orgs, ...(page.next === undefined ? {} : { next: page.next }) };
}

async function opened(ctx: ServiceCtx, input: PageInput): Promise<Page<OrgRow>> {
  if (!ctx.caller.org) return ctx.service.orgs(input);
  const own = await ctx.service.orgById(ctx.caller.org.id);
  return { items: own ? [own] : [] };
}

async function surfaceNames(ctx: ServiceCtx, org: string): Promise<string[]> {
  const { items } = await ctx.service.forOrg(org).records.list(Surface, { limit: 500, order: "oldest" });
  return items.filter((surface) => surface.retired_at === undefined).map((surface) => surface.name);
}
