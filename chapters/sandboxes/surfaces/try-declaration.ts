import { BaseState, type Bundle } from "../../../worlds/bundle.ts";
import { type FidelityRow, measureFidelity } from "../../../worlds/fidelity/index.ts";
import type { Json } from "../../../worlds/json.ts";
import type { ObservedTrace } from "../../../worlds/observation.ts";
import { getJson, loadBundle } from "../../blobs.ts";
import type { ComputeTask } from "../../compute.ts";
import type { Ctx } from "../../context.ts";
import { conflict } from "../../errors.ts";
import { newestPositions } from "../../evidence/traces/new-traces.ts";
import { withDeclaredTools } from "./declared-tools.ts";
import { evidenceOf, readSome } from "./surface-evidence.ts";
import { findSurface, liveSurface } from "./surfaces.ts";

/** Newest sessions of each record that are looked through for the tool, and sessions of it that are replayed. */
const LOOKED_AT = 500;
const REPLAYED = 50;

/** Calls that are shown one by one. */
const SHOWN = 10;

interface ReplayInput {
  readonly bundle: Bundle;
  /** The version that is served now. */
  readonly served: Bundle;
  readonly base: BaseState;
  readonly traces: readonly ObservedTrace[];
  readonly tool: string;
}

interface Counts {
  readonly calls: number;
  readonly alike: number;
  readonly wrong_success: number;
  readonly not_served: number;
}

interface Answer {
  readonly verdict: FidelityRow["verdict"];
  /** Null where it is not served. */
  readonly answered: Json;
}

/** How a tool answers calls of recorded sessions as declared and as served now, and the first calls that are worth a look. */
export interface ToolReplay extends Counts {
  readonly now: Counts;
  /** Calls that it answers otherwise than now. */
  readonly changes: number;
  /** Those that change first, then those that stay wrong. */
  readonly examples: readonly {
    readonly args: Json;
    readonly observed: Json;
    readonly now: Answer;
    readonly declared: Answer;
    readonly changes: boolean;
  }[];
}

/** Replays whole sessions, so that the tool meets the rows that earlier calls left, and counts the one tool. */
export const replayTool: ComputeTask<ReplayInput, ToolReplay> = {
  name: "replay_tool",
  run: ({ bundle, served, base, traces, tool }) => {
    const [declared, now] = [bundle, served].map((each) => measureFidelity({ bundle: each, base }, traces, [])) as [
      Measured,
      Measured,
    ];
    const before = new Map(now.rows.map((row) => [placeOf(row), row]));
    const pairs = declared.rows.flatMap((row) => {
      const was = row.tool === tool ? before.get(placeOf(row)) : undefined;
      if (was === undefined) return [];
      const changes = JSON.stringify(row.answered) !== JSON.stringify(was.answered) || row.verdict !== was.verdict;
      return [{ row, was, changes }];
    });
    const changed = pairs.filter(({ changes }) => changes);
    const wrong = pairs.filter(({ row, changes }) => !changes && !row.verdict.startsWith("identical"));
    return {
      ...countsOf(declared, tool),
      now: countsOf(now, tool),
      changes: changed.length,
      examples: [...changed, ...wrong].slice(0, SHOWN).map(({ row, was, changes }) => ({
        args: row.args,
        observed: row.observed,
        now: { verdict: was.verdict, answered: was.answered },
        declared: { verdict: row.verdict, answered: row.answered },
        changes,
      })),
    };
  },
};

type Measured = ReturnType<typeof measureFidelity>;

const placeOf = ({ trajectory, index }: FidelityRow) => `${trajectory} ${index}`;

function countsOf({ tools }: Measured, tool: string): Counts {
  const counts = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  return {
    calls: counts?.calls ?? 0,
    alike: counts?.identical_volatile ?? 0,
    wrong_success: counts?.wrong_success ?? 0,
    not_served: counts?.not_served ?? 0,
  };
}

/**
 * What a tool would answer if it behaved as a person says, without changing anything: recorded sessions of the served
 * version are replayed with the declared function in it. A 400 names every wrong word of the declaration.
 */
export async function tryDeclaration(
  ctx: Ctx,
  input: { readonly surface: string; readonly tool: string; readonly behaviour: string },
): Promise<ToolReplay & { readonly sessions: number }> {
  const surface = liveSurface(await findSurface(ctx, input.surface));
  if (surface.bundle === undefined)
    throw conflict("The surface has not been compiled; run its pipeline first.", { by: "pipeline_post" });
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
    { bundle: declared.bundle, served: bundle, base, traces: replayed, tool: input.tool },
    ctx.signal,
  );
  return { ...found, sessions: replayed.length };
}
