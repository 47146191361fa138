import { RE2JS } from "re2js";
import { WorldError } from "../errors.ts";

const KEPT = 500;
const compiled = new Map<string, RE2JS>();

/** A compiled RE2 pattern: matching takes time linear in the text. Throws `type` on a pattern that RE2 does not know. */
export function pattern(source: string): RE2JS {
  const known = compiled.get(source);
  if (known) return known;
  let made: RE2JS;
  try {
    made = RE2JS.compile(source);
  } catch {
    throw new WorldError("type", "not a pattern that can be matched in linear time");
  }
  if (compiled.size >= KEPT) compiled.delete(compiled.keys().next().value as string);
  compiled.set(source, made);
  return made;
}
