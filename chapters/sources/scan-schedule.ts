import type { z } from "zod";
import { actor, type Ctx } from "../context.ts";
import { idOfValue } from "../record.ts";
import { Schedule, type ScheduleCadence } from "../records/sources/sources.ts";
import { PERIOD } from "./schedule-times.ts";

/** An agent that is scanned by the clock, and the name of the surface it is scanned for. */
export interface Scanned {
  readonly agent: string;
  readonly surface: string;
  readonly by?: string | undefined;
}

/** Keeps the one schedule by which an agent is scanned: made, changed, or with `manual` ended. Its id is made of the agent. */
export async function keepScanSchedule(
  ctx: Ctx,
  { agent, surface, by }: Scanned,
  cadence: z.infer<typeof ScheduleCadence> | "manual",
): Promise<string | undefined> {
  const id = idOfValue(Schedule, "agent_scan", agent);
  if (cadence === "manual") {
    await ctx.store.records.delete(Schedule, id);
    return undefined;
  }
  const now = ctx.now();
  const known = await ctx.store.records.get(Schedule, id);
  if (known?.cadence === cadence) return id;
  await ctx.store.records.put(Schedule, {
    id,
    created_at: known?.created_at ?? now,
    by: actor(ctx, by),
    kind: "scan",
    surface,
    cadence,
    anchor: "clock",
    label: "new versions of an agent",
    agent,
    start_at: now + PERIOD[cadence],
    updated_at: now,
  });
  return id;
}
