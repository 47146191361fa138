import { type AppError, badRequest } from "../../errors.ts";

/** How deep a JSON text may nest, in lists and objects: what walks a value may call itself once a level. */
export const DEEPEST_JSON = 500;

/** What a JSON text holds, as far as it was looked at. */
export interface JsonShape {
  /** The deepest level of lists and objects. */
  readonly depth: number;
  /** How many members all objects have together. */
  readonly names: number;
  /** Where it was left off because one of both went over its limit; undefined for a text that keeps to them. */
  readonly over?: number;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** `[` and `]`; braces are 0x20 above them. */
const OPEN = 0x5b;
const CLOSE = 0x5d;

/**
 * Counts levels and members of a JSON text before it is parsed, each character once, and stops where one goes over its
 * limit. A text that is no JSON gives numbers of no meaning.
 */
export function jsonShape(text: string, most: { readonly depth: number; readonly names?: number }): JsonShape {
  const mostNames = most.names ?? Number.POSITIVE_INFINITY;
  let [level, depth, names] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === COLON) {
      if (++names > mostNames) return { depth, names, over: at };
    } else if (code < OPEN) continue;
    else if ((code & ~0x20) === OPEN) {
      if (++level > depth) depth = level;
      if (depth > most.depth) return { depth, names, over: at };
    } else if ((code & ~0x20) === CLOSE) level--;
  }
  return { depth, names };
}

/** Where the text that begins at a quote ends. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Whether a JSON text nests deeper than values here may. Most hold fewer brackets than that, which costs a third to see. */
export function nestsTooDeep(text: string): boolean {
  if (text.length <= 2 * DEEPEST_JSON || !opensMore(text, DEEPEST_JSON)) return false;
  return jsonShape(text, { depth: DEEPEST_JSON }).over !== undefined;
}

/** Whether a text holds more opening brackets and braces than so many, those in texts of its own too. */
function opensMore(text: string, most: number): boolean {
  let n = 0;
  for (const open of ["[", "{"])
    for (let at = text.indexOf(open); at !== -1; at = text.indexOf(open, at + 1)) if (++n > most) return true;
  return false;
}

/** The 400 for it. */
export function tooDeep(): AppError {
  return badRequest(`The content nests more than ${DEEPEST_JSON} levels deep.`);
}
