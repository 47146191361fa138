import { z } from "zod";
import type { Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import type { ObsWriteKey } from "../vendors.ts";
import { readSecret } from "./secrets.ts";

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
    throw new AppError(
      "conflict",
      'The org\'s obs_write credential cannot be used: it has to be JSON with api_key, app_key and site, such as {"api_key": "…", "app_key": "…", "site": "datadoghq.eu"}.',
    );
  }
}
