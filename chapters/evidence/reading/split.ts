import { type AppError, badRequest } from "../../errors.ts";
import { asBuffer, MAX_VALUE_BYTES, tooLarge } from "./bytes.ts";
import { DEEPEST_JSON, nestsTooDeep, tooDeep } from "./json-shape.ts";

/** An item by itself: an element, a line, a value. `offset` is its first byte in the whole content. */
export interface ItemPiece {
  readonly kind: "item";
  readonly bytes: Buffer;
  /** The same bytes in the pieces they came in, where these are several: `bytes` puts them together only when asked. */
  readonly parts?: readonly Buffer[];
  readonly place: number;
  readonly offset: number;
  /** The member of the top-level object that it is an element of. */
  readonly member?: string;
  /** What it holds, where that was read already. */
  readonly value?: unknown;
}

/** How many bytes an item is. */
export function sizeOf(item: ItemPiece): number {
  return item.parts?.reduce((sum, part) => sum + part.length, 0) ?? item.bytes.length;
}

/** A part of a JSON text: an item, or a member of the top-level object. */
export type Piece =
  | ItemPiece
  | { readonly kind: "member"; readonly key: string; readonly bytes: Buffer; readonly offset: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The 400 for content that is no JSON, with the byte where that shows. */
export function malformed(offset: number, what: string): AppError {
  return badRequest(`The content is not valid JSON: ${what}, at byte ${offset}. Send the whole file.`);
}

/**
 * Splits a JSON text as it comes: a top-level array into its elements; a top-level object into its members, and the
 * arrays that `split` names into their elements; further values into items. Holds one value at a time in memory.
 */
export async function* splitJson(chunks: AsyncIterable<Uint8Array>, split: ReadonlySet<string>): AsyncGenerator<Piece> {
  const cursor = new Cursor(chunks);
  const first = await cursor.peek();
  if (first === undefined) return;
  if (first === OPEN_LIST) yield* elements(cursor, undefined);
  else if (first === OPEN_OBJECT) yield* members(cursor, split);
  else yield { kind: "item", ...(await cursor.value()), place: 1 };
  for (let place = 2; (await cursor.peek()) !== undefined; place++) {
    yield { kind: "item", ...(await cursor.value()), place };
  }
}

async function* members(cursor: Cursor, split: ReadonlySet<string>): AsyncGenerator<Piece> {
  cursor.skip();
  if ((await cursor.peek()) === CLOSE_OBJECT) return cursor.skip();
  for (;;) {
    if ((await cursor.peek()) !== QUOTE) throw malformed(cursor.offset, "a member's name is missing");
    const name = await cursor.value();
    const key = parsed<string>(name.bytes.toString("utf8"), name.offset);
    await cursor.expect(COLON, "a colon is missing");
    if (split.has(key) && (await cursor.peek()) === OPEN_LIST) yield* elements(cursor, key);
    else yield { kind: "member", key, ...(await cursor.value()) };
    if ((await cursor.expect(COMMA, "a comma or a closing brace is missing", CLOSE_OBJECT)) === CLOSE_OBJECT) return;
  }
}

async function* elements(cursor: Cursor, member: string | undefined): AsyncGenerator<Piece> {
  cursor.skip();
  if ((await cursor.peek()) === CLOSE_LIST) {
    cursor.skip();
    if (member !== undefined) yield { kind: "member", key: member, bytes: Buffer.from("[]"), offset: cursor.offset };
    return;
  }
  for (let place = 1; ; place++) {
    yield { kind: "item", ...(await cursor.value()), place, ...(member === undefined ? {} : { member }) };
    if ((await cursor.expect(COMMA, "a comma or a closing bracket is missing", CLOSE_LIST)) === CLOSE_LIST) return;
  }
}

/** The value of a JSON text; what is wrong with it is a 400 that names the byte in the whole content. */
export function parsed<T = unknown>(text: string, offset: number): T {
  if (nestsTooDeep(text)) throw tooDeep();
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const at = Number(/position (\d+)/.exec(String(cause))?.[1] ?? 0);
    throw malformed(offset + Buffer.byteLength(text.slice(0, at)), "a value is broken");
  }
}

/** Lines of a text that hold something, with their numbers, each as an item. */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Piece> {
  let rest: Buffer[] = [];
  let restLength = 0;
  let place = 0;
  let offset = 0;
  const line = function* (bytes: Buffer): Generator<Piece> {
    place++;
    const item: ItemPiece =
      rest.length === 0 ? { kind: "item", bytes, place, offset } : new CutLine([...rest, bytes], place, offset);
    if (!isBlank(item)) yield item;
    offset += restLength + bytes.length + 1;
  };
  for await (const given of chunks) {
    const chunk = asBuffer(given);
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield* line(chunk.subarray(from, end));
      if (rest.length > 0) rest = [];
      restLength = 0;
      from = end + 1;
    }
    if (from < chunk.length) {
      rest.push(chunk.subarray(from));
      restLength += chunk.length - from;
      if (restLength > MAX_VALUE_BYTES) throw tooLarge(MAX_VALUE_BYTES);
    }
  }
  if (rest.length > 0) yield* line(Buffer.alloc(0));
}

/** A line that came in several chunks. */
class CutLine implements ItemPiece {
  readonly kind = "item";
  readonly parts: readonly Buffer[];
  readonly place: number;
  readonly offset: number;
  #bytes: Buffer | undefined;

  constructor(parts: readonly Buffer[], place: number, offset: number) {
    this.parts = parts;
    this.place = place;
    this.offset = offset;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.concat(this.parts);
    return this.#bytes;
  }
}

function isBlank(line: ItemPiece): boolean {
  for (const part of line.parts ?? [line.bytes])
    for (const byte of part) {
      const space = byte === 0x20 || (byte >= 9 && byte <= 13);
      // Past ASCII there are spaces too, and the byte order mark.
      if (!space) return byte >= 0x80 && line.bytes.toString("utf8").trim() === "";
    }
  return true;
}

/** A window over bytes as they come, from the start of the value being read. */
class Cursor {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #bytes = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  /** How many bytes went out of the window. */
  #gone = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Where the next byte stands in the whole content. */
  get offset(): number {
    return this.#gone + this.#at;
  }

  /** The next byte that is no white space (nor a byte order mark); undefined at the end. */
  async peek(): Promise<number | undefined> {
    for (;;) {
      for (; this.#at < this.#end; this.#at++) {
        const byte = this.#bytes[this.#at] as number;
        const space = byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
        if (!space && !(this.offset < 3 && byte >= 0xbb)) return byte;
      }
      if (!(await this.#more(this.#at))) return undefined;
    }
  }

  skip(): void {
    this.#at++;
  }

  /** Takes the next byte, which must be one of two. */
  async expect(byte: number, what: string, other?: number): Promise<number> {
    const next = await this.peek();
    if (next === undefined) throw malformed(this.offset, "the content is cut off before its end");
    if (next !== byte && next !== other) throw malformed(this.offset, what);
    this.#at++;
    return next;
  }

  /** Takes the next value whole. Its inside is not checked. */
  async value(): Promise<{ bytes: Buffer; offset: number }> {
    const first = await this.peek();
    if (first === undefined) throw malformed(this.offset, "the content is cut off before its end");
    let start = this.#at;
    let at = start;
    let depth = 0;
    let inText = false;
    for (;;) {
      const bytes = this.#bytes;
      const end = this.#end;
      while (at < end) {
        const byte = bytes[at] as number;
        if (inText) {
          if (byte === BACKSLASH) at++;
          else if (byte === QUOTE) inText = false;
          at++;
          if (!inText && depth === 0 && byte === QUOTE) return this.#taken(start, at);
          continue;
        }
        if (byte === QUOTE) inText = true;
        else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
          if (++depth > DEEPEST_JSON) throw tooDeep();
        } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
          if (depth === 0) return this.#taken(start, at);
          if (--depth === 0) return this.#taken(start, at + 1);
        } else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return this.#taken(start, at);
        at++;
      }
      if (end - start > MAX_VALUE_BYTES) throw tooLarge(MAX_VALUE_BYTES);
      const moved = start;
      if (!(await this.#more(start))) {
        if (depth === 0 && !inText) return this.#taken(start, this.#end);
        throw malformed(this.#gone + this.#end, "the content is cut off before its end");
      }
      start -= moved;
      at -= moved;
    }
  }

  #taken(start: number, end: number): { bytes: Buffer; offset: number } {
    if (end === start) throw malformed(this.#gone + start, "a value is missing");
    this.#at = end;
    // A copy: the window's own bytes are written over.
    return { bytes: Buffer.from(this.#bytes.subarray(start, end)), offset: this.#gone + start };
  }

  /** Adds a chunk; the window then begins at `keep`. False at the end. */
  async #more(keep: number): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    const kept = this.#end - keep;
    const needed = kept + next.value.length;
    // A window that grows by doubling: a large value costs two copies, not one per chunk.
    const window =
      needed <= this.#bytes.length
        ? this.#bytes
        : Buffer.allocUnsafe(kept > 0 ? Math.max(needed, this.#bytes.length * 2) : needed);
    if (window !== this.#bytes || keep > 0) this.#bytes.copy(window, 0, keep, this.#end);
    window.set(next.value, kept);
    this.#bytes = window;
    this.#gone += keep;
    this.#at -= keep;
    this.#end = needed;
    return true;
  }
}
