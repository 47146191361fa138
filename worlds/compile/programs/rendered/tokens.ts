import type { Json, JsonObject } from "../../../json.ts";
import type { Session } from "../../observations.ts";
import { scalarsOf } from "../../values.ts";

/** A piece of a text. A value is what a call was given, or looks like an id: it is not of one text with the words around it. */
export interface Token {
  readonly text: string;
  readonly kind: "word" | "value" | "number" | "box" | "space" | "sign";
}

/** A tick box, a word with what may be within one, or any sign. */
const TOKENS = /\[[ xX]\]|[\p{L}\p{N}_]+(?:[-'’.@:][\p{L}\p{N}_]+)*|\n| +|[^\p{L}\p{N}_ \n]/gu;
/** Past five digits a whole number may be an id, of which others have letters. */
const NUMBER = /^\d+\.\d+$|^\d{1,5}$/;
const WORD = /[\p{L}\p{N}_]/u;
/** A text of several words, or a name. */
const APART = /[^\p{L}\p{N}_]|^\p{Lu}/u;
/** Letters from which what was given may be looked for within a text, and past which it is not. */
const LENGTHS = [3, 2000] as const;

/** An id has letters and digits. */
const ID = /\d.*\p{L}|\p{L}.*\d|\d{6}/u;

const longestFirst = (a: string, b: string): number => b.length - a.length || (a < b ? -1 : 1);

/** Texts of several words, and names, that calls of a session were given: each is one value wherever it stands. */
export function givenTexts({ calls }: Session): string[] {
  const out = new Set<string>();
  for (const { args } of calls)
    for (const value of scalarsOf(args as Json))
      if (typeof value === "string" && value.length >= LENGTHS[0] && value.length <= LENGTHS[1] && APART.test(value))
        if (value.trim() === value && WORD.test(value)) out.add(value);
  return [...out];
}

/** The lines of what a call answered as tokens. What was given is one value, though it may hold several lines. */
export function linesOf(text: string, args: JsonObject, given: readonly string[]): Token[][] {
  const lines: Token[][] = [[]];
  const own = Object.values(args).filter((value) => typeof value === "string" && value.length > 1 && WORD.test(value));
  const within = [...new Set([...(own as string[]), ...given])]
    .filter((value) => text.includes(value))
    .sort(longestFirst);
  const plain = (piece: string): void => {
    for (const [found] of piece.matchAll(TOKENS)) {
      if (found === "\n") lines.push([]);
      else lines.at(-1)?.push({ text: found, kind: kindOf(found) });
    }
  };
  let from = 0;
  for (let at = 0; at < text.length && within.length > 0; ) {
    const value = within.find(
      (one) => text.startsWith(one, at) && !joins(text[at - 1], one[0]) && !joins(one.at(-1), text[at + one.length]),
    );
    if (value === undefined) at++;
    else {
      plain(text.slice(from, at));
      lines.at(-1)?.push({ text: value, kind: "value" });
      at += value.length;
      from = at;
    }
  }
  plain(text.slice(from));
  return lines;
}

function kindOf(text: string): Token["kind"] {
  if (text.trim() === "") return "space";
  if (NUMBER.test(text)) return "number";
  if (!WORD.test(text) || text.startsWith("[")) return text.length === 3 ? "box" : "sign";
  return ID.test(text) ? "value" : "word";
}

/** Whether two letters are of one word. */
const joins = (a: string | undefined, b: string | undefined): boolean => WORD.test(a ?? " ") && WORD.test(b ?? " ");

/** What calls of a session were given, by value: the names of arguments. */
export function argumentNames(args: JsonObject): Map<string, Set<string>> {
  const out = new Map<string, Set<string>>();
  for (const [name, value] of Object.entries(args))
    for (const one of scalarsOf(value as Json)) {
      const text = String(one);
      out.set(text, (out.get(text) ?? new Set()).add(name));
    }
  return out;
}
