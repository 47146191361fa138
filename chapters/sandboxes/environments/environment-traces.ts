import type { ObservedTrace } from "../../../worlds/observation.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { evidenceOf, readInputs } from "../surfaces/surface-evidence.ts";
import type { EnvironmentDoc } from "./environment-records.ts";

/** The sessions that an environment was compiled from. */
export async function tracesOf(ctx: Ctx, environment: EnvironmentDoc): Promise<readonly ObservedTrace[]> {
  const { record } = await loadBundle(ctx, environment.bundle);
  return (await readInputs(ctx, await evidenceOf(ctx, record.evidence))).traces;
}
