import { isObject, type Json, type JsonObject } from "../../json.ts";
import { escapePattern } from "../../pattern.ts";
import { singular } from "../checks/words.ts";
import { inWords, kindOf } from "../kinds.ts";
import type { ToolView } from "../surface.ts";
import { argumentLabel, enumerated } from "../words/phrases.ts";

/** A name of a place, a person or a firm, which needs no word for its kind. */
export const PROPER = /^\p{Lu}\p{Ll}+(?: \p{Lu}\p{Ll}+){0,3}$/u;

/** A parameter as a person would call it: without "id", and without "name" where something is named. */
export function nounOf(name: string): string {
  const words = argumentLabel(name)
    .replace(/ ([a-z])$/, (_, letter: string) => ` ${letter.toUpperCase()}`)
    .replace(/(?<=[a-z]) (?:no|nr|num)$/, "");
  return / name$/.test(words) && !/\b(?:first|last|given|family|user|full|middle|nick)\b/.test(words)
    ? words.replace(/ name$/, "")
    : words;
}

const UNIT =
  /\bin (gallons|lit(?:er|re)s|miles|kilomet(?:er|re)s|met(?:er|re)s|feet|inches|hours|minutes|seconds|days|weeks|months|years|percent|degrees(?: celsius| fahrenheit)?|celsius|fahrenheit|dollars|euros|pounds|kilograms|grams|bytes)\b/i;

/** A number with the unit that the parameter's description tells. */
export function measured(view: ToolView, name: string, text: string): string {
  const own = view.params.find((param) => param.name === name)?.description;
  // Where the schema says nothing of a parameter, the tool's own text may: "duration: str, optional … in minutes".
  const told = own || new RegExp(`\\b${escapePattern(name)}\\s*:[^:]*`).exec(view.tool.description ?? "")?.[0];
  const unit = UNIT.exec(told ?? "")?.[1]?.toLowerCase();
  return unit === undefined || name.toLowerCase().includes(singular(unit)) ? text : `${text} ${unit}`;
}

/** A text in quotes, any other value as it is spoken. */
export function sayLiteral(value: Json, name: string): string {
  if (Array.isArray(value)) {
    if (value.every(isObject) && value.length > 0)
      return value.length === 1
        ? sayMembers(value[0] as JsonObject)
        : value.map((item, i) => `(${i + 1}) ${sayMembers(item as JsonObject)}`).join("; ");
    return value.length === 0 ? "none" : enumerated(value.map((item) => sayLiteral(item, singular(name))));
  }
  if (isObject(value)) return sayMembers(value);
  if (value === null || value === "") return "none";
  if (typeof value === "string" && kindOf(value, name) === "date") return inWords(value, name);
  // A name of places and people needs no quotes.
  if (typeof value === "string" && /^\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*){1,3}$/u.test(value)) return value;
  if (typeof value === "string" && (/\s/.test(value) || /[.,;:!?]$/.test(value))) return quoted(value);
  // What an amount is of is not told by its name.
  return typeof value === "number" ? String(value) : inWords(value, name);
}

function quoted(text: string): string {
  return text.includes('"') ? `\u201c${text}\u201d` : `"${text}"`;
}

function sayMembers(value: JsonObject): string {
  return enumerated(Object.entries(value).map(([key, item]) => `${argumentLabel(key)} ${sayLiteral(item, key)}`));
}
