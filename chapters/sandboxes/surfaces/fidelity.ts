import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { AnswerShape } from "../../records/sandboxes/audit.ts";
import { publicProposal } from "../../records/sandboxes/proposals.ts";
import { checkAgainstShapes } from "../authoring/answer-shapes.ts";
import { findEnvironment } from "../environments/environment-records.ts";

/** Fidelity of its worlds on calls not used to compile, with a plain recording's; absent parts were not measured. */
export async function environmentFidelity(ctx: Ctx, input: { readonly env_id: string }) {
  const environment = await findEnvironment(ctx, input.env_id);
  const { record } = await loadBundle(ctx, environment.bundle);
  const expected = (await ctx.store.records.count(AnswerShape, { environment: environment.id })) > 0;
  return {
    environment: environment.id,
    bundle: record.id,
    exceptions: record.exceptions,
    gaps: record.gaps,
    tier: "deterministic" as const,
    ...(record.fidelity === undefined ? {} : { fidelity: record.fidelity }),
    ...(record.proposed === undefined ? {} : { proposed: publicProposal(record.proposed) }),
    ...(expected ? { answer_shapes: await checkAgainstShapes(ctx, environment) } : {}),
  };
}
