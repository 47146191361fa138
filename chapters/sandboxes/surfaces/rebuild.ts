import { z } from "zod";
import { loadBundle } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { conflict, notFound, unprocessable } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { BundleRecord, Surface } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { surfaceRef, whyField } from "../fields.ts";
import { compileBundle, tellCompiled } from "./compile-bundle.ts";
import { declaredAgain } from "./declare-bundle.ts";
import { evidenceOf, readInputs } from "./surface-evidence.ts";
import { findSurface, liveSurface } from "./surfaces.ts";

type BundleDoc = Doc<typeof BundleRecord>;

/** What `surface_rebuild` takes. */
export const RebuildInput = z.object({
  ...surfaceRef,
  ...whyField,
  mode: z.enum(["in_place", "check"]).optional().describe("`in_place` when absent."),
});
export type RebuildInput = z.output<typeof RebuildInput>;

/** How a compiled version did on held-out calls, for telling a better one from a worse one. */
function measured({ fidelity, exceptions, gaps }: BundleDoc) {
  return {
    exceptions,
    gaps: gaps.length,
    ...(fidelity === undefined
      ? {}
      : {
          calls: fidelity.all.calls,
          identical_volatile: fidelity.all.identical_volatile,
          wrong_success: fidelity.all.wrong_success,
        }),
  };
}

/**
 * Compiles the served version of a surface again from the same evidence, under the compiler of now, and serves the
 * result in its place; environments keep the version they were drawn from until they are refreshed. One that answers
 * fewer held-out calls right, or more of them wrongly, is not served. With `check` it only tells.
 */
export async function rebuildSurface(ctx: Ctx, input: RebuildInput) {
  const surface = liveSurface(await findSurface(ctx, input.surface));
  if (surface.bundle === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
  const { record: was } = await loadBundle(ctx, surface.bundle);
  const evidence = await evidenceOf(ctx, was.evidence);
  if (evidence.length === 0 || evidence.length < was.evidence.length)
    throw unprocessable("Evidence that this version was compiled from is gone; run the pipeline instead.", {
      by: "pipeline_post",
    });
  const compiled = await compileBundle(ctx, surface, await readInputs(ctx, evidence), "1", {
    told: tellCompiled(ctx),
  });
  const is = await declaredAgain(ctx, was, compiled);
  const same = is.digest === was.digest && is.base_blob === was.base_blob;
  const worse = !same && answersWorse(was, is);
  const served = !same && !worse && input.mode !== "check";
  if (served) await replaceVersion(ctx, surface.id, { was, is, reason: input.reason });
  else if (is.id !== was.id) await ctx.store.records.delete(BundleRecord, is.id);
  // What was compiled under the declarations is of no more use: they say what is served.
  if (compiled.id !== is.id) await ctx.store.records.delete(BundleRecord, compiled.id);
  await audited(ctx, {}, "surface_rebuilt", { surface: surface.id, served, same });
  return {
    surface: surface.name,
    code: same
      ? ("unchanged" as const)
      : worse
        ? ("refused" as const)
        : served
          ? ("rebuilt" as const)
          : ("would_change" as const),
    error: worse ? "The version compiled now answers held-out calls worse; the one before is served on." : null,
    version: { was: was.id, is: served ? is.id : was.id },
    digest: { was: was.digest, is: is.digest },
    measured: { was: measured(was), is: measured(is) },
    tier: "deterministic" as const,
  };
}

function answersWorse({ fidelity: was }: BundleDoc, { fidelity: is }: BundleDoc): boolean {
  if (!was || !is || was.all.calls === 0 || is.all.calls === 0) return false;
  const right = (of: NonNullable<BundleDoc["fidelity"]>) => of.all.identical_volatile / of.all.calls;
  const wrong = (of: NonNullable<BundleDoc["fidelity"]>) => of.all.wrong_success / of.all.calls;
  return right(is) < right(was) || wrong(is) > wrong(was);
}

async function replaceVersion(
  ctx: Ctx,
  surface: string,
  { was, is, reason }: { readonly was: BundleDoc; readonly is: BundleDoc; readonly reason: string | undefined },
): Promise<void> {
  const at = ctx.now();
  const by = actor(ctx, undefined);
  const updated = await ctx.store.records.update(Surface, surface, (row) => {
    if (row.bundle !== was.id) throw conflict("Another version was served meanwhile; rebuild again.");
    const versions = row.versions.map((version) =>
      version.bundle === was.id ? { ...version, bundle: is.id, digest: is.digest } : version,
    );
    const rebuilt = { was: was.id, is: is.id, at, by, ...(reason === undefined ? {} : { reason }) };
    return { ...row, bundle: is.id, versions, rebuilt: [...(row.rebuilt ?? []), rebuilt] };
  });
  if (!updated) throw notFound("surface");
}
