import { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import type { Persona } from "../../../worlds/tasks/words/voices.ts";
import { getJson, putJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import type { Doc } from "../../record.ts";
import { type BundleRecord, Environment, Surface } from "../../records/sandboxes/sandboxes.ts";
import { type Hypothesis, startingRows } from "../surfaces/hypotheses.ts";
import { drawState } from "../tasks/compute-tasks.ts";

type BundleDoc = Doc<typeof BundleRecord>;
type EnvironmentDoc = Doc<typeof Environment>;

/** What an environment is drawn with, and what its tasks are to be written with. */
export interface DrawPlan {
  readonly label: string;
  readonly seed: string;
  readonly augment: boolean;
  readonly selection: Readonly<Record<string, string[]>>;
  /** How many tasks are to be written on it. */
  readonly tasks: number;
  /** Who asks, where it was stated; others, or with other words, are another environment. */
  readonly personas?: readonly Persona[];
  /** The representation to draw from; by `augment` when absent. */
  readonly hypothesis?: Hypothesis;
}

/** Draws a state from a bundle under a hypothesis and audits it; nothing but the blob is stored. The same seed draws the same bytes. */
export async function drawFrom(
  ctx: Ctx,
  bundle: BundleDoc,
  { hypothesis, seed }: { readonly hypothesis: Hypothesis; readonly seed: string },
) {
  const compiled = Bundle.parse(await getJson(ctx, bundle.bundle_blob));
  const observed = BaseState.parse(await getJson(ctx, bundle.base_blob));
  const rows = await startingRows(ctx, bundle, { bundle: compiled, base: observed }, hypothesis);
  const { base, audit } = await ctx.compute.run(
    drawState,
    { bundle: compiled, base: rows, seed, augment: hypothesis === "fitted" },
    ctx.signal,
  );
  const draw = { bundle: bundle.id, hypothesis, seed, base_blob: await putJson(ctx, base), rows: rowCounts(base) };
  return { draw, audit };
}

/** Draws an environment of a bundle; the same bundle and plan answer the one drawn before, unless it was retired. */
export async function drawEnvironment(ctx: Ctx, bundle: BundleDoc, plan: DrawPlan): Promise<EnvironmentDoc> {
  const { environment, stored } = await drawUnstored(ctx, bundle, plan);
  if (!stored) await ctx.store.records.insert(Environment, environment);
  return environment;
}

/** The same, not stored where it is new: for an environment that is only to be with its tasks. */
export async function drawUnstored(
  ctx: Ctx,
  bundle: BundleDoc,
  plan: DrawPlan,
): Promise<{ readonly environment: EnvironmentDoc; readonly stored: boolean }> {
  const digest = digestOf(plan);
  const { items } = await ctx.store.records.list(Environment, {
    where: { bundle: bundle.id, plan: digest },
    limit: 500,
  });
  const same = items.find((row) => row.retired_at === undefined);
  if (same) return { environment: same, stored: true };
  // Retired while a job waited to draw: a new state of it would stand on pages that the surface is off.
  if ((await ctx.store.records.get(Surface, bundle.surface))?.retired_at !== undefined)
    throw conflict("The surface is retired; restore it first.", { by: "surface_restore" });
  const hypothesis = plan.hypothesis ?? (plan.augment ? "fitted" : "observed");
  const { draw } = await drawFrom(ctx, bundle, { hypothesis, seed: plan.seed });
  const environment: EnvironmentDoc = {
    id: ctx.id("env"),
    created_at: ctx.now(),
    by: ctx.caller.name,
    label: plan.label,
    surface: bundle.surface,
    ...draw,
    selection: { ...plan.selection },
    tasks: 0,
    revision: 1,
    plan: digest,
  };
  return { environment, stored: false };
}

function rowCounts(base: BaseState): EnvironmentDoc["rows"] {
  return Object.fromEntries(
    Object.entries(base.tables).map(([table, rows]) => [
      table,
      { rows: Object.keys(rows).length, drawn: base.drawn[table]?.length ?? 0 },
    ]),
  );
}
