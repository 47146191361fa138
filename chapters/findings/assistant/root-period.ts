/** A span of time that a question names, in seconds since 1970; `said` are its words. */
export interface Period {
  readonly from: number;
  readonly to: number;
  readonly said: string;
}

const DAY = 86_400;
/** What people call a span, and how many seconds before today's midnight it begins and ends. */
const SPANS: readonly (readonly [RegExp, (today: Date) => readonly [number, number]])[] = [
  [/\b(last night('s)?|overnight)\b/, () => [DAY / 4, -DAY / 2]],
  [/\byesterday('s)?\b/, () => [DAY, 0]],
  [/\b(today('s)?|this morning('s)?|tonight)\b/, () => [0, -DAY]],
  [/\bthis week('s)?\b/, (today) => [weekday(today) * DAY, -DAY]],
  [/\blast week('s)?\b/, (today) => [(weekday(today) + 7) * DAY, weekday(today) * DAY]],
  [/\b(past|last) (seven|7) days\b|\bpast week\b/, () => [6 * DAY, -DAY]],
  [/\bthis month('s)?\b/, (today) => [(today.getUTCDate() - 1) * DAY, -DAY]],
  [/\blast month('s)?\b/, (today) => [lastMonth(today) * DAY, (today.getUTCDate() - 1) * DAY]],
];

/** The first span of time that a text names, in UTC; undefined where it names none. */
export function periodIn(text: string, now = new Date()): Period | undefined {
  const midnight = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()) / 1000;
  for (const [words, span] of SPANS) {
    const said = words.exec(text.toLowerCase())?.[0].replace(/'s$/, "");
    if (said === undefined) continue;
    const [begins, ends] = span(now);
    return { from: midnight - begins, to: midnight - ends, said };
  }
  return undefined;
}

/** Days since Monday. */
function weekday(day: Date): number {
  return (day.getUTCDay() + 6) % 7;
}

/** Days since the first of the month before. */
function lastMonth(day: Date): number {
  return day.getUTCDate() - 1 + new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 0)).getUTCDate();
}
