import { getOwn, type Json, type JsonObject } from "../../../json.ts";
import { isScalar, same } from "../../values.ts";
import { arg, type Expr, inText, UNKNOWN } from "./expr.ts";
import type { Vector } from "./vectors.ts";

/** A call that was told a text. */
interface TextAnswer {
  readonly text: Json;
  readonly args: JsonObject;
}

/**
 * A text that every call was told, with what each was given in place of it; undefined where none of it is in the text,
 * where calls were given other things and told the same, or where they were told several texts. A number may stand
 * in a text by chance, as a count does: it is taken for what was given where `numbers` says so.
 */
export function echoOf(calls: readonly TextAnswer[], numbers = true): Expr | undefined {
  const [first] = calls;
  const text = first?.text;
  if (typeof text !== "string" || calls.some((one) => one.text !== text)) return undefined;
  const given = Object.entries(first?.args ?? {}).filter(
    ([name, value]) =>
      (numbers || typeof value !== "number") && calls.every(({ args }) => same(getOwn(args, name) ?? null, value)),
  );
  const parts = insideOf(
    text,
    given.map(([name, value]) => ({ expr: arg(name), value: () => value })),
    0,
  );
  return parts && { op: "text", parts };
}

/** A text in parts: what stands between the values of terms at example `i`, and those; undefined where none of them is in it. */
export function insideOf(
  text: string,
  terms: readonly Pick<Vector, "expr" | "value">[],
  i: number,
): (string | Expr)[] | undefined {
  const found: { from: number; to: number; term: Expr; part: string }[] = [];
  for (const vector of terms) {
    const term = vector.expr;
    const value = vector.value(i);
    if (value === UNKNOWN || !isScalar(value) || typeof value === "boolean") continue;
    const part = inText(value);
    if (part.length === 0) continue;
    const cut = cutIn(text, part);
    if (cut) {
      const from = text.indexOf(cut);
      found.push({ from, to: from + cut.length, term: { op: "cut", a: term, length: cut.length - 3 }, part: cut });
    }
    for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, from + 1))
      if (standsAlone(text, from, part)) found.push({ from, to: from + part.length, term, part });
  }
  found.sort((a, b) => b.part.length - a.part.length || a.from - b.from);
  const kept: typeof found = [];
  for (const one of found) if (kept.every((other) => one.to <= other.from || one.from >= other.to)) kept.push(one);
  if (kept.length === 0) return undefined;
  kept.sort((a, b) => a.from - b.from);
  const parts: (string | Expr)[] = [];
  let at = 0;
  for (const { from, to, term } of kept) {
    if (from > at) parts.push(text.slice(at, from));
    parts.push(term);
    at = to;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** Whether a text holds another that stands between words. */
export function isWithin(text: string, part: string): boolean {
  if (part === "") return false;
  for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, from + 1))
    if (standsAlone(text, from, part)) return true;
  return false;
}

/** The beginning of a long value with an ellipsis, as it stands in a text. */
function cutIn(text: string, value: string): string | undefined {
  if (value.length < 12) return undefined;
  for (let at = text.indexOf("..."); at >= 0; at = text.indexOf("...", at + 1))
    for (let length = Math.min(at, value.length - 1); length >= 8; length--)
      if (text.startsWith(value.slice(0, length), at - length)) return `${value.slice(0, length)}...`;
  return undefined;
}

const WORD = /[\p{L}\p{N}]/u;
const standsAlone = (text: string, from: number, part: string): boolean =>
  !(WORD.test(text[from - 1] ?? " ") && WORD.test(part[0] ?? " ")) &&
  !(WORD.test(text[from + part.length] ?? " ") && WORD.test(part.at(-1) ?? " "));
