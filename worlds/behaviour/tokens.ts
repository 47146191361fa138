import { BehaviourSyntaxError } from "../errors.ts";

/** One token of behaviour or expression text; `end` is exclusive. */
export interface Token {
  readonly kind: "word" | "number" | "string" | "mark" | "end";
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0x[0-9a-fA-F]+u?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?u?/y;
const STRING = /(?:[rR]?[bB]?|[bB][rR])(?:"""|'''|"|')/y;
const MARK = /[=!<>]=|&&|\|\||[+-]=|[\s\S]/y;
const BLANK = /(?:\s|\/\/[^\n]*(?:\n|$))+/y;

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function stringEnd(text: string, start: number, opening: string): number {
  const raw = /r/i.test(opening);
  const quote = opening.replace(/^[a-z]+/i, "");
  for (let at = start + opening.length; at < text.length; at++) {
    if (text[at] === "\\" && !raw) at++;
    else if (text.startsWith(quote, at)) return at + quote.length;
    else if (quote.length === 1 && text[at] === "\n") break;
  }
  throw new BehaviourSyntaxError(start, text.slice(start, start + 20), "a closing quote");
}

/** The token at or after `at`, without blanks and `//` comments; kind `end` at the end. Throws on an open string. */
export function tokenAt(text: string, at: number): Token {
  const start = at + (match(BLANK, text, at)?.length ?? 0);
  if (start >= text.length) return { kind: "end", start: text.length, end: text.length, text: "" };
  const opening = match(STRING, text, start);
  if (opening !== undefined) {
    const end = stringEnd(text, start, opening);
    return { kind: "string", start, end, text: text.slice(start, end) };
  }
  for (const [kind, pattern] of [
    ["word", WORD],
    ["number", NUMBER],
    ["mark", MARK],
  ] as const) {
    const found = match(pattern, text, start);
    if (found !== undefined) return { kind, start, end: start + found.length, text: found };
  }
  return { kind: "end", start, end: start, text: "" };
}

const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);

/**
 * Where the expression that starts at `at` ends (exclusive, blanks not counted). Two operands never stand side by side
 * in an expression, so a word after a complete operand belongs to what follows, whatever the word is.
 */
export function expressionEnd(text: string, at: number): number {
  let depth = 0;
  let operand = false;
  let end = at;
  for (let token = tokenAt(text, at); token.kind !== "end"; token = tokenAt(text, token.end)) {
    const isIn = token.kind === "word" && token.text === "in";
    if (depth === 0) {
      if (CLOSING.has(token.text) || token.text === "," || token.text === ";" || token.text === "=") return end;
      if (token.text === "+=" || token.text === "-=") return end;
      if (operand && !isIn && token.kind !== "mark") return end;
    }
    if (token.kind === "mark") {
      if (OPENING.has(token.text)) {
        if (depth === 0 && operand && token.text === "{") return end;
        depth++;
      } else if (CLOSING.has(token.text)) depth--;
      operand = CLOSING.has(token.text);
    } else operand = !isIn;
    end = token.end;
  }
  return end;
}

/** Words that the expression grammar takes for something else after a dot. */
const NO_FIELD = new Set(["in", "true", "false", "null"]);

/** An expression with its `{x}` holes written out as `args.x`, and where each of its offsets stood in the original. */
export interface Expanded {
  readonly text: string;
  /** The offset in the original text. */
  origin(offset: number): number;
}

/** Writes out the holes: `{name}` in an expression stands for `args.name`. Everything else stays as it is. */
export function expandHoles(text: string): Expanded {
  let out = "";
  let from = 0;
  const shifts: { at: number; by: number }[] = [];
  for (let token = tokenAt(text, 0); token.kind !== "end"; token = tokenAt(text, token.end)) {
    if (token.text !== "{" || token.kind !== "mark") continue;
    const name = tokenAt(text, token.end);
    const close = name.kind === "word" ? tokenAt(text, name.end) : undefined;
    if (close?.text !== "}") continue;
    const field = NO_FIELD.has(name.text) ? `["${name.text}"]` : `.${name.text}`;
    out += `${text.slice(from, token.start)}args${field}`;
    from = close.end;
    shifts.push({ at: out.length, by: from - out.length });
  }
  if (from === 0) return { text, origin: (offset) => offset };
  out += text.slice(from);
  return {
    text: out,
    origin: (offset) => offset + (shifts.findLast((shift) => shift.at <= offset)?.by ?? 0),
  };
}
