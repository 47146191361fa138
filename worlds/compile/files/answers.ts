import { ACCEPTED_WRONG } from "../../confidence.ts";
import { equalJson, isObject, type Json } from "../../json.ts";
import { literal } from "../conditions/term.ts";
import type { Output } from "./outputs.ts";

/** An answer that takes more forms than these is not learnt. */
const MOST_SIDES = 4;

/** A condition with whether it held; undefined is not known. */
export interface Condition {
  readonly cel: string;
  readonly value: boolean | undefined;
}

/** What was answered, beside what may be said at that moment. */
export interface Example {
  readonly value: Json;
  readonly outputs: readonly Output[];
  readonly conditions: readonly Condition[];
}

/** An expression with whether it gives the value of an example; undefined where that is not known. */
interface Candidate {
  readonly cel: string;
  fits(example: Example): boolean | undefined;
}

const outputOf = (example: Example, cel: string): Json | undefined =>
  example.outputs.find((one) => one.cel === cel)?.value;

/** The expression that says all values; undefined where none does. */
export function fitAnswer(examples: readonly Example[]): string | undefined {
  const [first] = examples;
  if (first === undefined) return undefined;
  const { value } = first;
  if (isObject(value)) {
    const keys = Object.keys(value);
    const parts: string[] = [];
    for (const key of keys) {
      const inner = examples.map((one) => ({ ...one, value: isObject(one.value) ? (one.value[key] ?? null) : null }));
      const said = fitAnswer(inner);
      if (said === undefined) return undefined;
      parts.push(`${literal(key)}: ${said}`);
    }
    return `{${parts.join(", ")}}`;
  }
  return fitValue(examples) ?? fitSplit(examples);
}

/** One expression on each side of a condition; what is not known to hold stands on the side of what does not. */
function fitSplit(examples: readonly Example[], most = MOST_SIDES): string | undefined {
  const [first] = examples;
  for (const strict of [false, true])
    for (const { cel } of first?.conditions ?? []) {
      const sides = [true, false].map((held) =>
        examples.filter(({ conditions }) => {
          const value = conditions.find((one) => one.cel === cel)?.value;
          return held ? value === true : strict ? value === false : value !== true;
        }),
      ) as [Example[], Example[]];
      const [yes, no] = sides;
      if (yes.length < 2 || no.length < 2) continue;
      const a = fitValue(yes);
      const b = a === undefined ? undefined : (fitValue(no) ?? (most > 2 ? fitSplit(no, most - 1) : undefined));
      if (a !== undefined && b !== undefined)
        return `(${strict ? cel : `unknown_as_null(${cel}) == true`} ? ${a} : ${b})`;
    }
  for (const { cel } of first?.conditions ?? []) {
    if (!cel.startsWith("args")) continue;
    for (const held of [true, false]) {
      const side = examples.filter(({ conditions }) => conditions.find((one) => one.cel === cel)?.value === held);
      const said = side.length * 2 >= examples.length ? fitValue(side) : undefined;
      if (said !== undefined) return held ? `(${cel} ? ${said} : unknown())` : `(${cel} ? unknown() : ${said})`;
    }
  }
  return undefined;
}

/** One expression for all values. */
function fitValue(examples: readonly Example[]): string | undefined {
  const [first] = examples;
  if (first === undefined) return undefined;
  const offered = new Map<string, Candidate>();
  for (const { outputs } of examples)
    for (const { cel } of outputs)
      offered.set(cel, {
        cel,
        fits: (example) => {
          const said = outputOf(example, cel);
          return said === undefined ? undefined : equalJson(said, example.value);
        },
      });
  for (const template of templates(examples)) offered.set(template.cel, template);
  let best: { readonly cel: string; readonly known: number } | undefined;
  for (const { cel, fits } of offered.values()) {
    let known = 0;
    let wrong = 0;
    for (const example of examples) {
      const fit = fits(example);
      if (fit === true) known++;
      else if (fit === false) wrong++;
    }
    if (wrong <= known * ACCEPTED_WRONG && known > (best?.known ?? 1)) best = { cel, known };
  }
  // A constant is said where nothing that may be said of the moment is the same each time.
  if (best && best.known * 2 >= examples.length) return best.cel;
  const constant = examples.length > 2 && examples.every(({ value }) => equalJson(value, first.value));
  return constant ? literal(first.value) : best?.cel;
}

/** Sentences with what may be said put into them. */
function templates(examples: readonly Example[]): Candidate[] {
  const out = new Map<string, Candidate>();
  for (const example of examples.slice(0, 6)) {
    if (typeof example.value !== "string") continue;
    const parts = holes(example.value, example.outputs);
    if (!parts.some((part) => typeof part !== "string")) continue;
    const cel = parts.map((part) => (typeof part === "string" ? literal(part) : part.cel)).join(" + ");
    out.set(cel, {
      cel,
      fits: (other) => {
        let text = "";
        for (const part of parts) {
          const said = typeof part === "string" ? part : outputOf(other, part.cel);
          if (typeof said !== "string") return undefined;
          text += said;
        }
        return text === other.value;
      },
    });
  }
  return [...out.values()];
}

/** A text as the parts that may be said and what stands between them, longest first. */
export function holes(text: string, outputs: readonly Output[]): (string | { readonly cel: string })[] {
  const said = outputs.flatMap(({ cel, value }) =>
    typeof value === "string" && value.length > 0 && value.length < 200 ? [{ cel, value }] : [],
  );
  let parts: (string | { readonly cel: string })[] = [text];
  for (const { cel, value } of said.sort((a, b) => b.value.length - a.value.length))
    parts = parts.flatMap((part) =>
      typeof part === "string" ? cut(part, value).map((piece) => piece ?? { cel }) : [part],
    );
  return parts;
}

const WORD = /[\p{L}\p{N}]/u;

/** A text without the places where a word stands alone; undefined for each of these. */
function cut(text: string, word: string): (string | undefined)[] {
  const out: (string | undefined)[] = [];
  let from = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (at < from || WORD.test(text[at - 1] ?? "") || WORD.test(text[end] ?? "")) continue;
    if (at > from) out.push(text.slice(from, at));
    out.push(undefined);
    from = end;
  }
  return from < text.length ? [...out, text.slice(from)] : out;
}
