import { getOwn, type JsonObject, setOwn } from "../../../json.ts";
import { literal } from "../../conditions/term.ts";
import type { Call, Session } from "../../observations.ts";
import { byText, isScalar } from "../../values.ts";
import { maskedText } from "../state/kinds.ts";
import { arg } from "./expr.ts";
import { type Printing, print } from "./print.ts";

/** A sentence that tells the number of what a call made: "Opened ticket #12 for Ada." */
export interface KeyInText {
  /** The argument under which calls are given the number later. */
  readonly field: string;
  /** What stands before and after the number: texts, and names of arguments. */
  readonly before: readonly Part[];
  readonly after: readonly Part[];
}

type Part = { readonly text: string } | { readonly arg: string };

/** Calls that end in the sentence, and the share of them whose number is given to a later call. */
const LEAST = 3;
const CARRIED = 0.4;

/** The parts of a masked text on one side of its number. */
function partsOf(masked: string, args: JsonObject): Part[] {
  return masked.split(/(\{[^{}]+\})/).flatMap((text): Part[] => {
    const name = /^\{([^{}]+)\}$/.exec(text)?.[1];
    if (name !== undefined && isScalar(getOwn(args, name))) return [{ arg: name }];
    return text === "" ? [] : [{ text }];
  });
}

const written = (parts: readonly Part[], args: JsonObject): string =>
  parts.map((part) => ("text" in part ? part.text : String(getOwn(args, part.arg)))).join("");

type Sides = Pick<KeyInText, "before" | "after">;

/** A masked text parted at each of its marks: a text may hold the sign of one too. */
const sidesOf = (masked: string, args: JsonObject): Sides[] =>
  [...masked.matchAll(/#/g)].map(({ index }) => ({
    before: partsOf(masked.slice(0, index), args),
    after: partsOf(masked.slice(index + 1), args),
  }));

const marks = (text: string): number => text.split("#").length;

/** The number that a sentence tells; undefined where it is not of the form. */
function numberIn({ args, value }: Call, { before, after }: Sides): number | undefined {
  if (typeof value !== "string") return undefined;
  const [head, tail] = [written(before, args), written(after, args)];
  if (value.length <= head.length + tail.length || !value.startsWith(head) || !value.endsWith(tail)) return undefined;
  const number = Number(value.slice(head.length, value.length - tail.length));
  return Number.isSafeInteger(number) && `${head}${number}${tail}` === value ? number : undefined;
}

/** Sentences of a tool, by what they are masked to, with the arguments that later calls of their sessions were given. */
interface MaskedSentence {
  readonly calls: Call[];
  readonly carried: Map<string, number>;
}

/** Reads the numbers of what calls made where a sentence alone tells them: the sessions as if the calls answered them as a field. */
export function readKeysInText(sessions: readonly Session[]): {
  sessions: readonly Session[];
  told: ReadonlyMap<string, KeyInText>;
} {
  const tools = new Map<string, Map<string, MaskedSentence>>();
  for (const { calls } of sessions)
    for (const [at, call] of calls.entries()) {
      const { ok, tool, args, value } = call;
      if (!ok || typeof value !== "string" || value.includes("\n")) continue;
      const masked = maskedText(value, args);
      const number = sidesOf(masked, args)
        .map((sides) => numberIn(call, sides))
        .find((found) => found !== undefined);
      if (number === undefined || marks(masked) !== marks(value) + 1) continue;
      const kinds = tools.get(tool) ?? new Map<string, MaskedSentence>();
      tools.set(tool, kinds);
      const maskedSentence = kinds.get(masked) ?? { calls: [], carried: new Map<string, number>() };
      kinds.set(masked, maskedSentence);
      maskedSentence.calls.push(call);
      const names = new Set(
        calls
          .slice(at + 1)
          .flatMap((later) => Object.entries(later.args).flatMap(([name, given]) => (given === number ? [name] : []))),
      );
      for (const name of names) maskedSentence.carried.set(name, (maskedSentence.carried.get(name) ?? 0) + 1);
    }
  const told = new Map<string, KeyInText>();
  for (const [tool, kinds] of tools) {
    const found = [...kinds].flatMap(([masked, said]) => formOf(masked, said) ?? []);
    if (found.length === 1) told.set(tool, found[0] as KeyInText);
  }
  if (told.size === 0) return { sessions, told };
  const read = (call: Call): Call => {
    const form = call.ok ? told.get(call.tool) : undefined;
    const number = form && numberIn(call, form);
    if (number === undefined) return call;
    const value: JsonObject = {};
    setOwn(value, form?.field as string, number);
    return { ...call, value };
  };
  return { sessions: sessions.map((session) => ({ ...session, calls: session.calls.map(read) })), told };
}

function formOf(masked: string, { calls, carried }: MaskedSentence): KeyInText | undefined {
  const [best] = [...carried].sort((a, b) => b[1] - a[1] || byText(a[0], b[0]));
  const [first] = calls;
  if (!first || !best || calls.length < LEAST || best[1] < calls.length * CARRIED) return undefined;
  const sides = sidesOf(masked, first.args).find((one) => calls.every((call) => numberIn(call, one) !== undefined));
  return sides && { field: best[0], ...sides };
}

/** The expression of the sentence that tells the number which `value` is the expression of a record of. */
export function keySentence(value: string, { field, before, after }: KeyInText, at: Printing): string {
  const side = (parts: readonly Part[]): string[] =>
    parts.map((part) => ("text" in part ? literal(part.text) : `string(${print(arg(part.arg), at)})`));
  const parts = [...side(before), `string(o[${literal(field)}])`, ...side(after)];
  return `[${value}].map(o, ${parts.join(" + ")})[0]`;
}
