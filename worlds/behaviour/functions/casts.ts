import { isObject, type Json, type JsonObject } from "../../json.ts";
import { typeError, type Value } from "../frame.ts";

/** A list, null counting as an empty one; throws `type` for `of` on anything else. */
export function list(value: Value, of: string): readonly Json[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw typeError(of, value);
  return value;
}

/** A text; throws `type` for `of` on anything else. */
export function text(value: Value, of: string): string {
  if (typeof value !== "string") throw typeError(of, value);
  return value;
}

/** A number; throws `type` for `of` on anything else. */
export function number(value: Value, of: string): number {
  if (typeof value !== "number") throw typeError(of, value);
  return value;
}

/** A whole number within 2^53; throws `type` for `of` on anything else. */
export function whole(value: Value, of: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw typeError(of, value);
  return value;
}

/** A map; throws `type` for `of` on anything else. */
export function map(value: Value, of: string): JsonObject {
  if (!isObject(value)) throw typeError(of, value);
  return value;
}

/** A scalar as text: as JSON writes it, texts as they are. Throws `type` on null, lists and maps. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw typeError("string", value);
}
