import type { Ctx, ServiceCtx } from "../../context.ts";
import { orNotFound } from "../../errors.ts";

/** Works in an org as the operator. An unknown tag is a 404. */
export async function inOrg(ctx: ServiceCtx, tag: string): Promise<Ctx> {
  const org = orNotFound(await ctx.service.orgByTag(tag), "org");
  return ctx.inOrg(org);
}
