import { isObject, type Json, type Scalar } from "../json.ts";
import { humanize, singular, stems } from "./checks/words.ts";

/** A scalar within a row or an answer, by its path, and by its path with `[*]` for elements of lists and maps. */
export interface Leaf {
  readonly path: string;
  readonly generic: string;
  /** The member's own name; for a map's key the singular of the map's name. */
  readonly name: string;
  readonly value: Scalar | null;
}

/** Whether an object is used as a map: every key holds a digit and every value is an object. */
export function isMap(value: Json): boolean {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([key, v]) => /\d/.test(key) && isObject(v));
}

/** A member step of a path, quoted where it must be. */
export function member(path: string, key: string): string {
  if (/^[\p{L}\p{N}_ #@-]+$/u.test(key)) return path === "" ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(key)}]`;
}

/** Every scalar of a value in order; `limit` elements of each list at most. */
export function leaves(value: Json, limit = 60): Leaf[] {
  const found: Leaf[] = [];
  const walk = (v: Json, path: string, generic: string, name: string, depth: number) => {
    if (v === null || typeof v !== "object") {
      found.push({ path, generic, name, value: v });
      return;
    }
    if (depth > 6) return;
    if (Array.isArray(v)) {
      v.slice(0, limit).forEach((item, i) => {
        walk(item, `${path}[${i}]`, `${generic}[*]`, singular(name), depth + 1);
      });
      return;
    }
    const map = isMap(v);
    for (const [key, item] of Object.entries(v).slice(0, map ? limit : 200)) {
      const next = member(path, key);
      if (map) {
        found.push({ path: `${next}.@key`, generic: `${generic}[*].@key`, name: singular(name), value: key });
        walk(item, next, `${generic}[*]`, singular(name), depth + 1);
      } else walk(item, next, member(generic, key), key, depth + 1);
    }
  };
  walk(value, "", "", "", 0);
  return found;
}

const FILLER = new Set([
  "id",
  "number",
  "no",
  "code",
  "new",
  "old",
  "the",
  "of",
  "a",
  "key",
  "ids",
  "target",
  "current",
]);

/** How well a parameter's name says the same as a leaf's: 3 equal, 2 one within the other, 1 a shared word, 0 nothing. */
export function nameScore(parameter: string, leaf: string, owner = ""): number {
  const name = `${parameter}\u001f${leaf}\u001f${owner}`;
  let score = scores.get(name);
  if (score === undefined) {
    score = compareNames(parameter, leaf, owner);
    if (scores.size > 50_000) scores.clear();
    scores.set(name, score);
  }
  return score;
}

const scores = new Map<string, number>();

function compareNames(parameter: string, leaf: string, owner: string): number {
  const want = stems(parameter);
  const own = stems(leaf);
  const full = own.length === 1 && FILLER.has(own[0] ?? "") ? [...stems(owner), ...own] : own;
  if (want.join(" ") === full.join(" ") || want.join(" ") === own.join(" ")) return 3;
  const core = (words: readonly string[]) => words.filter((w) => !FILLER.has(w));
  const [a, b] = [core(want), core(full)];
  if (a.length === 0 || b.length === 0) return 0;
  if (a.join(" ") === b.join(" ")) return 2.5;
  if (a.every((w) => b.includes(w)) || b.every((w) => a.includes(w))) return 2;
  return a.some((w) => b.includes(w)) ? 1 : 0;
}

/** The kinds of characters of a value in order: `#W2210034` is `#A0`. What ids of one sort share. */
export function skeleton(value: string): string {
  return value
    .replace(/[A-Z]+/g, "A")
    .replace(/[a-z]+/g, "a")
    .replace(/\d+/g, "0");
}

/** Members that only wrap an answer: no thing that a person would name. */
const WRAPPER = /^(?:data|result|response|payload|record|detail|info|attribute|field|property|value)$/;

/** The label of a path: `address.city` is "city of the address", `items[0].price` "item price". A part naming `owner` is left out. */
export function label(path: string, owner = ""): string {
  const said: string[] = [];
  const parts = path
    .replace(/\["((?:[^"\\]|\\.)*)"\]/g, (_all, name: string) => `.${name.replace(/[^\p{L}\p{N}]+/gu, " ").trim()}`)
    .split(".")
    .filter((part) => part !== "" && part !== "@key" && !/^\[/.test(part));
  const [holder, last] = parts.map((part) => numbered(humanize(part)));
  if (parts.length === 2 && holder && last && !path.includes("[")) {
    const words = holder.split(" ").map(singular);
    if (words.join(" ") === stems(owner).join(" ")) return dated(last);
    if (words.join(" ") === "address" && last === "street") return "street address";
    if (words.join(" ") === "address" && ADDRESSED.test(dated(last))) return dated(last);
    if (!words.some((word) => last.split(" ").includes(word) || WRAPPER.test(word)))
      return `${dated(last)} of the ${words.join(" ")}`;
  }
  parts.forEach((part, i) => {
    const list = part.includes("[");
    const words = numbered(humanize(part.replace(/\[.*$/, ""))).split(" ");
    const own = list || i < parts.length - 1 ? words.map(singular) : words;
    while (said.length > 0 && own.includes(said.at(-1) as string)) said.pop();
    said.push(...own);
  });
  return dated(said.join(" "));
}

/** Parts of an address that need no word for the whole. */
const ADDRESSED = /^(?:zip code|postcode|postal code|city|state|province|country|street address|second address line)$/;

/** What a person says for the words of a field. */
const SAID: readonly (readonly [field: RegExp, said: string])[] = [
  [/\bdob\b/, "date of birth"],
  [/^(?:num|no|nr) (?=[a-z ]+s$)/, "number of "],
  [/\bzip$/, "zip code"],
  [/^address 1$/, "street address"],
  [/^address 2$/, "second address line"],
  [/\bcreated date\b/, "creation date"],
  [/\bissued date\b/, "issue date"],
  [/ since$/, "-since date"],
  [/\bphone$/, "phone number"],
];

/** `placed on` as "placed date", and other fields in a person's words. */
function dated(words: string): string {
  const plain = words.replace(/(?<=\w) (?:on|at)$/, " date");
  return SAID.reduce((text, [field, said]) => text.replace(field, said), plain);
}

/** `address1` as "address 1". */
export function numbered(words: string): string {
  return words.replace(/([a-z])(\d+)\b/g, "$1 $2");
}

/** Names that a thing goes by. */
export const NAMING = /(?:^|_)(?:title|name|subject|summary|label|headline)$|(?:Title|Name|Subject)$/i;
