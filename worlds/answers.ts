import { isObject, type Json, type JsonObject } from "./json.ts";
import { parsePythonLiteral } from "./python-literal.ts";

/** A result as data, with how it was wrapped on the wire. */
export interface ParsedResult {
  readonly value: Json;
  readonly form: "json" | "text" | "structured" | "python";
  /** The result was a list of content blocks (or a protocol result holding one) around the text. */
  readonly blocks: boolean;
  /** The text itself, where it is JSON: what `jsonStyle` looks at. */
  readonly text?: string;
  /** The protocol's own error flag, where the wrapping carried one. */
  readonly flagged: boolean;
}

/** How a tool reports errors, learnt over its results by `errorShape`. */
export interface ErrorShape {
  /** Leading words of error texts, such as `Error:`. */
  readonly prefixes: readonly string[];
  /** Keys that only error objects carry. */
  readonly keys: readonly string[];
}

const PLAIN = { blocks: false, flagged: false } as const;

function jsonText(text: string): ParsedResult | undefined {
  try {
    return { ...PLAIN, value: JSON.parse(text) as Json, form: "json", text };
  } catch {
    return undefined;
  }
}

/** How a JSON text is written. */
export interface JsonStyle {
  /** Spaces a level; 0 where all stands on one line. */
  readonly indent: number;
  /** Spaces after separators on one line. */
  readonly spaced: boolean;
  /** Characters past ASCII are escaped. */
  readonly ascii: boolean;
}

/** The style of a result's JSON text; none of it where the result is no JSON text. */
export function jsonStyle({ text }: ParsedResult): JsonStyle {
  if (text === undefined) return { indent: 0, spaced: false, ascii: false };
  const indent = /^[{[]\n( +)\S/.exec(text)?.[1]?.length ?? 0;
  const spaced = indent === 0 && /^\s*[{[][^\n]*?(?:": |, ["{[\d-])/.test(text.slice(0, 2000));
  const ascii = /\\u[0-9a-f]{4}/i.test(text) && !/[^\0-\x7f]/.test(text);
  return { indent, spaced, ascii };
}

function parseText(text: string): ParsedResult {
  const first = text.trimStart()[0] ?? "";
  if (first === "{" || first === "[") {
    const json = jsonText(text);
    if (json) return json;
  }
  if (first === "{" || first === "[" || first === "(") {
    const value = parsePythonLiteral(text.trim());
    if (value !== undefined) return { ...PLAIN, value, form: "python" };
  }
  return { ...PLAIN, value: text, form: "text" };
}

function blockText(blocks: readonly Json[]): string | undefined {
  if (blocks.length === 0) return undefined;
  const texts: string[] = [];
  for (const block of blocks) {
    if (!isObject(block) || block.type !== "text") return undefined;
    const text = block.text ?? block.content;
    if (typeof text !== "string") return undefined;
    texts.push(text);
  }
  return texts.join("\n");
}

/** The value of a recorded result of any form: JSON, Python literal, content blocks, text. A lone number or word stays text. */
export function parseResult(result: Json): ParsedResult {
  if (typeof result === "string") return parseText(result);
  if (Array.isArray(result)) {
    const text = blockText(result);
    if (text !== undefined) return { ...parseText(text), blocks: true };
  }
  if (isObject(result) && Array.isArray(result.content)) {
    const flagged = result.isError === true || result.is_error === true;
    const text = blockText(result.content);
    if (text !== undefined) return { ...parseText(text), blocks: true, flagged };
  }
  return { ...PLAIN, value: result, form: "structured" };
}

const CLASSES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["rate_limited", /rate.?limit|too many requests|quota/i],
  ["forbidden", /permission|forbidden|not allowed to|unauthori[sz]ed|access denied|not authori[sz]ed/i],
  ["not_served", /not[_ ]served/i],
  ["not_found", /not found|no such|does ?n[o']t exist|unknown|could not find|cannot find|no .{1,40} (?:found|exists)/i],
  ["conflict", /already|conflict|duplicate/i],
  ["insufficient", /not enough|insufficient|out of stock|exceed|does not add up/i],
  ["timeout", /timed? ?out|deadline/i],
  ["unavailable", /unavailable|connection refused|service down|try again later/i],
  ["bad_arguments", /invalid|missing|required|must be|bad request|validation|should (?:be|match)|expected/i],
  ["not_allowed", /cannot|can not|can't|not available|non-/i],
];
const STATUSES: Record<number, string> = {
  400: "bad_arguments",
  401: "forbidden",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  409: "conflict",
  422: "bad_arguments",
  429: "rate_limited",
  503: "unavailable",
  504: "timeout",
};
/** Past signs of markup: `**Error**: …`, `❌ Error: …`. */
const ERROR_TEXT =
  /^[\s*_`>#❌]*(?:Error\b|[A-Z][A-Za-z]*(?:Error|Exception)\b|Traceback \(most recent|Failed to\b|HTTP (?:[45]\d\d)|(?:Refused|Rejected|Denied)\*{0,2}:|No such [a-z]+\b)/u;
const EMPTY_TEXT =
  /^\s*(?:no (?:results?|records?|matches|items|rows|data)\b.{0,80}|nothing found.{0,80}|not found\.?|none|null)\s*$/i;

function messageOf(value: Json): string {
  if (typeof value === "string") return value;
  if (!isObject(value)) return "";
  const inner = value.error ?? value.message ?? value.detail ?? value.errors ?? value.reason;
  return typeof inner === "string" ? inner : inner === undefined ? "" : JSON.stringify(inner);
}

function statusOf(value: Json): number | undefined {
  if (!isObject(value)) return undefined;
  const error = isObject(value.error) ? value.error : undefined;
  for (const status of [value.status, value.status_code, value.statusCode, error?.status, error?.code])
    if (typeof status === "number" && status >= 400 && status <= 599) return status;
  // Written as a text it is one beside a message only: `{"message": "Not Found", "status": "404"}`.
  const { status, message } = value;
  return typeof message === "string" && typeof status === "string" && /^[45]\d\d$/.test(status)
    ? Number(status)
    : undefined;
}

/** The state of the answer itself, not of a thing in it. */
const OWN_STATE = /^(?:(?:[rR]esponse|[rR]esult|[rR]equest|[cC]all|[tT]ool)_?)?(?:[sS]tatus|STATUS)$/;

function saysError(key: string, value: Json | undefined): boolean {
  return typeof value === "string" && /^error$/i.test(value) && OWN_STATE.test(key);
}

function hasErrorShape(value: Json, shape: ErrorShape | undefined): boolean {
  if (typeof value === "string")
    return ERROR_TEXT.test(value) || (shape?.prefixes.some((prefix) => value.startsWith(prefix)) ?? false);
  if (!isObject(value)) return false;
  const keys = Object.keys(value);
  if (shape?.keys.some((key) => Object.hasOwn(value, key) && value[key])) return true;
  if (value.ok === false || value.success === false || keys.some((key) => saysError(key, value[key]))) return true;
  return Boolean(value.error ?? value.errors) && keys.length <= 4;
}

/**
 * The class of an answer: `error:<class>` by the protocol flag, an HTTP status or an error shape; `refused` for a
 * denial (permission, quota); `pending` for no result; `empty` for an empty list, object or string or a text that says
 * nothing was found; else `data`. `shape` is what `errorShape` learnt over the tool's results.
 */
export function answerClass(
  parsed: ParsedResult,
  isError: boolean,
  options: { status?: number; shape?: ErrorShape; pending?: boolean } = {},
): string {
  const { value } = parsed;
  if (options.pending || (value === null && parsed.form === "structured" && !isError)) return "pending";
  const status = options.status ?? statusOf(value);
  if (isError || parsed.flagged || (status !== undefined && status >= 400) || hasErrorShape(value, options.shape)) {
    const message = messageOf(value);
    const name =
      (status !== undefined ? STATUSES[status] : undefined) ??
      CLASSES.find(([, pattern]) => pattern.test(message))?.[0] ??
      "failed";
    return name === "forbidden" || name === "rate_limited" ? "refused" : `error:${name}`;
  }
  if (value === "" || value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "empty" : "data";
  if (isObject(value)) return Object.keys(value).length === 0 ? "empty" : "data";
  return typeof value === "string" && EMPTY_TEXT.test(value) ? "empty" : "data";
}

/** An object or a list with something in it. */
const HOLDS_SOMETHING = /^\s*[{[]\s*[^\s\]}]/;
/** A quick test for objects that may report an error: one of the members for it with a possible value, or an escape. */
const MAY_TELL_ERROR =
  /["'](?:errors?["']|(?:ok|success)["']\s*:\s*[^tT\s]|[A-Za-z_]{0,9}(?:[sS]tatus|STATUS)(?:_code|Code)?["']\s*:\s*(?!\s*["'](?!(?:[eE][rR][rR][oO][rR]|[45]\d\d)["'])))|\\[^nrtbf"'\\/]/;

/**
 * Whether a recorded result is `data` beyond doubt, without parsing it: what `answerClass` makes of its parsed form,
 * unflagged. False says nothing. Most of what tools answer is told this way at a tenth of the cost.
 */
export function isPlainlyData(result: Json): boolean {
  return typeof result === "string" && HOLDS_SOMETHING.test(result) && !MAY_TELL_ERROR.test(result);
}

/** What a tool's flagged error results have in common and its other results lack; nothing without a flagged one. */
export function errorShape(results: readonly { parsed: ParsedResult; isError: boolean }[]): ErrorShape {
  const prefixes = new Map<string, number>();
  const keys = new Map<string, number>();
  const plain: Json[] = [];
  for (const { parsed, isError } of results) {
    if (!isError && !parsed.flagged) {
      plain.push(parsed.value);
      continue;
    }
    if (typeof parsed.value === "string") {
      const prefix = /^[A-Za-z][A-Za-z ]{0,30}:/.exec(parsed.value)?.[0];
      if (prefix) prefixes.set(prefix, (prefixes.get(prefix) ?? 0) + 1);
    } else if (isObject(parsed.value))
      for (const key of Object.keys(parsed.value as JsonObject)) keys.set(key, (keys.get(key) ?? 0) + 1);
  }
  const clean = (test: (value: Json) => boolean) => !plain.some(test);
  return {
    prefixes: [...prefixes.keys()]
      .filter((prefix) =>
        clean((value) => typeof value === "string" && value.startsWith(prefix) && !ERROR_TEXT.test(value)),
      )
      .sort(),
    keys: [...keys.keys()].filter((key) => clean((value) => isObject(value) && Object.hasOwn(value, key))).sort(),
  };
}
