import type { Json } from "../../json.ts";
import { literal } from "../conditions/term.ts";
import type { Call } from "../observations.ts";
import { at, byText } from "../values.ts";
import type { Form } from "./answers.ts";

/** The most values of several kinds that one place of an object is told apart by. */
const MAX_DOMAIN = 40;

/** An answer in a form as an expression, over expressions of its values. */
export function answerText(form: Form, values: readonly string[], calls: readonly Call[]): string {
  if (form.paths) return objectText(form.paths, values, calls);
  const texts = form.texts ?? [];
  const parts = texts.flatMap((text, i) => [
    ...(text === "" ? [] : [literal(text)]),
    ...(values[i] === undefined ? [] : [values[i] as string]),
  ]);
  return parts.join(" + ") || '""';
}

/** An object with its values where they stand. */
function objectText(
  paths: readonly (readonly string[])[],
  values: readonly string[],
  calls: readonly Call[],
  depth = 0,
): string {
  const fields = [...new Set(paths.map((path) => path[depth] as string))];
  const parts = fields.map((field) => {
    const below = paths.flatMap((path, i) => (path[depth] === field ? [{ path, value: values[i] as string }] : []));
    const leaf = below[0]?.path.length === depth + 1 ? below[0] : undefined;
    const text = leaf
      ? typed(leaf.path, leaf.value, calls)
      : objectText(
          below.map(({ path }) => path),
          below.map(({ value }) => value),
          calls,
          depth + 1,
        );
    return `${literal(field)}: ${text}`;
  });
  return `{${parts.join(", ")}}`;
}

/** What stands at a place of an object as it was observed: a text, a number, a truth value, or one of few values of several kinds. */
function typed(path: readonly string[], value: string, calls: readonly Call[]): string {
  const seen = new Map<string, Json>();
  for (const call of calls) {
    const leaf = call.ok ? at(call.value, path) : undefined;
    if (leaf !== undefined) seen.set(JSON.stringify(leaf), leaf);
  }
  const all = [...seen.values()];
  if (all.every((each) => typeof each === "number")) return `double(${value})`;
  if (all.every((each) => typeof each === "boolean")) return `bool(${value})`;
  if (all.every((each) => typeof each === "string" && JSON.stringify(each) === `"${each}"`))
    return `${value}.split("\\"")[1]`;
  const domain = [...seen].sort(([a], [b]) => byText(a, b)).slice(0, MAX_DOMAIN);
  return `told({${domain.map(([text, each]) => `${literal(text)}: [${literal(each)}]`).join(", ")}}.get(${value}))[0]`;
}
