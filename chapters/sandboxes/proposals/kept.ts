import { Proposal } from "../../../worlds/propose/schema.ts";
import type { Given, Outcome } from "../../../worlds/propose/way.ts";
import { getJson, putJson } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import type { Doc } from "../../record.ts";
import type { Evidence } from "../../records/evidence/evidence.ts";
import type { KeptProposal, ProposedPrograms } from "../../records/sandboxes/proposals.ts";
import { BundleRecord, type Surface } from "../../records/sandboxes/sandboxes.ts";
import type { SurfaceInputs } from "../surfaces/surface-evidence.ts";
import { askForPrograms, requestDigest } from "./ask.ts";
import { policySections } from "./policies.ts";

/** The proposal that a surface's served bundle was compiled with: a newer compile judges it again, and asks nobody. */
export async function keptProposal(ctx: Ctx, { bundle }: Doc<typeof Surface>): Promise<KeptProposal | undefined> {
  return bundle === undefined ? undefined : (await ctx.store.records.get(BundleRecord, bundle))?.proposed;
}

/** A kept proposal as the compiler takes it; undefined where there is none to judge, or an earlier version wrote another form. */
export async function givenOf(ctx: Ctx, kept: KeptProposal | undefined): Promise<Given | undefined> {
  if (kept?.proposal_blob === undefined) return undefined;
  const program = Proposal.safeParse(await getJson(ctx, kept.proposal_blob));
  return program.success ? { by: kept.model, program: program.data } : undefined;
}

/** Asks a model for programs of a surface, and keeps what was asked and answered. */
export async function askForSurface(
  ctx: Ctx,
  surface: Doc<typeof Surface>,
  { traces, tools, records, digest }: SurfaceInputs,
  evidence: readonly Doc<typeof Evidence>[],
  asked: { readonly model: string; readonly usdCap?: number | undefined; readonly seed: string },
): Promise<KeptProposal> {
  const names = tools?.map(({ name }) => name) ?? [...new Set(traces.flatMap(({ calls }) => calls.map((c) => c.tool)))];
  const policies = await policySections(ctx, evidence, names);
  const { exchanges, proposal, ...rest } = await askForPrograms(ctx, {
    ...asked,
    ...{ name: surface.name, traces, tools, records, policies },
  });
  return {
    ...rest,
    calls: [...rest.calls],
    request_digest: requestDigest(digest, asked.model),
    exchanges_blob: await putJson(ctx, exchanges),
    ...(proposal === undefined ? {} : { proposal_blob: await putJson(ctx, proposal) }),
  };
}

/** What a bundle's record says of a proposal, after the compile judged it. */
export function judgedProposal(kept: KeptProposal, outcome: Outcome | undefined): ProposedPrograms {
  const { taken, reason, verdicts, cut } = outcome ?? {
    taken: false,
    reason: kept.note ?? "Nothing was proposed that could be replayed.",
    verdicts: [],
    cut: [],
  };
  return {
    ...kept,
    tier: "llm-derived",
    taken,
    reason,
    tools: verdicts.map((verdict) => ({ ...verdict })),
    cut: [...cut],
  };
}
