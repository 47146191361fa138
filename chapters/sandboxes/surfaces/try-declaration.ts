import { BaseState, type Bundle } from "../../../worlds/bundle.ts";
import { measureFidelity } from "../../../worlds/fidelity/index.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { getJson, loadBundle } from "../../blobs.ts";
import type { ComputeTask } from "../../compute.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { newestPositions } from "../../evidence/traces/new-traces.ts";
import { withDeclaredTools } from "./declared-tools.ts";
import { evidenceOf, readSome } from "./surface-evidence.ts";
import { findSurface, liveSurface } from "./surfaces.ts";
import { type WrongAnswers, wrongAnswers } from "./wrong-answers.ts";

/** Newest sessions of each record that are looked through for the tool, and sessions of it that are replayed. */
const LOOKED_AT = 500;
const REPLAYED = 50;

interface ReplayInput {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly traces: readonly ObservedTrace[];
  readonly tool: string;
}

/** How a tool answered calls of recorded sessions, and the first ones that it did not answer as observed. */
export interface ToolReplay {
  readonly calls: number;
  readonly alike: number;
  readonly wrong_success: number;
  readonly not_served: number;
  readonly wrong: WrongAnswers[string];
}

/** Replays whole sessions, so that the tool meets the rows that earlier calls left, and counts the one tool. */
export const replayTool: ComputeTask<ReplayInput, ToolReplay> = {
  name: "replay_tool",
  run: ({ bundle, base, traces, tool }) => {
    const { tools, rows } = measureFidelity({ bundle, base }, traces, []);
    const counts = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
    const own = rows.filter((row) => row.tool === tool);
    return {
      calls: counts?.calls ?? 0,
      alike: counts?.identical_volatile ?? 0,
      wrong_success: counts?.wrong_success ?? 0,
      not_served: counts?.not_served ?? 0,
      wrong: wrongAnswers(own)[tool] ?? [],
    };
  },
};

/**
 * What a tool would answer if it behaved as a person says, without changing anything: recorded sessions of the served
 * version are replayed with the declared function in it. A 400 names every wrong word of the declaration.
 */
export async function tryDeclaration(
  ctx: Ctx,
  input: { readonly surface: string; readonly tool: string; readonly behaviour: string },
): Promise<ToolReplay & { readonly sessions: number }> {
  const surface = liveSurface(await findSurface(ctx, input.surface));
  if (surface.bundle === undefined) throw conflict("The surface has not been compiled; run its pipeline first.");
  const { record, bundle } = await loadBundle(ctx, surface.bundle);
  const declared = withDeclaredTools(bundle, {
    redeclared_tools: [{ name: input.tool, behaviour: input.behaviour }],
  });
  const base = BaseState.parse(await getJson(ctx, record.base_blob));
  const traces: ObservedTrace[] = [];
  for (const row of (await evidenceOf(ctx, record.evidence)).reverse()) {
    if (row.kind !== "traces" || traces.length >= REPLAYED) continue;
    const read = await readSome(ctx, row, await newestPositions(ctx, row, 0, LOOKED_AT));
    traces.push(...read.filter(({ calls }) => calls.some(({ tool }) => tool === input.tool)));
  }
  const replayed = traces.slice(0, REPLAYED);
  const found = await ctx.compute.run(
    replayTool,
    { bundle: declared.bundle, base, traces: replayed, tool: input.tool },
    ctx.signal,
  );
  return { ...found, sessions: replayed.length };
}
