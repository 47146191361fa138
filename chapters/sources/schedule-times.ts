import type { Doc } from "../record.ts";
import type { Schedule } from "../records/sources/sources.ts";

/** A schedule as stored. */
export type ScheduleDoc = Doc<typeof Schedule>;

/** Seconds between two times of a cadence. Times are UTC, so that no day is longer than another. */
export const PERIOD: Readonly<Record<ScheduleDoc["cadence"], number>> = {
  hourly: 3600,
  daily: 86_400,
  weekly: 604_800,
};

/** The newest time of a schedule that has come, unix seconds; undefined before its first. */
export function lastTime({ cadence, start_at }: ScheduleDoc, now: number): number | undefined {
  if (now < start_at) return undefined;
  return start_at + Math.floor((now - start_at) / PERIOD[cadence]) * PERIOD[cadence];
}

/** Seconds until a schedule is due by the clock: 0 where it is due; null where something else than the clock makes it due. */
export function dueIn(schedule: ScheduleDoc, now: number): number | null {
  if (schedule.anchor !== "clock") return null;
  const last = lastTime(schedule, now);
  if (last === undefined) return schedule.start_at - now;
  return schedule.fired_for === String(last) ? last + PERIOD[schedule.cadence] - now : 0;
}
