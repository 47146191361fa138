import { getOwn, isObject, type Json, type JsonObject, setOwn } from "../json.ts";

/** What its call was given stands in an answer under the argument's name, between characters of private use. */
const mark = (name: string): string => `\ue002${name}\ue002`;
const WHOLE = /^\ue002([^\ue002]+)\ue002$/;
const MARKED = /\ue002([^\ue002]+)\ue002/g;

/** Characters of an argument from which an answer that holds it is taken to repeat it. */
const SHORTEST = 2;
const WORD = /[\p{L}\p{N}_]/u;

/** An answer with what its call was given under the names of the arguments: alike for calls that are answered alike. */
export function withoutArguments(value: Json, args: JsonObject): Json {
  const given = Object.entries(args)
    .filter((entry): entry is [string, string | number] => ["string", "number"].includes(typeof entry[1]))
    .filter(([, one]) => String(one).length >= SHORTEST)
    .sort(([a, one], [b, two]) => String(two).length - String(one).length || (a < b ? -1 : 1));
  return given.length === 0 ? value : masked(value, given);
}

function masked(value: Json, given: readonly (readonly [name: string, value: string | number])[]): Json {
  const whole = given.find(([, one]) => one === value);
  if (whole) return mark(whole[0]);
  if (typeof value === "string") {
    let out = value;
    for (const [name, one] of given) out = replaced(out, String(one), mark(name));
    return out;
  }
  if (Array.isArray(value)) return value.map((item) => masked(item, given));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) setOwn(out, key, masked(item, given));
  return out;
}

/** A text with another in the place of every part that stands between words, outside of marks. */
function replaced(text: string, part: string, by: string): string {
  let out = "";
  let from = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    const end = at + part.length;
    const before = WORD.test(text[at - 1] ?? " ") && WORD.test(part[0] ?? " ");
    const after = WORD.test(text[end] ?? " ") && WORD.test(part.at(-1) ?? " ");
    const inMark = (text.slice(0, at).split("\ue002").length - 1) % 2 === 1;
    if (at < from || before || after || inMark) continue;
    out += text.slice(from, at) + by;
    from = end;
  }
  return out + text.slice(from);
}

/** Whether an answer repeats what its call was given. */
export const repeatsArguments = (value: Json): boolean => JSON.stringify(value).includes("\ue002");

/** An answer with what a call gives in the place of the names; undefined where it does not give one of them. */
export function withArguments(value: Json, args: JsonObject): Json | undefined {
  let lost = false;
  const filled = (part: Json): Json => {
    if (typeof part === "string") {
      const name = WHOLE.exec(part)?.[1];
      if (name !== undefined) {
        const given = getOwn(args, name);
        if (typeof given !== "string" && typeof given !== "number") lost = true;
        return given ?? null;
      }
      return part.replace(MARKED, (_, of: string) => {
        const given = getOwn(args, of);
        if (typeof given !== "string" && typeof given !== "number") lost = true;
        return String(given);
      });
    }
    if (Array.isArray(part)) return part.map(filled);
    if (!isObject(part)) return part;
    const out: JsonObject = {};
    for (const [key, item] of Object.entries(part)) setOwn(out, key, filled(item));
    return out;
  };
  const out = filled(value);
  return lost ? undefined : out;
}
