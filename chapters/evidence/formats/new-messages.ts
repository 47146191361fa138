import type { JsonObject } from "../../../worlds/json.ts";
import { wordsOf } from "./builder.ts";
import type { Reading } from "./format.ts";
import { answersIn, callsIn, callsOf, ROLES } from "./messages.ts";

const SILENT: Reading = { header: {}, lose() {}, refuse() {}, strip() {} };

/** What a message says, so that it is known again when a later request repeats it: role, words, ids of calls and answers. */
export function keyOf(message: JsonObject): string {
  const content = message.content ?? message.parts ?? null;
  const role = typeof message.role === "string" ? (ROLES[message.role] ?? message.role) : String(message.type);
  const calls = [...callsOf(message), ...callsIn(content)].map((call) => call.id ?? call.tool);
  const answers = answersIn(content).map((answer) => answer.id ?? answer.tool);
  const words = typeof content === "string" ? content : wordsOf(content, SILENT);
  return JSON.stringify([role, words.trim(), calls, answers, message.tool_call_id ?? message.call_id ?? null]);
}

/** Messages of histories that repeat: each is told once, as often as one history holds it. */
export class NewMessages {
  readonly #told = new Map<string, number>();

  /** The messages of a history that none before it held. */
  *news(history: readonly JsonObject[]): Generator<JsonObject> {
    const here = new Map<string, number>();
    for (const message of history) {
      const key = keyOf(message);
      const nth = (here.get(key) ?? 0) + 1;
      here.set(key, nth);
      if (nth <= (this.#told.get(key) ?? 0)) continue;
      this.#told.set(key, nth);
      yield message;
    }
  }
}
