import { parseResult } from "../../worlds/answers.ts";
import type { Json } from "../../worlds/json.ts";
import type { CanonicalTrace, TraceCall } from "../evidence/schema.ts";
import type { RowKeys } from "./row-keys.ts";

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
 * asked for by its key in a read that answered data, shown in what a read answered, or made by an earlier call. Pure.
 */
export function writesOf(trace: Pick<CanonicalTrace, "calls">, effectOf: (tool: string) => ToolEffect): WriteSeen[] {
  const seen: Sight[] = [];
  const writes: WriteSeen[] = [];
  for (const call of trace.calls) {
    if (call.requestor === "user" || call.is_error || !succeeded(call)) continue;
    const { effect, keys } = effectOf(call.tool);
    if (effect === "write") {
      const rows = keys === "creates" ? [] : keys(call.args);
      const known = rows.every((row) => seen.some((sight) => row.every((value) => sight.holds(value))));
      writes.push({ tool: call.tool, row: rows.length === 0 ? "no_row" : known ? "read" : "unread" });
    }
    seen.push(new Sight(call, effect));
  }
  return writes;
}

/** Answer classes are about data: a write that answers nothing has still been made. */
function succeeded({ answer_class }: TraceCall): boolean {
  return answer_class === "data" || answer_class === "empty";
}

/** What a call let the agent know of rows, by the values of their keys. Read out of the call when it is first asked. */
class Sight {
  readonly #call: TraceCall;
  readonly #effect: ToolEffect["effect"];
  #shown: { readonly whole: ReadonlySet<string>; readonly texts: readonly string[] } | undefined;

  constructor(call: TraceCall, effect: ToolEffect["effect"]) {
    this.#call = call;
    this.#effect = effect;
  }

  holds(value: string): boolean {
    const asked = leavesOf(this.#call.args).whole.has(value);
    // What a write says back of its own arguments is no reading; what it adds to them, it made.
    if (this.#effect === "write" && asked) return false;
    if (asked && this.#call.answer_class === "data") return true;
    this.#shown ??= leavesOf(parseResult((this.#call.result ?? null) as Json).value);
    return this.#shown.whole.has(value) || this.#shown.texts.some((text) => says(text, value));
  }
}

/** Longer texts are searched for values, shorter ones are a value. */
const VALUE = 80;

function leavesOf(value: unknown): { whole: Set<string>; texts: string[] } {
  const whole = new Set<string>();
  const texts: string[] = [];
  const look = (item: unknown): void => {
    if (Array.isArray(item)) for (const one of item) look(one);
    else if (typeof item === "object" && item !== null) {
      for (const [name, one] of Object.entries(item)) {
        whole.add(name);
        look(one);
      }
    } else if (typeof item === "string") {
      if (item.length <= VALUE) whole.add(item);
      if (/[\s,;:]/.test(item)) texts.push(item);
    } else if (typeof item === "number") whole.add(String(item));
  };
  look(value);
  return { whole, texts };
}

/** Whether a text holds a value as a word of its own. */
function says(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const [before, after] = [text[at - 1] ?? " ", text[at + value.length] ?? " "];
    if (!/[\w-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}
