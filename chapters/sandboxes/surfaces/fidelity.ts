import type { Ctx } from "../../context.ts";
import { heldToShapes } from "../authoring/answer-shapes.ts";
import { AnswerShape } from "../authoring/audit-schema.ts";
import { loadBundle } from "../blobs.ts";
import { findEnvironment } from "../environments/environment-records.ts";
import { publicProposal } from "../proposals/schema.ts";

/** How its worlds answer against observed calls that were not used to compile, with a plain recording beside; absent parts were not measured. */
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
    ...(expected ? { answer_shapes: await heldToShapes(ctx, environment) } : {}),
  };
}
