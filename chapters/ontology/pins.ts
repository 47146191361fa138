import type { Ctx } from "../context.ts";
import { notFound } from "../errors.ts";
import { everyRow } from "../page.ts";
import type { Doc } from "../record.ts";
import { OntologyPin } from "../records/ontology/ontology.ts";
import { namesPass } from "./names-pass.ts";
import { theSurface } from "./surfaces.ts";

/** What readers said of a surface's graphs, newest first, the pin that stands among them; one of them by its id. */
export async function listPins(
  ctx: Ctx,
  input: { readonly surface?: string | undefined; readonly pin?: string | undefined },
) {
  const surface = await theSurface(ctx, input.surface);
  const pins: Doc<typeof OntologyPin>[] = [];
  const where = { surface: surface.id };
  for await (const pin of everyRow((page) => ctx.store.records.list(OntologyPin, { ...page, where }))) pins.push(pin);
  const asked = pins.filter(({ id }) => input.pin === undefined || id === input.pin);
  if (input.pin !== undefined && asked.length === 0) throw notFound("pin");
  return { org: ctx.org.tag, surface: surface.name, prompt_version: namesPass.version, pins: asked };
}
