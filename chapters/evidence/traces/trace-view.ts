import { z } from "zod";
import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import type { StoredTrace } from "../../ports/store.ts";
import { CanonicalTrace, TraceCall, TraceTurn } from "../../records/evidence/evidence.ts";
import { durationOf } from "./trace-words.ts";

/** One trace as it is stored: its turns and calls, with where it stands. */
export const TraceView = CanonicalTrace.extend({
  id: z.string(),
  position: z.number().int().describe("Its place in the record, from 0."),
});

const CallNode = z.object({ kind: z.literal("call"), ...TraceCall.omit({ turn: true }).shape });
const TurnNode = z.object({
  kind: z.literal("turn"),
  turn: z.number().int().describe("Its place among the turns, from 0."),
  ...TraceTurn.shape,
  children: z.array(CallNode).describe("The calls that this turn made, in their order."),
});

/** One trace as a tree: turns, and under each the calls it made. */
export const TraceTree = z.object({
  id: z.string(),
  kind: z.literal("trace"),
  position: z.number().int(),
  ...CanonicalTrace.omit({ v: true, turns: true, calls: true }).shape,
  ms: z.number().optional().describe("From its first to its last time, else what its calls took together."),
  children: z.array(z.union([TurnNode, CallNode])).describe("Calls of no known turn stand last."),
});

/** A trace of a record; 404 where it is not one of its own. */
export async function traceOf(ctx: Ctx, evidence: string, id: string): Promise<StoredTrace> {
  const row = await ctx.store.traces.get(id);
  if (row?.evidence !== evidence) throw notFound("trace of this evidence");
  return row;
}

/** The trace as it is stored. */
export function traceView({ id, position, trace }: StoredTrace): z.infer<typeof TraceView> {
  return { id, position, ...trace };
}

/** The trace as a tree. */
export function traceTree({ id, position, trace }: StoredTrace): z.infer<typeof TraceTree> {
  const { v: _v, turns, calls, ...rest } = trace;
  const of = Map.groupBy(calls, ({ turn }) => (turn !== undefined && turns[turn] !== undefined ? turn : -1));
  const nodes = (turn: number) =>
    (of.get(turn) ?? []).map(({ turn: _turn, ...call }) => ({ kind: "call" as const, ...call }));
  const ms = durationOf(trace);
  return {
    id,
    kind: "trace",
    position,
    ...rest,
    ...(ms === undefined ? {} : { ms }),
    children: [
      ...turns.map((turn, i) => ({ kind: "turn" as const, turn: i, ...turn, children: nodes(i) })),
      ...nodes(-1),
    ],
  };
}
