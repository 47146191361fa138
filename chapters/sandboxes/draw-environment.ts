import { BaseState, Bundle } from "../../worlds/bundle.ts";
import type { Ctx } from "../context.ts";
import type { Doc } from "../record.ts";
import { getJson, jsonDigest, putJson } from "./blobs.ts";
import { drawState } from "./compute-tasks.ts";
import { type BundleRecord, Environment } from "./schema.ts";

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
}

/** Draws an environment of a bundle; the same bundle and plan answer the one drawn before, unless it was retired. */
export async function drawEnvironment(ctx: Ctx, bundle: BundleDoc, plan: DrawPlan): Promise<EnvironmentDoc> {
  const digest = jsonDigest(plan);
  const { items } = await ctx.store.records.list(Environment, {
    where: { bundle: bundle.id, plan: digest },
    limit: 500,
  });
  const same = items.find((row) => row.retired_at === undefined);
  if (same) return same;
  const [compiled, observed] = [
    Bundle.parse(await getJson(ctx, bundle.bundle_blob)),
    BaseState.parse(await getJson(ctx, bundle.base_blob)),
  ];
  const { base } = await ctx.compute.run(
    drawState,
    { bundle: compiled, base: observed, seed: plan.seed, augment: plan.augment },
    ctx.signal,
  );
  const environment: EnvironmentDoc = {
    id: ctx.id("env"),
    created_at: ctx.now(),
    by: ctx.caller.name,
    label: plan.label,
    surface: bundle.surface,
    bundle: bundle.id,
    hypothesis: plan.augment ? "fitted" : "observed",
    seed: plan.seed,
    base_blob: await putJson(ctx, base),
    rows: rowCounts(base),
    selection: { ...plan.selection },
    tasks: 0,
    revision: 1,
    plan: digest,
  };
  await ctx.store.records.insert(Environment, environment);
  return environment;
}

function rowCounts(base: BaseState): EnvironmentDoc["rows"] {
  return Object.fromEntries(
    Object.entries(base.tables).map(([table, rows]) => [
      table,
      { rows: Object.keys(rows).length, drawn: base.drawn[table]?.length ?? 0 },
    ]),
  );
}
