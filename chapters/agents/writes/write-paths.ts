import { parseResult } from "../../../worlds/answers.ts";
import { isObject, type Json, type JsonObject } from "../../../worlds/json.ts";
import type { CanonicalTrace, TraceCall } from "../../records/evidence/evidence.ts";
import { isIdName, type RowKey, type RowKeys, sameName, speaksOf } from "./row-keys.ts";

/** What is known of a tool: whether its calls change anything, and which rows. */
export interface ToolEffect {
  readonly effect: "read" | "write";
  readonly keys: RowKeys;
}

/** A write of a trace that succeeded. `no_row`: it makes new rows, or its arguments name none that stands. */
export interface WriteSeen {
  readonly tool: string;
  readonly row: "read" | "unread" | "no_row";
}

/**
 * The writes of a trace in order, each with whether every row that it changes had been read before it in the same trace:
 * asked for by its key in a read that answered it, shown with more than its key in what a read answered, or made by an
 * earlier call. That its key stands somewhere, alone or in another row, is no reading. Pure.
 */
export function writesOf(trace: Pick<CanonicalTrace, "calls">, effectOf: (tool: string) => ToolEffect): WriteSeen[] {
  const seen: Observation[] = [];
  const writes: WriteSeen[] = [];
  for (const call of trace.calls) {
    if (call.requestor === "user" || call.is_error || !succeeded(call)) continue;
    const { effect, keys } = effectOf(call.tool);
    if (effect === "write") {
      const rows = keys === "creates" ? [] : keys(call.args);
      const known = rows.every((row) => seen.some((observation) => observation.holds(row)));
      writes.push({ tool: call.tool, row: rows.length === 0 ? "no_row" : known ? "read" : "unread" });
    }
    seen.push(new Observation(call, effect));
  }
  return writes;
}

/** Answer classes are about data: a write that answers nothing has still been made. */
function succeeded({ answer_class }: TraceCall): boolean {
  return answer_class === "data" || answer_class === "empty";
}

/** What a call let the agent know of rows. Its answer is read when it is first asked. */
class Observation {
  readonly #call: TraceCall;
  readonly #effect: ToolEffect["effect"];
  #answer: Json | undefined;

  constructor(call: TraceCall, effect: ToolEffect["effect"]) {
    this.#call = call;
    this.#effect = effect;
  }

  holds(row: RowKey): boolean {
    this.#answer ??= parseResult((this.#call.result ?? null) as Json).value;
    const asked = leavesOf(this.#call.args);
    const named = row.every(({ value }) => asked.has(value));
    // What a write says back of its own arguments is no reading; what it adds to them, it made.
    if (this.#effect === "write") {
      if (named) return false;
      const made = leavesOf(this.#answer);
      return row.every(({ value }) => made.has(value));
    }
    if (this.#call.answer_class !== "data") return false;
    return (named && this.#asksFor(row)) || shows(this.#answer, row);
  }

  /** Whether a read that names the row's key answers that row: not the ones of another kind that belong to it. */
  #asksFor(row: RowKey): boolean {
    const { tool } = this.#call;
    if (row.some(({ name }) => speaksOf(tool, name))) return true;
    return !Array.isArray(this.#answer) && !/^(?:list|search|find)/i.test(tool);
  }
}

/** Whether data shows a row: an object of its key and more, an entry under its key, or a text that names it. */
function shows(data: Json, row: RowKey): boolean {
  if (typeof data === "string") return row.every(({ value }) => says(data, value));
  if (Array.isArray(data)) return data.some((item) => typeof item !== "string" && shows(item, row));
  if (!isObject(data)) return false;
  if (isRow(data, row)) return true;
  const [only, ...more] = row;
  const entry = only && more.length === 0 ? data[only.value] : undefined;
  if (isObject(entry)) return true;
  return Object.values(data).some((item) => typeof item !== "string" && shows(item, row));
}

/** Whether an object is the row itself and not one that only refers to it. */
function isRow(data: JsonObject, row: RowKey): boolean {
  const names = Object.keys(data);
  if (names.length < 2) return false;
  const own = names.find((name) => sameName(name, "id")) ?? names.find(isIdName);
  return row.every(({ name, value }) => {
    const field = isIdName(name) ? own : names.find((other) => sameName(other, name));
    if (field === undefined || String(data[field]) !== value) return false;
    return !isIdName(name) || sameName(field, name) || sameName(field, "id") || sameName(name, "id");
  });
}

/** Every name and single value of some data, as text. */
function leavesOf(data: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(data)) for (const item of data) leavesOf(item, found);
  else if (typeof data === "object" && data !== null) {
    for (const [name, item] of Object.entries(data)) leavesOf(item, found.add(name));
  } else if (typeof data === "string" || typeof data === "number") found.add(String(data));
  return found;
}

/** Whether a text holds a value as a word of its own. */
function says(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const [before, after] = [text[at - 1] ?? " ", text[at + value.length] ?? " "];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}
