import { WorldError } from "../../errors.ts";

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Unix seconds of an ISO 8601 date or time; UTC where no zone is named. Throws `type` on any other text. */
export function parseTime(text: string): number {
  const parts = DATE.exec(text.trim());
  if (!parts) throw new WorldError("type", "not an ISO 8601 date or time");
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = parts;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const date = new Date(at);
  if (
    date.getUTCMonth() + 1 !== Number(month) ||
    date.getUTCDate() !== Number(day) ||
    date.getUTCHours() !== Number(hour)
  )
    throw new WorldError("type", "not an ISO 8601 date or time");
  const offset = zone === "Z" ? 0 : Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return at / 1000 - (zone.startsWith("-") ? -offset : offset) * 60 + (fraction === "" ? 0 : Number(`0.${fraction}`));
}

const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
const FIELDS: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => pad(date.getUTCFullYear(), 4),
  m: (date) => pad(date.getUTCMonth() + 1),
  d: (date) => pad(date.getUTCDate()),
  H: (date) => pad(date.getUTCHours()),
  I: (date) => pad(date.getUTCHours() % 12 || 12),
  M: (date) => pad(date.getUTCMinutes()),
  S: (date) => pad(date.getUTCSeconds()),
  f: (date) => pad(date.getUTCMilliseconds() * 1000, 6),
  p: (date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  B: (date) => MONTHS[date.getUTCMonth()] as string,
  b: (date) => (MONTHS[date.getUTCMonth()] as string).slice(0, 3),
  A: (date) => DAYS[date.getUTCDay()] as string,
  a: (date) => (DAYS[date.getUTCDay()] as string).slice(0, 3),
  F: (date) => formatTime(date.getTime() / 1000, "%Y-%m-%d"),
  T: (date) => formatTime(date.getTime() / 1000, "%H:%M:%S"),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  "%": () => "%",
};

/** Unix seconds as UTC text by strftime fields (`%Y %m %d %H %M %S` …). Throws `type` on other fields or times out of range. */
export function formatTime(seconds: number, format: string): string {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw new WorldError("type", "the time is out of range");
  return format.replace(/%([\s\S]?)/g, (_, name: string) => {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (!field) throw new WorldError("type", "strftime does not have this field");
    return field(date);
  });
}
