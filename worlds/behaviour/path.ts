import { BehaviourSyntaxError } from "../errors.ts";
import { type Frame, type Run, typeError } from "./frame.ts";
import type { Scope } from "./scope.ts";
import { certain } from "./three-valued.ts";
import { expressionEnd, tokenAt } from "./tokens.ts";

/** A step of a path: a field's name, or an expression in brackets with its offset in the path. */
export type PathPart = { readonly name: string } | { readonly expr: string; readonly at: number };

/**
 * The parts of a path and where it ends: `a.b`, `seats[args.cabin].free`, `["odd name"]`. A name may start with a digit.
 * Throws `syntax` at the word that does not fit.
 */
export function pathAt(text: string, start: number): { readonly parts: PathPart[]; readonly end: number } {
  const parts: PathPart[] = [];
  let at = start + (/^\s*/.exec(text.slice(start))?.[0].length ?? 0);
  for (;;) {
    if (text[at] === "[") {
      const end = expressionEnd(text, at + 1);
      const close = tokenAt(text, end);
      const expr = text.slice(at + 1, end).trim();
      if (close.text !== "]" || expr === "") throw new BehaviourSyntaxError(close.start, close.text, "an index and ]");
      parts.push({ expr, at: at + 1 + text.slice(at + 1, end).indexOf(expr) });
      at = close.end;
    } else {
      const dot = parts.length > 0 && text[at] === "." ? 1 : 0;
      if (parts.length > 0 && dot === 0) return { parts, end: at };
      const name = /^[A-Za-z0-9_$]+/.exec(text.slice(at + dot))?.[0];
      if (name === undefined) {
        const word = tokenAt(text, at + dot);
        throw new BehaviourSyntaxError(word.start, word.text, "a field name");
      }
      parts.push({ name });
      at += dot + name.length;
    }
  }
}

/** The parts of a whole text that is one path. Throws `syntax` when more follows. */
export function pathParts(text: string): PathPart[] {
  const { parts, end } = pathAt(text, 0);
  const rest = tokenAt(text, end);
  if (rest.kind !== "end") throw new BehaviourSyntaxError(rest.start, rest.text, "the end of the path");
  return parts;
}

/** The names along a path that holds no computed part. Throws `syntax` at a computed one. */
export function fixedPath(text: string): string[] {
  return pathParts(text).map((part) => {
    if ("name" in part) return part.name;
    const token = tokenAt(part.expr, 0);
    if (token.kind === "string" && token.end === part.expr.length && /^"(?:[^"\\]|\\.)*"$/.test(part.expr))
      return JSON.parse(part.expr) as string;
    throw new BehaviourSyntaxError(part.at, part.expr, "a field name in double quotes");
  });
}

/** Compiles a path that may hold computed parts. */
export function compilePath(
  text: string,
  scope: Scope,
  compile: (text: string, scope: Scope) => Run,
): (frame: Frame) => readonly (string | number)[] {
  const parts = pathParts(text);
  const names: string[] = [];
  for (const part of parts) if ("name" in part) names.push(part.name);
  if (names.length === parts.length) return () => names;
  const runs = parts.map((part): string | Run => ("name" in part ? part.name : compile(part.expr, scope)));
  return (frame) =>
    runs.map((run) => {
      if (typeof run === "string") return run;
      const value = certain(frame, run(frame));
      if (typeof value !== "string" && typeof value !== "number") throw typeError("a path", value);
      return value;
    });
}
