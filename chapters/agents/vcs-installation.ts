import type { Ctx } from "../context.ts";
import type { Doc } from "../record.ts";
import { VcsInstallation } from "./schema.ts";

/** An org has one installation of the code host's app, under a fixed id. */
export const VCS_INSTALLATION_ID = "vi_org";

/** The org's installation of the code host's app; undefined when it has none. */
export async function vcsInstallation(ctx: Ctx): Promise<Doc<typeof VcsInstallation> | undefined> {
  return ctx.store.records.get(VcsInstallation, VCS_INSTALLATION_ID);
}
