import type { Json, JsonObject } from "../../../../worlds/json.ts";
import { fromJson, list, object, text, writtenObject } from "../values.ts";

/** Where an export keeps what was said, when it is one text among other fields. */
const WORDS = ["input", "question", "query", "prompt", "output", "answer", "response", "result", "text", "content"];

/**
 * What went into or came out of a step, as messages or as words: lists of lists are one list, generations are what they
 * generated, an object that only wraps a text is that text. Undefined where nothing was said.
 */
export function contentOf(given: unknown): Json | undefined {
  const value = fromJson(given);
  if (value === null || value === undefined || value === "") return undefined;
  const record = object(value);
  if (!record) return (Array.isArray(value) ? value.flat() : value) as Json;
  const generations = list(record.generations).flat();
  if (generations.length > 0)
    return generations.map((each) => (object(each)?.message ?? { role: "assistant", content: wordsOf(each) }) as Json);
  if (Array.isArray(record.messages)) return { ...record, messages: record.messages.flat() };
  if (record.role !== undefined || record.choices !== undefined || record.kwargs !== undefined) return record;
  for (const key of WORDS) {
    const inner = fromJson(record[key]);
    if (text(inner) !== undefined) return inner as Json;
    if (typeof inner === "number" || typeof inner === "boolean") return String(inner);
    if (Array.isArray(inner) || object(inner)?.role !== undefined || object(inner)?.messages !== undefined)
      return contentOf(inner);
  }
  // A traced function's one argument, whatever it is called.
  const [only, ...others] = Object.values(record);
  return others.length === 0 && text(only) !== undefined ? (only as Json) : record;
}

function wordsOf(generation: unknown): string {
  return text(object(generation)?.text) ?? "";
}

/** A tool's input: its arguments, out of the text or the one field that some exports wrap them in. */
export function argumentsOf(given: unknown): JsonObject | undefined {
  const record = writtenObject(given);
  const words = text(fromJson(given));
  if (!record) return words === undefined ? undefined : { input: words };
  const [only] = Object.keys(record).length === 1 ? Object.values(record) : [];
  const inner = writtenObject(only);
  return inner && (record.input !== undefined || record.kwargs !== undefined) ? inner : record;
}

/** A tool's result: the content of a message, the one field `output`, else the value itself. */
export function resultOf(given: unknown): Json | undefined {
  const value = fromJson(given);
  const record = object(value);
  if (!record) return (value ?? undefined) as Json | undefined;
  const keys = Object.keys(record);
  if (keys.length === 1 && record.output !== undefined) return resultOf(record.output);
  const kwargs = object(record.kwargs);
  if (kwargs && record.lc !== undefined) return (kwargs.content ?? null) as Json;
  return record.type === "tool" && record.content !== undefined ? (record.content as Json) : record;
}
