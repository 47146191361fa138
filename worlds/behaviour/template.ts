import { BehaviourSyntaxError } from "../errors.ts";
import { KEY_KINDS } from "../state/keys.ts";
import type { Frame, Run, Value } from "./frame.ts";
import type { Scope } from "./scope.ts";
import { certain } from "./three-valued.ts";
import { tokenAt } from "./tokens.ts";

/** A piece of a template: text as it is, an expression with its offset in the template, or a generated key. */
export type TemplatePart =
  | { readonly text: string }
  | { readonly expr: string; readonly at: number }
  | { readonly kind: string; readonly width: number };

const KEY = new RegExp(`\\{([${KEY_KINDS.join("")}]):(\\d{1,2})\\}`, "y");

function holeEnd(template: string, start: number): number {
  let depth = 0;
  for (let token = tokenAt(template, start); token.kind !== "end"; token = tokenAt(template, token.end)) {
    if (token.kind !== "mark") continue;
    if (token.text === "{") depth++;
    else if (token.text === "}" && --depth === 0) return token.end;
  }
  throw new BehaviourSyntaxError(start, template.slice(start, start + 20), "a closing }");
}

/**
 * The pieces of a template. `{expr}` is a hole, `{n:7}` a generated key (kinds as `drawKey` has them), `{{` and `}}` are
 * the braces themselves. Throws `syntax` with the offset of a hole that is not closed or holds nothing.
 */
export function templateParts(template: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let text = "";
  for (let at = 0; at < template.length; ) {
    const char = template[at] as string;
    if ((char === "{" || char === "}") && template[at + 1] === char) {
      text += char;
      at += 2;
      continue;
    }
    if (char !== "{") {
      text += char;
      at++;
      continue;
    }
    if (text !== "") parts.push({ text });
    text = "";
    KEY.lastIndex = at;
    const key = KEY.exec(template);
    if (key) {
      const width = Number(key[2]);
      if (width < 1 || width > 64) throw new BehaviourSyntaxError(at, key[0], "a width from 1 to 64");
      parts.push({ kind: key[1] as string, width });
      at = KEY.lastIndex;
      continue;
    }
    const end = holeEnd(template, at);
    const expr = template.slice(at + 1, end - 1);
    if (expr.trim() === "") throw new BehaviourSyntaxError(at, "{}", "an expression between braces");
    parts.push({ expr, at: at + 1 });
    at = end;
  }
  if (text !== "") parts.push({ text });
  return parts;
}

/** A value as it stands in a text: texts as they are, anything else as JSON writes it. */
export function valueText(value: Value): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

const NAME = /^\s*[A-Za-z_][A-Za-z0-9_]*\s*$/;

/** Compiles a template to its text. A hole that is one bare name is a name in scope, else the argument of that name. */
export function compileTemplate(template: string, scope: Scope, compile: (text: string, scope: Scope) => Run): Run {
  const pieces = templateParts(template).map((part): ((frame: Frame) => string) => {
    if ("text" in part) return () => part.text;
    if ("kind" in part) {
      return (frame) => frame.keys.draw(part.kind, part.width);
    }
    const name = part.expr.trim();
    const known =
      !NAME.test(part.expr) ||
      scope.names.has(name) ||
      ["args", "now"].includes(name) ||
      (name === "row" && scope.hasRow);
    try {
      const run = compile(known ? part.expr : `{${part.expr}}`, scope);
      return (frame) => valueText(certain(frame, frame.bounded(run(frame))));
    } catch (error) {
      if (!(error instanceof BehaviourSyntaxError)) throw error;
      throw new BehaviourSyntaxError(part.at + error.at - (known ? 0 : 1), error.word, error.expected, error.code);
    }
  });
  const [only] = pieces;
  if (pieces.length === 1 && only) return only;
  return (frame) => {
    let text = "";
    for (const piece of pieces) text = frame.text(text + piece(frame));
    return text;
  };
}

/** Whether a template holds a generated key. */
export const drawsKey = (template: string): boolean => templateParts(template).some((part) => "kind" in part);

/** A key that a row has already is drawn again, so often at most. */
export const MAX_DRAWS = 1000;
