import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { digestOf } from "../../../worlds/digest.ts";
import { shownEffect } from "../../../worlds/shown-effects.ts";
import { putJson, readableBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import type { Doc } from "../../record.ts";
import type { KeptProposal } from "../../records/sandboxes/proposals.ts";
import { BundleRecord, type FidelityCounts, Surface } from "../../records/sandboxes/sandboxes.ts";
import { givenOf, judgedProposal, keptProposal } from "../proposals/kept.ts";
import { compileSurface } from "../tasks/compute-tasks.ts";
import type { SurfaceInputs } from "./surface-evidence.ts";
import { wrongAnswers } from "./wrong-answers.ts";

type BundleDoc = Doc<typeof BundleRecord>;

/** The bundle that these inputs compiled to, or undefined. */
export async function compiledBefore(ctx: Ctx, surface: string, inputs: string): Promise<BundleDoc | undefined> {
  const { items } = await ctx.store.records.list(BundleRecord, { where: { surface, inputs }, limit: 1 });
  const [newest] = items;
  return newest && (await readableBundle(ctx, newest)) ? newest : undefined;
}

/** Says how far a compile is where nothing else of the call or job counts. */
export const tellCompiled =
  (ctx: Ctx) =>
  (share: number): void =>
    ctx.progress(Math.floor(100 * share), 100, "percent compiled");

/**
 * Compiles a surface's inputs and stores the result; `serveBundle` makes it the version that is served. A proposal is
 * judged with them: the given one, else the one that the served version was compiled with.
 */
export async function compileBundle(
  ctx: Ctx,
  surface: Doc<typeof Surface>,
  inputs: SurfaceInputs,
  seed: string,
  { proposed, told }: { readonly proposed?: KeptProposal | undefined; readonly told?: (share: number) => void } = {},
): Promise<BundleDoc> {
  const { traces, tools, records } = inputs;
  const kept = proposed ?? (await keptProposal(ctx, surface));
  const proposal = await givenOf(ctx, kept);
  told?.(0);
  const { bundle, base, report, setAside, changed, fidelity, outOfFold } = await ctx.compute.run(
    compileSurface,
    { name: surface.name, traces, tools, records, seed, proposal },
    ctx.signal,
    told,
  );
  return storeBundle(ctx, bundle, base, {
    surface: surface.id,
    evidence: [...inputs.evidence],
    inputs: inputs.digest,
    conflicts: report.conflicts,
    ...(setAside === 0 ? {} : { set_aside: setAside }),
    ...(changed.length === 0 ? {} : { changed_tools: changed.map((one) => ({ ...one, fields: [...one.fields] })) }),
    ...(kept === undefined ? {} : { proposed: judgedProposal(kept, report.proposed) }),
    ...(fidelity === undefined
      ? {}
      : { fidelity: fidelityOf(fidelity), wrong_blob: await putJson(ctx, wrongAnswers(fidelity.rows)) }),
    ...(inputs.listings === undefined ? {} : { listings: inputs.listings }),
    ...(outOfFold === undefined ? {} : { out_of_fold: outOfFold }),
  });
}

/** Stores a bundle with its initial state, and what is known of where they come from. */
export async function storeBundle(
  ctx: Ctx,
  bundle: Bundle,
  base: BaseState,
  origin: Pick<
    BundleDoc,
    | "surface"
    | "evidence"
    | "inputs"
    | "conflicts"
    | "set_aside"
    | "changed_tools"
    | "fidelity"
    | "wrong_blob"
    | "out_of_fold"
    | "declared"
    | "listings"
    | "proposed"
  >,
): Promise<BundleDoc> {
  const record: BundleDoc = {
    id: ctx.id("bd"),
    created_at: ctx.now(),
    by: ctx.caller.name,
    ...origin,
    digest: digestOf(bundle),
    bundle_blob: await putJson(ctx, bundle),
    base_blob: await putJson(ctx, base),
    tools: bundle.tools.length,
    readonly_tools: bundle.tools.map(({ name }) => name).filter((name) => shownEffect(bundle, name).effect === "none"),
    tables: Object.fromEntries(Object.entries(base.tables).map(([table, rows]) => [table, Object.keys(rows).length])),
    exceptions: bundle.exceptions.length,
    gaps: bundle.gaps,
    ...(bundle.user_tools === undefined ? {} : { user_tools: bundle.user_tools.map(({ name }) => name) }),
  };
  await ctx.store.records.insert(BundleRecord, record);
  return record;
}

/** Makes a bundle the version that its surface serves; versions keep the order in which they were first served. */
export async function serveBundle(ctx: Ctx, bundle: BundleDoc): Promise<void> {
  const { id, digest, evidence } = bundle;
  await ctx.store.records.update(Surface, bundle.surface, (row) => ({
    ...row,
    bundle: id,
    evidence,
    versions: row.versions.some((version) => version.bundle === id)
      ? row.versions
      : [...row.versions, { bundle: id, digest, created_at: ctx.now(), by: ctx.caller.name }],
  }));
}

/** The counts that are kept with a bundle. */
function stored(counts: FidelityCounts): FidelityCounts {
  const { calls, identical, identical_volatile, same_shape, same_class, not_served, wrong_success, wrong_answer } =
    counts;
  return {
    ...{ calls, identical, identical_volatile, same_shape, same_class, not_served, wrong_success },
    ...(wrong_answer === undefined ? {} : { wrong_answer }),
    recording: baselineCounts(counts.recording),
    ...(counts.recording_nth === undefined ? {} : { recording_nth: baselineCounts(counts.recording_nth) }),
    ...(counts.floor === undefined ? {} : { floor: baselineCounts(counts.floor) }),
  };
}

function baselineCounts(counts: FidelityCounts["recording"]): FidelityCounts["recording"] {
  const { identical, identical_volatile, not_served, wrong_success, wrong_answer } = counts;
  return { identical, identical_volatile, not_served, wrong_success, wrong_answer };
}

type Measured = NonNullable<Awaited<ReturnType<typeof compileSurface.run>>["fidelity"]>;

function fidelityOf(report: Measured): NonNullable<BundleDoc["fidelity"]> {
  const tools = Object.entries(report.tools).map(([tool, counts]) => [tool, stored(counts)] as const);
  return { all: stored(report), tools: Object.fromEntries(tools), traces: report.trajectories, tier: report.tier };
}
