import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { startExtract, startReExtract } from "../../evidence/documents/extraction.ts";
import { byField, words } from "../../fields.ts";
import { acceptValue } from "../../ontology/dimensions/value-actions.ts";
import { drawPersona } from "../../ontology/personas/personas.ts";
import { startGeneration } from "../../sandboxes/environments/generate-environments.ts";
import { redrawSurface } from "../../sandboxes/environments/redraw.ts";
import { startPipeline } from "../run-pipeline.ts";
import type { IngestProposalDoc } from "./after-ingest-pass.ts";

/** What a caller may say beside the body that a proposal stored; each act takes what its own route takes. */
export const AcceptOptions = z.object({
  ...byField,
  model: words(200).optional().describe("Of what is started; by rule when absent."),
  reason: words(2_000).optional(),
  reauthor: z.boolean().optional().describe("Of a re-draw: write tasks again that no longer pass."),
  regate: z.boolean().optional().describe("Of a re-draw: certify the tasks again; true when absent."),
  reobserve: z.boolean().optional().describe("Of a re-draw: compile the evidence as it is now."),
  revert: z.boolean().optional().describe("Take the last re-draw back instead."),
  seed: words(200).optional().describe("The same seed draws and writes the same."),
});
export type AcceptOptions = z.output<typeof AcceptOptions>;

/** What an act did: the status of its own route, the job it started, and the records it changed. */
export interface Acted {
  readonly status: 200 | 202;
  readonly job: string | null;
  /** The newest revision that it made. */
  readonly revision: string | null;
  readonly touched: readonly string[];
}

/** The options that an act's own route takes. */
export const TAKES: Readonly<Record<string, readonly (keyof AcceptOptions)[]>> = {
  surface_world_redraw: ["by", "model", "reason", "reauthor", "regate", "reobserve", "revert", "seed"],
  pipeline_post: ["by"],
  generate_environments: ["by", "model", "seed"],
  dimensions_persona_draw: ["by"],
  dimension_value_accept: ["by", "reason"],
  evidence_extract: ["by"],
  evidence_re_extract: ["by"],
};

type Act = (ctx: Ctx, proposal: IngestProposalDoc, options: AcceptOptions) => Promise<Acted>;

/** What each operation named by a proposal does: the same function that its own route calls. */
const ACTS: Readonly<Record<string, Act>> = {
  surface_world_redraw: async (ctx, { target }, { by: _by, ...options }) => {
    const done = await redrawSurface(ctx, { ...options, reobserve: options.reobserve ?? true, surface: target });
    const touched = done.environments_refreshed.map(({ environment }) => environment);
    return { status: 200, job: null, revision: done.previous_kept.at(-1) ?? null, touched };
  },
  pipeline_post: async (ctx, { target, act }) => {
    const { job } = await startPipeline(ctx, { surface: String(act.body.surface) });
    return started(job, target);
  },
  generate_environments: async (ctx, { target, act }, { model, seed }) => {
    const { operation } = act.body.selection as { operation: string[] };
    const { job } = await startGeneration(ctx, { surface: target, selection: { operation }, model, seed });
    return started(job, target);
  },
  dimensions_persona_draw: async (ctx, { target, act }, { by }) => {
    const { job } = await drawPersona(ctx, { value: target, surface: String(act.body.surface), by });
    return started(job, target);
  },
  dimension_value_accept: async (ctx, { target }, { by, reason }) => {
    await acceptValue(ctx, { value_id: target, by, reason });
    return { status: 200, job: null, revision: null, touched: [target] };
  },
  evidence_extract: async (ctx, { target }) => started((await startExtract(ctx, { eid: target })).job, target),
  evidence_re_extract: async (ctx, { target }) => started((await startReExtract(ctx, { eid: target })).job, target),
};

function started(job: string, target: string): Acted {
  return { status: 202, job, revision: null, touched: [target] };
}

/** Does what a proposal stands for. Throws what the act's own route refuses with. */
export function actOn(ctx: Ctx, proposal: IngestProposalDoc, options: AcceptOptions): Promise<Acted> {
  const act = ACTS[proposal.act.operation];
  if (act === undefined) throw new Error("a proposal names an operation without an act");
  return act(ctx, proposal, options);
}
