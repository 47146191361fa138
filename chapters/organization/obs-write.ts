import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { conflict } from "../errors.ts";
import type { ObsWriteKey } from "../ports/vendors.ts";
import { dropSecret, putSecret, readSecret } from "./secrets.ts";

/** The name under which the org's credential for writing to its observability vendor is kept. */
export const OBS_WRITE = "obs_write";

/** What opens the vendor for writing: two keys, and the site they are of. */
export const ObsWriteCredential = z.strictObject({
  api_key: z.string().min(1).max(500),
  app_key: z.string().min(1).max(500),
  site: z.string().min(1).max(60).default("datadoghq.com"),
});

/**
 * The org's own credential for writing to its observability vendor, in the open, for a send only; undefined when it left
 * none. A `conflict` when what it left is no JSON of `api_key`, `app_key` and `site`.
 */
export async function obsWriteKey(ctx: Ctx): Promise<ObsWriteKey | undefined> {
  const value = await readSecret(ctx, OBS_WRITE);
  if (value === undefined) return undefined;
  try {
    return ObsWriteCredential.parse(JSON.parse(value));
  } catch {
    throw conflict(
      'The org\'s obs_write credential cannot be used: it has to be JSON with api_key, app_key and site, such as {"api_key": "…", "app_key": "…", "site": "datadoghq.eu"}.',
    );
  }
}

/** Seals the org's credential for writing, in the place of the one before. */
export async function putObsWrite(
  ctx: Ctx,
  credential: z.infer<typeof ObsWriteCredential>,
  by?: string,
): Promise<void> {
  await putSecret(ctx, OBS_WRITE, JSON.stringify(credential), actor(ctx, by));
  await auditAct(ctx, "secret_set", { name: OBS_WRITE }, by);
}

/** Takes the org's credential for writing away. */
export async function dropObsWrite(ctx: Ctx, by?: string): Promise<void> {
  await dropSecret(ctx, OBS_WRITE);
  await auditAct(ctx, "secret_dropped", { name: OBS_WRITE }, by);
}
