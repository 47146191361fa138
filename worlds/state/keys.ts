import { hash } from "node:crypto";
import { WorldError } from "../errors.ts";
import type { Json } from "../json.ts";

/** What stands between the parts of a composite key (U+001F). */
export const KEY_SEPARATOR = "\u001f";

/** The key made of these column values; undefined when one of them cannot be part of a key (absent, null, a list, an object). */
export function joinKey(parts: readonly (Json | undefined)[]): string | undefined {
  let key = "";
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i];
    if (part === undefined || part === null || typeof part === "object") return undefined;
    key += i === 0 ? String(part) : KEY_SEPARATOR + String(part);
  }
  return key;
}

const DIGITS = /\d+/g;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Order of row keys: digit runs as numbers (`R9` before `R10`), else by UTF-16 code unit. Pure. */
export function compareKeys(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let i = 0; i < end; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (!isDigit(x) && !isDigit(y)) return x - y;
    let start = i;
    while (start > 0 && isDigit(a.charCodeAt(start - 1))) start--;
    if (!isDigit(a.charCodeAt(start)) || !isDigit(b.charCodeAt(start))) return x - y;
    return compareRuns(a, b, start) || (a < b ? -1 : 1);
  }
  return a.length - b.length;
}

function compareRuns(a: string, b: string, start: number): number {
  DIGITS.lastIndex = start;
  const left = (DIGITS.exec(a) as RegExpExecArray)[0].replace(/^0+(?=\d)/, "");
  DIGITS.lastIndex = start;
  const right = (DIGITS.exec(b) as RegExpExecArray)[0].replace(/^0+(?=\d)/, "");
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

const ALPHABETS: Readonly<Record<string, string>> = {
  n: "0123456789",
  x: "0123456789abcdef",
  a: "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  w: "abcdefghijklmnopqrstuvwxyz0123456789",
};

/** Kinds of generated keys: `n` digits, `x` hexadecimal, `a` upper-case letters and digits, `w` lower-case ones. */
export const KEY_KINDS: readonly string[] = Object.keys(ALPHABETS);

/** Draw `index` of a seed: always the same key, so that a rebuilt world goes on where it stopped. `width` is 1..64. */
export function drawKey(seed: string, index: number, kind: string, width: number): string {
  const alphabet = ALPHABETS[kind];
  if (alphabet === undefined || !Number.isInteger(width) || width < 1 || width > 64)
    throw new WorldError("type", "a generated key has a kind (n, x, a, w) and a width of 1 to 64");
  let out = "";
  for (let block = 0; out.length < width; block++) {
    const bytes = hash("sha256", `${seed}\u0000${index}\u0000${block}`, "buffer");
    for (let at = 0; at + 1 < bytes.length && out.length < width; at += 2) {
      const char = alphabet[bytes.readUInt16BE(at) % alphabet.length] as string;
      if (kind === "n" && out === "" && char === "0" && width > 1) continue;
      out += char;
    }
  }
  return out;
}
