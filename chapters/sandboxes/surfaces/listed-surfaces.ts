import { z } from "zod";
import { actor, type Ctx } from "../../context.ts";
import { badField, conflict, unprocessable } from "../../errors.ts";
import { storeEvidence } from "../../evidence/intake/store-evidence.ts";
import { once } from "../../evidence/reading/bytes.ts";
import { byField, orgField } from "../../fields.ts";
import { Surface } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { compileBundle, serveBundle, tellCompiled } from "./compile-bundle.ts";
import { readInputs, surfaceEvidence } from "./surface-evidence.ts";
import { ensureSurface, surfaceNamed } from "./surfaces.ts";

/** What `surfaces_post` takes. */
export const PostInput = z.object({
  ...orgField,
  name: z.string().min(1).max(100).describe("The surface's name; no other of the org's may have it."),
  tools: z
    .array(z.record(z.string(), z.unknown()))
    .min(1)
    .max(2000)
    .optional()
    .describe("Tool definitions, as tools/list answers them."),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional()
    .describe("A tool server's address, to be asked for its tools."),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,100}$/), z.string().max(8000))
    .optional()
    .describe("Sent to that server, and not kept."),
  ...byField,
});
export type PostInput = z.output<typeof PostInput>;

/**
 * Makes a surface of a tools listing, given or asked of a tool server's address, and compiles it. Its tools are served
 * as listed; until calls are observed it answers only what the listing itself settles, and no write succeeds. The
 * headers go to the server alone and are not kept.
 */
export async function postSurface(ctx: Ctx, input: PostInput) {
  const { name, tools, url } = input;
  if ((tools === undefined) === (url === undefined))
    throw badField("tools", "give a listing or the address of a tool server");
  const known = await surfaceNamed(ctx, name);
  if (known?.bundle !== undefined)
    throw conflict("A surface has this name already; send evidence to it, or choose another name.", {
      by: "surfaces_list",
    });
  const listing =
    tools === undefined ? await askServer(ctx, url ?? "", input.headers) : Buffer.from(JSON.stringify({ tools }));
  const { doc } = await storeEvidence(ctx, once(listing), {
    kind: "tool_listing",
    by: actor(ctx, input.by),
    surface: name,
    origin: tools === undefined ? "pull" : "push",
  });
  const surface = await ensureSurface(ctx, name);
  const bundle = await compileBundle(ctx, surface, await readInputs(ctx, await surfaceEvidence(ctx, name)), "1", {
    told: tellCompiled(ctx),
  });
  await serveBundle(ctx, bundle);
  await audited(ctx, input, "surface_made", { surface: surface.id, tools: bundle.tools });
  const stored = await ctx.store.records.get(Surface, surface.id);
  return {
    surface: stored ?? surface,
    bundle: bundle.id,
    evidence: doc.id,
    tools: bundle.tools,
    gaps: bundle.gaps.length,
    observed: false,
    note: "No call has been observed: send traces and run its pipeline, so that its worlds answer.",
  };
}

async function askServer(ctx: Ctx, url: string, headers: PostInput["headers"]): Promise<Uint8Array> {
  const target = { kind: "mcp_server" as const, external_id: url, scope: {}, services: [], auth: { headers } };
  const pulled = await ctx.vendors.sources.bodies(target, undefined, ctx.signal);
  for await (const { bytes } of pulled?.bodies ?? []) return bytes;
  throw unprocessable("The tool server lists no tools.");
}
