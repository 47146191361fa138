const DAY = 86_400;

/** The ISO week that a moment (unix seconds, UTC) lies in, such as `2026-W47`: Monday 00:00 to Sunday, named by its Thursday. */
export function isoWeek(at: number): string {
  const day = Math.floor(at / DAY);
  // 1970 began on a Thursday: day 4 is a Monday.
  const thursday = day - ((((day - 4) % 7) + 7) % 7) + 3;
  const year = new Date(thursday * DAY * 1000).getUTCFullYear();
  const first = Date.UTC(year, 0, 1) / 1000 / DAY;
  const week = Math.floor((thursday - first) / 7) + 1;
  return `${year}-W${String(week).padStart(2, "0")}`;
}

/** The last ISO week that is over at a moment (unix seconds, UTC): the one a weekly page tells of. */
export function lastCompleteWeek(at: number): string {
  return isoWeek(at - 7 * DAY);
}

/** When an ISO week such as `2026-W47` begins and ends, unix seconds: `from` is in it, `to` is not. */
export function weekBounds(week: string): { readonly from: number; readonly to: number } {
  const [, year, n] = /^(\d{4})-W(\d{2})$/.exec(week) ?? [];
  if (year === undefined || n === undefined) throw new Error(`${week} is no ISO week`);
  // January the 4th always lies in the first week.
  const fourth = Date.UTC(Number(year), 0, 4) / 1000 / DAY;
  const monday = fourth - ((((fourth - 4) % 7) + 7) % 7) + 7 * (Number(n) - 1);
  return { from: monday * DAY, to: (monday + 7) * DAY };
}
