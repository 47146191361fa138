import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { everyValue } from "../../dimensions/axes.ts";
import { everyRow, type PageInput, pageOf } from "../../page.ts";
import type { Doc } from "../../record.ts";
import { Door } from "../../records/sandboxes/doors.ts";
import { Environment, Surface } from "../../records/sandboxes/sandboxes.ts";

type SurfaceDoc = Doc<typeof Surface>;

/** Surfaces with the environments they host, newest first; retired ones are left out, superseded ones on request and named beside. */
export async function listSurfaces(ctx: Ctx, input: PageInput & { readonly superseded?: boolean | undefined }) {
  const page = await pageOf(
    (next) => ctx.store.records.list(Surface, next),
    input,
    (row) => row.retired_at === undefined && (input.superseded === true || row.superseded_by === undefined),
  );
  const surfaces = await Promise.all(page.items.map((row) => withEnvironments(ctx, row)));
  const heroes = (await everyValue(ctx, "use_case")).filter(
    ({ hero, status }) => hero === true && status !== "dismissed",
  );
  return {
    org: ctx.org.tag,
    surfaces,
    agent_door: await apiDoor(ctx),
    hero: heroes.map(({ value }) => value).sort(),
    previous: await previousOf(ctx),
    ...(page.next === undefined ? {} : { next: page.next }),
  };
}

async function withEnvironments(ctx: Ctx, surface: SurfaceDoc) {
  const { items } = await ctx.store.records.list(Environment, { where: { surface: surface.id }, limit: 500 });
  const environments = items
    .filter((row) => row.retired_at === undefined)
    .map(({ id, label, hypothesis, tasks, revision, created_at }) => ({
      id,
      label,
      hypothesis,
      tasks,
      revision,
      created_at,
    }));
  return { ...surface, environments };
}

/** A door and the sandbox that it opens on. */
export const ApiDoor = z.object({ tid: z.string(), sandbox: z.string() });
/** A surface that another stands for now. */
export const SupersededSurface = z.object({ id: z.string(), name: z.string(), superseded_by: z.string() });

/** The org's open API door, where it has one. */
async function apiDoor(ctx: Ctx): Promise<z.infer<typeof ApiDoor> | null> {
  const { items } = await ctx.store.records.list(Door, { where: { api: true }, limit: 500 });
  const open = items.find(({ revoked_at }) => revoked_at === undefined);
  return open ? { tid: open.id, sandbox: open.sandbox } : null;
}

/** Surfaces that another stands for now. */
async function previousOf(ctx: Ctx) {
  const previous: z.infer<typeof SupersededSurface>[] = [];
  for await (const { id, name, superseded_by, retired_at } of everyRow((page) => ctx.store.records.list(Surface, page)))
    if (superseded_by !== undefined && retired_at === undefined) previous.push({ id, name, superseded_by });
  return previous;
}
