import { isObject, type Json } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { singular } from "../checks/words.ts";
import { kindOf } from "../kinds.ts";
import type { Kit } from "../kit.ts";
import { refOf } from "../script.ts";
import type { ToolView } from "../surface.ts";
import { corpusFor } from "../words/corpus.ts";
import { argumentLabel, enumerated } from "../words/phrases.ts";
import { measured, sayLiteral } from "./literals.ts";

/** What tells one thing from others of its kind. */
export const CODE = /^[\w#.-]*\d[\w#.-]*$|^[A-Z]{2,6}$/;

/** Which word joins a value to a deed in place of its parameter's name, by what the parameter is called. */
const JOINED: readonly (readonly [RegExp, string])[] = [
  [/\b(?:receiver|recipient|addressee|to)\b/, "to"],
  [/\b(?:participant|attendee|guest|invitee)s?\b/, "with"],
  [/\b(?:sender|from)\b/, "from"],
];
const MOMENT = /^(?:start|begin|date|day|time|when|on|at)\b|\b(?:start|begin|date|day|time)$/;
const LASTS = /^(?:minutes|hours|seconds|days|weeks|months|years)$/;

/** A value as a phrase: "to U2", "with ann@example.com", "for 30 minutes". Undefined where its name has to be said. */
export function phraseOf(view: ToolView, name: string, value: unknown, said: string): string | undefined {
  const label = argumentLabel(name);
  if (typeof value === "number" || (typeof value === "string" && /^\d+(?:\.\d+)?$/.test(value))) {
    const text = measured(view, name, said);
    const unit = text.slice(said.length + 1);
    if (unit === "") return undefined;
    return LASTS.test(unit) ? `for ${text}` : /\b(?:amount|quantity|volume)$/.test(label) ? `with ${text}` : undefined;
  }
  if (typeof value !== "string") return undefined;
  if (kindOf(value, name) === "date") return MOMENT.test(label) ? `on ${said}` : undefined;
  const word = /\s/.test(value) ? undefined : JOINED.find(([names]) => names.test(label))?.[1];
  return word && `${word} ${said}`;
}

const FIRST_DAY = /^(?:start|from|begin|first)\b/;
const LAST_DAY = /^(?:end|to|until|last)\b/;

/** Two days that are given as the first and the last, as one phrase: "from May 2, 2025 to May 9, 2025". */
export function spanOf(
  args: Readonly<Record<string, unknown>>,
): { readonly names: readonly string[]; readonly said: string } | undefined {
  const dayNamed = (names: RegExp) =>
    Object.entries(args).find(
      ([name, value]) =>
        typeof value === "string" && kindOf(value, name) === "date" && !refOf(value) && names.test(argumentLabel(name)),
    );
  const [first, last] = [dayNamed(FIRST_DAY), dayNamed(LAST_DAY)];
  if (!first || !last) return undefined;
  const said = [first, last].map(([name, value]) => sayLiteral(value as string, name));
  return { names: [first[0], last[0]], said: said[0] === said[1] ? `on ${said[0]}` : `from ${said[0]} to ${said[1]}` };
}

/** A deed with phrases after it: "send a message to a user" with "to U2" is "send a message to U2". */
export function withPhrases(act: string, phrases: readonly string[]): string {
  return phrases.reduce((said, phrase) => {
    const [word = ""] = phrase.split(" ");
    return `${said.replace(new RegExp(` ${word} (?:an?|the|another|someone) ?\\w*$`), "")} ${phrase}`;
  }, act);
}

/** "mark a task as blocked with a reason" without the reason, where that is told after it. */
export function withoutPlaceholder(words: string, parts: readonly string[]): string {
  return words.replace(/ with (?:an?|the) (?:specified |given )?([a-z ]+)$/, (all, what: string) =>
    parts.some((part) => part.startsWith(`${what} `)) ? "" : all,
  );
}

/** Whether an argument holds what is said or written, and not what tells a thing from others. */
export function isProse(name: string, value: unknown): value is string {
  return typeof value === "string" && !/\n/.test(value) && /^(?:content|text|body|message|comment|msg)$/i.test(name);
}

/** `new recipe` and `add book` as a person says them. */
export function fromName(name: string): string {
  const made = name.replace(/^new (?=\w)/, "create a new ");
  return made.replace(
    /^(add|create|make|open|post|place|register|send|submit|start|book|schedule|plan) (?!an? |new |all |my |the )(\w+)$/,
    (all, verb: string, thing: string) =>
      /s$/.test(thing) ? all : `${verb} ${/^[aeiou]/.test(thing) ? "an" : "a"} ${thing}`,
  );
}

/** Words for what is written about a deed, each after the words that tell it from others: "completed details". */
const WRITTEN = /^[a-z ]+ (details?|notes?|comments?|remarks?|reasons?|explanations?|summary|description|text)$/;

/** Names of all arguments of a tool, also of those within others. */
function namesIn(schema: Json | undefined): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn);
  if (!isObject(schema)) return [];
  const own = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  return [...own, ...Object.values(schema).flatMap(namesIn)];
}

/** What is written as people call it: the "completed details" of a task are its details where the tool takes no others. */
export function writtenAs({ tool }: Pick<ToolView, "tool">, label: string): string {
  const head = WRITTEN.exec(label)?.[1];
  if (head === undefined) return label;
  const heads = namesIn(tool.inputSchema as Json).map((name) => argumentLabel(name).split(" ").at(-1) ?? "");
  return heads.filter((other) => singular(other) === singular(head)).length > 1 ? label : head;
}

/** What is left to say of a deed: its parameter's name as people would say it, and the value. */
export interface OpenArgument {
  readonly label: string;
  readonly text: string;
}

/**
 * A deed and what is left to say of it, as users of the service were heard to say it: "activate the parking brake" with
 * mode engage is "engage the parking brake" where they say that. Undefined where users were heard, and never so.
 */
export function phrasedByUsers(kit: Kit, act: string, left: readonly OpenArgument[]): string | undefined {
  const corpus = corpusFor(kit);
  const isHeard = (text: string) => corpus?.overlap(text) === 1;
  if (corpus?.enough !== true) {
    const [{ label = "", text = "" } = {}, ...others] = left;
    if (others.length > 0 || !/^["\u201c]/.test(text))
      return `${act}: ${enumerated(left.map((one) => `${one.label} ${one.text}`))}`;
    const place = new RegExp(` (?:to|for|at|from) the ${escapePattern(label)}$`).exec(act);
    if (place !== null) return `${act.slice(0, -`the ${label}`.length)}${text}`;
    return `${act}, with ${singular(label) === label ? `the ${label}` : `these ${label}:`} ${text}`;
  }
  const [verb = "", ...rest] = act.split(" ");
  const [one] = left;
  if (left.length === 1 && one !== undefined) {
    const whole = rest.join(" ");
    const things = [whole, whole.replace(/ (?:of|from|in|on|to) (?:the|my|an?) [a-z ]+$/, "")];
    const value = one.text.replace(/^["\u201c]|["\u201d]$/g, "").toLowerCase();
    const ways = things.flatMap((thing) =>
      /^(?:on|off)$/.test(value)
        ? [`turn ${value} ${thing}`, `switch ${value} ${thing}`, `turn ${thing} ${value}`, `switch ${thing} ${value}`]
        : /^[a-z]+$/.test(value)
          ? [
              `set ${thing} to ${value}`,
              `${value} ${thing}`,
              `${verb} ${thing} to ${value}`,
              `${verb} ${thing} in ${value} ${one.label}`,
            ]
          : /^[\d.,]+$/.test(value) && /^(?:amount|sum)$/.test(one.label)
            ? [`${verb} $${one.text} ${whole.replace(/^(?:the |my )?(?:money|funds|cash|credit) /, "")}`]
            : [],
    );
    const said = ways.find(isHeard);
    if (said !== undefined) return said;
  }
  const named = left.map(({ label, text }) => `${label} ${text}`);
  return named.every(isHeard) ? `${act} with ${enumerated(named)}` : undefined;
}

/** How many there are of what a label names in the plural: 8 `guests`. */
export function countOf(noun: string, value: Json, text: string): string | undefined {
  const last = noun.split(" ").at(-1) ?? "";
  if (typeof value !== "number" || !Number.isInteger(value) || text !== String(value) || singular(last) === last)
    return undefined;
  return `${text} ${value === 1 ? noun.slice(0, -last.length) + singular(last) : noun}`;
}
