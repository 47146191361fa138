import type { Scalar } from "../json.ts";
import { momentInWords } from "./checks/dates.ts";
import { humanize } from "./checks/words.ts";
import type { Fact } from "./schema.ts";

const MONEY =
  /(?:price|amount|total|cost|fee|balance|credit|paid|salary|payment|charge|refund|budget|revenue|deposit|tax|spend)/i;
const COUNTED = /(?:count|quantity|number|stock|seats|bags|baggages|items|points|nights|days|age|year)/i;

/** How a value compares, by its form and the name it stands under. */
export function kindOf(value: Scalar, name: string): Fact["kind"] {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return MONEY.test(name) && !COUNTED.test(name) ? "money" : "number";
  if (/^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$/.test(value)) return "date";
  if (/^\d{1,2}:\d{2}(?::\d{2})?$/.test(value)) return "time";
  if (/\d/.test(value) && !/\s/.test(value) && !value.includes("@")) return "id";
  return "text";
}

/** A fact from a value: a word list in code form gets its spoken form as an alias. */
export function factOf(value: Scalar, name: string): Fact {
  const kind = kindOf(value, name);
  const spoken = typeof value === "string" && kind === "text" && /[_-]/.test(value) ? humanize(value) : undefined;
  return { value, kind, ...(spoken && spoken !== value ? { aliases: [spoken] } : {}) };
}

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const CENTS = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** An amount as it is written: whole ones without cents, thousands grouped. */
function dollars(value: number): string {
  const { format } = Number.isInteger(value) ? WHOLE : CENTS;
  return `${value < 0 ? "-" : ""}$${format(Math.abs(value))}`;
}

/** Names by which a system knows somebody or something, and what only they know: nobody says these in other letters. */
const HANDLE =
  /(?:^|_)(?:id|user_?name|login|handle|nick_?name|password|passphrase|pin|secret|token)s?$|(?:userName|Id)$|^author$/i;

/** A value in a user's words: dates spoken, money with its sign, code words with blanks. */
export function inWords(value: Scalar, name: string): string {
  const kind = kindOf(value, name);
  if (kind === "date") return momentInWords(String(value));
  if (kind === "money" && typeof value === "number") return dollars(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (kind === "text" && /^[a-z]+(?:_[a-z]+)+$/.test(String(value)) && !HANDLE.test(name))
    return humanize(String(value));
  return String(value);
}

/** Whether a value can be asked for: it says something of its own, and is neither a bare small number nor prose. */
export function askable(value: Scalar | null, name: string): value is Scalar {
  if (value === null || typeof value === "boolean" || value === "") return false;
  if (/^(?:address_?(?:line_?)?2|line_?2)$/i.test(name)) return false;
  if (typeof value === "number") return Math.abs(value) >= 10 || !Number.isInteger(value);
  const kind = kindOf(value, name);
  if (kind !== "text") return value.length >= 3;
  return (
    value.replace(/[^\p{L}]/gu, "").length >= 4 &&
    value.length <= 60 &&
    !/^(?:none|null|true|false|other|unknown|normal|regular|basic|standard|general)$/i.test(value)
  );
}
