import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { AnswerShape } from "../../records/sandboxes/audit.ts";
import { publicProposal } from "../../records/sandboxes/proposals.ts";
import { checkAgainstShapes } from "../authoring/answer-shapes.ts";
import { findEnvironment } from "../environments/environment-records.ts";
import { readWrongAnswers } from "./read-wrong-answers.ts";

/** How many of the measured tools a refusal names. */
const NAMED = 40;

interface FidelityInput {
  readonly env_id: string;
  readonly wrong_of?: string | undefined;
}

/** Fidelity of its worlds on calls not used to compile, with a plain recording's; absent parts were not measured. */
export async function environmentFidelity(ctx: Ctx, input: FidelityInput) {
  const environment = await findEnvironment(ctx, input.env_id);
  const { record } = await loadBundle(ctx, environment.bundle);
  const wrong = input.wrong_of === undefined ? undefined : await wrongOf(ctx, record, input.wrong_of);
  const expected = (await ctx.store.records.count(AnswerShape, { environment: environment.id })) > 0;
  return {
    environment: environment.id,
    bundle: record.id,
    exceptions: record.exceptions,
    gaps: record.gaps,
    tier: "deterministic" as const,
    ...(record.fidelity === undefined ? {} : { fidelity: record.fidelity }),
    ...(record.proposed === undefined ? {} : { proposed: publicProposal(record.proposed) }),
    ...(wrong === undefined ? {} : { wrong: [...wrong] }),
    ...(expected ? { answer_shapes: await checkAgainstShapes(ctx, environment) } : {}),
  };
}

async function wrongOf(ctx: Ctx, record: Parameters<typeof readWrongAnswers>[1], tool: string) {
  const known = Object.keys(record.fidelity?.tools ?? {});
  if (record.fidelity !== undefined && !known.includes(tool))
    throw badField("wrong_of", `is no tool that was measured; measured are ${known.slice(0, NAMED).join(", ")}`);
  return readWrongAnswers(ctx, record, tool);
}
