import { isObject, type Json, type JsonObject, setOwn } from "../json.ts";

/** A part of an answer that may be generated: a scalar, a word of a text that could be an id or a time, or a key of an object. */
export interface Leaf {
  /** Keys from the root, `[]` for items of a list, `{}` for keys that are ids, `~word` for a word of a text after that word. */
  readonly path: string;
  readonly value: string | number;
}

const TIME = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`;
const WORD = new RegExp(`${TIME}|[A-Za-z0-9][A-Za-z0-9_-]*`, "g");
const WHOLE_TIME = new RegExp(`^${TIME}$`);

/** The form of a moment in time, with date and time of day; undefined for all else. Numbers are Unix seconds or milliseconds. */
export function timeForm(value: Json | undefined): string | undefined {
  if (typeof value === "number") {
    if (value > 1e9 && value < 2.2e9) return "seconds";
    return value > 1e12 && value < 2.2e12 ? "milliseconds" : undefined;
  }
  return typeof value === "string" && WHOLE_TIME.test(value) ? value.replace(/\d/g, "9") : undefined;
}

/** Whether a word could be an id: no blank, at least four characters, a digit among them. */
export function idLike(value: string | number): boolean {
  if (typeof value === "number") return Number.isInteger(value) && value >= 1000;
  return value.length >= 4 && value.length <= 80 && /\d/.test(value) && !/\s/.test(value);
}

/** What stands in a text: its words that could be ids or times, and the text around them. */
export function wordsOf(text: string): { words: { before: string; value: string }[]; around: string[] } {
  const words: { before: string; value: string }[] = [];
  const around: string[] = [];
  let from = 0;
  let before = "";
  for (const match of text.matchAll(WORD)) {
    const [value] = match;
    if (WHOLE_TIME.test(value) || idLike(value)) {
      words.push({ before, value });
      around.push(text.slice(from, match.index));
      from = match.index + value.length;
    } else before = value;
  }
  around.push(text.slice(from));
  return { words, around };
}

/** Whether a text is more than one word: its words are looked at one by one. */
export function isText(value: string): boolean {
  return /\s/.test(value) && !WHOLE_TIME.test(value);
}

/** The parts of a value that may be generated, in the order in which they are written. */
export function* leavesOf(value: Json, path = ""): Generator<Leaf> {
  if (typeof value === "number") yield { path, value };
  else if (typeof value === "string") {
    if (!isText(value)) yield { path, value };
    else for (const word of wordsOf(value).words) yield { path: `${path}~${word.before}`, value: word.value };
  } else if (Array.isArray(value)) for (const item of value) yield* leavesOf(item, `${path}[]`);
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      const id = idLike(key);
      if (id) yield { path: `${path}{}`, value: key };
      yield* leavesOf(item, `${path}/${id ? "{}" : key}`);
    }
}

/** A value with every part that may be generated given another value; `give` is told the part's path. */
export function mapLeaves(value: Json, give: (leaf: Leaf) => string | number, path = ""): Json {
  if (typeof value === "number") return give({ path, value });
  if (typeof value === "string") {
    if (!isText(value)) return give({ path, value });
    const { words, around } = wordsOf(value);
    if (words.length === 0) return value;
    const given = words.map((word) => String(give({ path: `${path}~${word.before}`, value: word.value })));
    return around.map((text, i) => `${text}${given[i] ?? ""}`).join("");
  }
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, give, `${path}[]`));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const id = idLike(key);
    const name = id ? String(give({ path: `${path}{}`, value: key })) : key;
    setOwn(out, name, mapLeaves(item, give, `${path}/${id ? "{}" : key}`));
  }
  return out;
}
