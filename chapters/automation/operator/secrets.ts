import type { z } from "zod";
import { auditAct } from "../../audit.ts";
import type { ServiceCtx } from "../../context.ts";
import { rotateAnonKey } from "../../evidence/anonymize/pseudonym-keys.ts";
import {
  dropObsWrite,
  putObsWrite as leaveObsWrite,
  OBS_WRITE,
  type ObsWriteCredential,
} from "../../organization/obs-write.ts";
import { inOrg } from "./in-org.ts";

/** Leaves the org's credential for writing to its observability vendor, sealed; null takes it away. */
export async function putObsWrite(
  service: ServiceCtx,
  input: { readonly orgtag: string; readonly credential: z.infer<typeof ObsWriteCredential> | null },
) {
  const ctx = await inOrg(service, input.orgtag);
  const { credential } = input;
  if (credential === null) await dropObsWrite(ctx);
  else await leaveObsWrite(ctx, credential);
  return { org: ctx.org.tag, name: OBS_WRITE, set: credential !== null };
}

/** Gives the org a new key for its pseudonyms; those that the key before made can be made again by nobody. */
export async function rotateAnonKeyAct(service: ServiceCtx, input: { readonly orgtag: string }) {
  const ctx = await inOrg(service, input.orgtag);
  const had = await rotateAnonKey(ctx);
  await auditAct(ctx, "anon_key_rotated", { had });
  const scrubbed = await ctx.lifecycle.vacuum();
  return {
    org: ctx.org.tag,
    rotated: true as const,
    had,
    scrubbed,
    note: "Evidence that comes from now on has other pseudonyms than before: the two do not join.",
  };
}
