import { isObject, type Json, type JsonObject } from "../json.ts";
import { type Figure, figure, readPath } from "./select.ts";

/** A reference or answer hole that could not be resolved. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
}

const REF = /^\$(\d+)(?:\.|(?=[[~])|$)(.*)$/s;

/** Whether a value is a reference to an earlier result, and which: `$n.path`, n from 1. */
export function refOf(value: unknown): { n: number; path: string } | undefined {
  if (typeof value !== "string") return undefined;
  const match = REF.exec(value);
  return match ? { n: Number(match[1]), path: match[2] ?? "" } : undefined;
}

function deref(ref: { n: number; path: string }, results: readonly Json[]): Json {
  if (ref.n < 1 || ref.n > results.length) throw new ScriptError(`there is no result ${ref.n} yet`);
  const values = readPath(results[ref.n - 1] as Json, ref.path);
  if (values.length === 0) throw new ScriptError(`result ${ref.n} has nothing at the path`);
  return /\[\*\]|\[[^\]"]*[=<>]/.test(ref.path) && values.length > 1 ? values : (values[0] as Json);
}

/** An argument value with every reference in it replaced by what it refers to. Throws ScriptError. */
export function resolve(value: unknown, results: readonly Json[]): Json {
  const ref = refOf(value);
  if (ref) return deref(ref, results);
  if (Array.isArray(value)) return value.map((item) => resolve(item, results));
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, resolve(v, results)]));
  return value as Json;
}

/** A call's arguments, resolved. Throws ScriptError. */
export function resolveArgs(args: Record<string, unknown>, results: readonly Json[]): JsonObject {
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, resolve(value, results)]));
}

function say(value: Json): string {
  if (Array.isArray(value)) return value.map(say).join(", ");
  if (value === null) return "nothing";
  return isObject(value) ? JSON.stringify(value) : String(value);
}

const HOLE = /\{(?:(count|sum|min|max) )?(\$\d+(?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}/g;

/** The answer with each hole filled: `{$n.path}` says what is there, `{sum $n.path}` a figure over it. Throws ScriptError. */
export function renderAnswer(template: string, results: readonly Json[]): string {
  return template.replace(HOLE, (_all, of: Figure | undefined, text: string) => {
    const ref = refOf(text);
    if (!ref || ref.n > results.length) throw new ScriptError("the answer refers to a result that is not there");
    const values = readPath(results[ref.n - 1] as Json, ref.path);
    if (of) return say(figure(of, values));
    if (values.length === 0) throw new ScriptError(`result ${ref.n} has nothing at the answer's path`);
    return values.map(say).join(", ");
  });
}

/** The holes of an answer, in order. */
export function holes(template: string): { of?: Figure; n: number; path: string }[] {
  return [...template.matchAll(HOLE)].flatMap((match) => {
    const ref = refOf(match[2]);
    return ref ? [{ ...ref, ...(match[1] ? { of: match[1] as Figure } : {}) }] : [];
  });
}
