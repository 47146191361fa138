import { isObject, type Json } from "../../../worlds/json.ts";
import type { Doc } from "../../record.ts";
import type { AnswerShape } from "../../records/sandboxes/audit.ts";

/** Every path of a fitting answer: its types, and whether each answer has it. */
export type Paths = Doc<typeof AnswerShape>["paths"];

const MOST_PATHS = 2000;

function typeOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

/** The typed paths of a value, `[]` for each element of a list; an absent path is one that no element has. */
function typedPaths(value: Json): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const walk = (v: Json, path: string, depth: number) => {
    if (found.size >= MOST_PATHS || depth > 20) return;
    found.set(path, (found.get(path) ?? new Set()).add(typeOf(v)));
    if (Array.isArray(v)) for (const each of v) walk(each, `${path}[]`, depth + 1);
    else if (isObject(v))
      for (const [key, each] of Object.entries(v)) walk(each, path === "" ? key : `${path}.${key}`, depth + 1);
  };
  walk(value, "", 0);
  return found;
}

/** The shape that all examples have: a path that some lack may be absent. */
export function shapeOfExamples(examples: readonly Json[]): Paths {
  const all = examples.map(typedPaths);
  const names = new Set(all.flatMap((paths) => [...paths.keys()]));
  return Object.fromEntries(
    [...names].sort().map((path) => [
      path,
      {
        types: [...new Set(all.flatMap((paths) => [...(paths.get(path) ?? [])]))].sort(),
        always: all.every((paths) => paths.has(path)),
      },
    ]),
  );
}

/** Where an answer does not have a shape: paths of another type, missing ones, and ones that it should not have. */
export function misfits(shape: Paths, answer: Json): { path: string; expected: string; found: string }[] {
  const has = typedPaths(answer);
  const wrong: { path: string; expected: string; found: string }[] = [];
  for (const [path, types] of has) {
    const expected = shape[path];
    const found = [...types].filter((type) => !expected?.types.includes(type)).sort();
    if (found.length > 0)
      wrong.push({ path, expected: expected?.types.join(" or ") ?? "absent", found: found.join(" or ") });
  }
  for (const [path, { types, always }] of Object.entries(shape)) {
    // Nothing is said of the elements of an empty list, or of the members of what is no object here.
    const holder = path.endsWith("[]") ? path.slice(0, -2) : path.slice(0, Math.max(0, path.lastIndexOf(".")));
    if (always && !has.has(path) && !path.endsWith("[]") && has.get(holder)?.has("object"))
      wrong.push({ path, expected: types.join(" or "), found: "absent" });
  }
  return wrong;
}
