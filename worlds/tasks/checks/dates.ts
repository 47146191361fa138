/** A calendar day said in a text; the year is absent where the text leaves it out. */
export interface DateInText {
  readonly year?: number;
  readonly month: number;
  readonly day: number;
  readonly start: number;
  readonly end: number;
}

/** A time of day said in a text, in seconds after midnight; `exact` where seconds were said. */
export interface TimeInText {
  readonly seconds: number;
  readonly exact: boolean;
  readonly start: number;
  readonly end: number;
}

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const MONTH = `(${MONTHS.map((m) => `${m.slice(0, 3)}(?:${m.slice(3)})?`).join("|")}|sept)\\.?`;
const NAMES_MONTH = new RegExp(MONTHS.map((m) => m.slice(0, 3)).join("|"));
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(\\d{4})";

function monthOf(name: string): number {
  return MONTHS.findIndex((m) => m.startsWith(name.slice(0, 3))) + 1;
}

const ISO = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g;
const SLASH = /(?<![\d/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?![\d/])/g;
const MONTH_FIRST = new RegExp(`\\b${MONTH}[ -]${DAY}\\b(?:(?:,? (?:of )?|-)${YEAR}\\b)?`, "g");
const DAY_FIRST = new RegExp(`\\b${DAY}\\.?[ -](?:of )?${MONTH}(?:(?:,? |-)${YEAR})?(?![\\p{L}\\d])`, "gu");

const ORDINALS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first".split(
    " ",
  );
const ORDINAL = `(${[...ORDINALS].reverse().join("|").replaceAll("-", "[ -]")})`;
const MONTH_ORDINAL = new RegExp(`\\b${MONTH} (?:the )?${ORDINAL}\\b(?:,? ${YEAR}\\b)?`, "g");
const ORDINAL_MONTH = new RegExp(`\\b${ORDINAL} (?:of )?${MONTH}(?:,? ${YEAR})?(?![\\p{L}\\d])`, "gu");
const ordinalOf = (word: string | undefined) => ORDINALS.indexOf((word ?? "").replace(" ", "-")) + 1;

function valid(month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

/** Every date of a folded text; one written with slashes counts in both orders where both are days of a year. */
export function datesInText(folded: string): DateInText[] {
  const found: DateInText[] = [];
  const put = (match: RegExpMatchArray, month: number, day: number, year?: number) => {
    const start = match.index ?? 0;
    if (valid(month, day)) {
      found.push({ month, day, start, end: start + match[0].length, ...(year === undefined ? {} : { year }) });
    }
  };
  for (const match of folded.matchAll(ISO)) put(match, Number(match[2]), Number(match[3]), Number(match[1]));
  for (const match of folded.matchAll(SLASH)) {
    const [a, b] = [Number(match[1]), Number(match[3])];
    const year = Number(match[4]) + (match[4]?.length === 2 ? 2000 : 0);
    if (match[2] !== ".") put(match, a, b, year);
    if (match[2] === "." || a !== b) put(match, b, a, year);
  }
  // Most texts name no month.
  if (!NAMES_MONTH.test(folded)) return found;
  for (const match of folded.matchAll(MONTH_FIRST)) {
    put(match, monthOf(match[1] ?? ""), Number(match[2]), match[3] === undefined ? undefined : Number(match[3]));
  }
  for (const match of folded.matchAll(DAY_FIRST)) {
    put(match, monthOf(match[2] ?? ""), Number(match[1]), match[3] === undefined ? undefined : Number(match[3]));
  }
  for (const match of folded.matchAll(MONTH_ORDINAL))
    put(match, monthOf(match[1] ?? ""), ordinalOf(match[2]), match[3] === undefined ? undefined : Number(match[3]));
  for (const match of folded.matchAll(ORDINAL_MONTH))
    put(match, monthOf(match[2] ?? ""), ordinalOf(match[1]), match[3] === undefined ? undefined : Number(match[3]));
  return found;
}

const HALF = String.raw`(a\.?m\b\.?|p\.?m\b\.?|in the (?:morning|afternoon|evening)\b|at night\b)`;
const HOURS = "one two three four five six seven eight nine ten eleven twelve".split(" ");
const HOUR_WORD = `(${HOURS.join("|")}|\\d{1,2})`;
const PAST = new RegExp(String.raw`\b(half|(?:a )?quarter) (past|to) ${HOUR_WORD}\b(?: ${HALF})?`, "g");
const SPOKEN = new RegExp(
  String.raw`\b(${HOURS.join("|")})(?: (fifteen|thirty|forty[ -]five))? (?:o'clock )?${HALF}`,
  "g",
);
const DOTTED = new RegExp(String.raw`(?<![\d:.])(\d{1,2})\.(\d{2}) ?${HALF}`, "g");
const MINUTES: Readonly<Record<string, number>> = { fifteen: 15, thirty: 30, "forty-five": 45 };
const hourOf = (word: string) => (/\d/.test(word) ? Number(word) : HOURS.indexOf(word) + 1);

const CLOCK =
  /(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s?(a\.?m\b\.?|p\.?m\b\.?|in the (?:morning|afternoon|evening)\b|at night\b)?(?!\d)/g;
const HOUR = /(?<![\d:.])(\d{1,2})\s?(a\.?m\b\.?|p\.?m\b\.?|in the (?:morning|afternoon|evening)\b)/g;

/** Every time of day of a folded text. */
export function timesInText(folded: string): TimeInText[] {
  const found: TimeInText[] = [];
  const put = (
    match: RegExpMatchArray,
    hour: number,
    minute: number,
    second: number | undefined,
    half: string | undefined,
  ) => {
    let h = hour;
    const late = half !== undefined && /^p|afternoon|evening|night/.test(half);
    if (late && h < 12) h += 12;
    if (half !== undefined && !late && h === 12) h = 0;
    if (h > 23 || minute > 59) return;
    const start = match.index ?? 0;
    found.push({
      seconds: h * 3600 + minute * 60 + (second ?? 0),
      exact: second !== undefined,
      start,
      end: start + match[0].length,
    });
  };
  for (const match of folded.matchAll(CLOCK)) {
    put(match, Number(match[1]), Number(match[2]), match[3] === undefined ? undefined : Number(match[3]), match[4]);
  }
  for (const match of folded.matchAll(HOUR)) put(match, Number(match[1]), 0, undefined, match[2]);
  for (const match of folded.matchAll(DOTTED)) put(match, Number(match[1]), Number(match[2]), undefined, match[3]);
  for (const match of folded.matchAll(PAST)) {
    const minutes = match[1] === "half" ? 30 : 15;
    const to = match[2] === "to";
    put(match, hourOf(match[3] ?? "") - (to ? 1 : 0), to ? 60 - minutes : minutes, undefined, match[4]);
  }
  for (const match of folded.matchAll(SPOKEN))
    put(match, hourOf(match[1] ?? ""), MINUTES[(match[2] ?? "").replace(" ", "-")] ?? 0, undefined, match[3]);
  for (const match of folded.matchAll(/\b(noon|midnight)\b/g))
    put(match, match[1] === "noon" ? 12 : 0, 0, undefined, undefined);
  return found;
}

/** The day of a date value: a text that holds one, or unix seconds (milliseconds past the year 5138). */
export function dayOf(value: string | number): { year?: number; month: number; day: number } | undefined {
  if (typeof value === "number") {
    const at = new Date(value > 1e11 ? value : value * 1000);
    return Number.isNaN(at.getTime())
      ? undefined
      : { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
  }
  return datesInText(value.toLowerCase().replace(/t(?=\d\d:)/, " "))[0];
}

/** Whether a said date can be this day: equal, with a year left out on either side counting as any. */
export function saysDay(said: DateInText, day: { year?: number; month: number; day: number }): boolean {
  return (
    said.month === day.month &&
    said.day === day.day &&
    (said.year === undefined || day.year === undefined || said.year === day.year)
  );
}

/** `2024-05-13` as `May 13, 2024`; undefined when the value holds no full date. */
export function dateInWords(value: string): string | undefined {
  const day = dayOf(value);
  const month = day && MONTHS[day.month - 1];
  if (!day?.year || !month) return undefined;
  return `${month[0]?.toUpperCase()}${month.slice(1)} ${day.day}, ${day.year}`;
}

/** A date as a person writes it: "December 5, 2023 at 09:00". Unchanged where its time zone would be lost. */
export function momentInWords(value: string): string {
  const [, time, seconds, zone] = /[T ](\d{2}:\d{2})(?::(\d{2})(?:\.\d+)?)?(.*)$/.exec(value) ?? [];
  const day = dateInWords(value);
  if (day === undefined || time === undefined) return day ?? value;
  if (zone && zone !== "Z") return value;
  return `${day} at ${time}${seconds === undefined || seconds === "00" ? "" : `:${seconds}`}${zone ? " UTC" : ""}`;
}
