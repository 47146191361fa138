import { type Json, type JsonObject, setOwn } from "../../../worlds/json.ts";
import { AppError, badRequest, unprocessable } from "../../errors.ts";
import type { Item, Sample } from "../formats/format.ts";
import { SPLIT_MEMBERS } from "../formats/index.ts";
import { MAX_VALUE_BYTES, tooLarge } from "./bytes.ts";
import { nestsTooDeep } from "./json-shape.ts";
import { type ItemPiece, type Piece, parsed, splitJson, splitLines } from "./split.ts";

/** Up to here a body is looked at whole before its first item is converted, bytes. */
const HEAD_BYTES = 8 * 1024 * 1024;

/** An item with the text it was read from. */
export interface SourceItem extends Item {
  readonly text: string;
}

/** A body opened for reading: what detection sees, and its items as they come. */
export interface Source {
  readonly sample: Sample;
  /** The same body as one value, where its parts may not be what they seem. */
  readonly whole: (() => Source) | undefined;
  /** Members of the top-level object; grows while a large body is read. */
  readonly header: JsonObject;
  /** The whole text of a body that is not JSON. */
  readonly text: string;
  /** Items one by one, not read yet: `itemOf` reads one. Given once. */
  pieces(): AsyncIterable<ItemPiece>;
}

/** The item that a piece holds. Undefined for a line that is no JSON, which `onBroken` hears; in other shapes that is a 400. */
export function itemOf(
  piece: ItemPiece,
  shape: Sample["shape"],
  onBroken: (place: number, reason: string) => void,
): SourceItem | undefined {
  const text = textOf(piece);
  try {
    return { ...itemFrom(piece, piece.value ?? parsed(text, piece.offset)), text };
  } catch (cause) {
    if (shape !== "lines" || !(cause instanceof AppError)) throw cause;
    onBroken(piece.place, "the line is not valid JSON");
    return undefined;
  }
}

/** Lines may begin with a byte order mark and end with a carriage return. */
function textOf({ bytes }: ItemPiece): string {
  return bytes.toString("utf8").trim();
}

/** Media types of bodies with one JSON value a line. */
export const LINE_TYPES: ReadonlySet<string> = new Set([
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
  "application/x-jsonlines",
  "application/json-lines",
]);

/** Opens a body: detects its shape and reads enough for detection. Holds at most a head and one value. */
export async function openSource(bytes: AsyncIterable<Uint8Array>, type: string | undefined): Promise<Source> {
  const given = bytes[Symbol.asyncIterator]();
  const textual = type === "text/csv" || type === "text/markdown" || type === "text/tab-separated-values";
  const { head, ended, lines } = await headOf(given, type);
  const start = firstByte(head);
  if (start === undefined) throw badRequest("The content is empty. Send the whole file.");
  const replay = () => chunksOf(head, given, ended);
  if (textual || (head[start] !== 0x7b && head[start] !== 0x5b)) return textSource(replay(), type);
  if (lines) return pieceSource(splitLines(replay()), "lines", type);
  try {
    return await pieceSource(splitJson(replay(), SPLIT_MEMBERS), head[start] === 0x5b ? "array" : "object", type);
  } catch (cause) {
    if (ended && cause instanceof AppError && cause.code === "bad_request" && mostLinesAreValues(head))
      return pieceSource(splitLines(replay()), "lines", type);
    throw cause;
  }
}

/** The first bytes of a body: as many as show that it has lines of values, else all up to a limit. */
async function headOf(
  given: AsyncIterator<Uint8Array>,
  type: string | undefined,
): Promise<{ head: Buffer; ended: boolean; lines: boolean }> {
  const declared = type !== undefined && LINE_TYPES.has(type);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let looked = 0;
  let line: FirstLine;
  while (length < HEAD_BYTES) {
    const next = await given.next();
    if (next.done) {
      const head = Buffer.concat(chunks);
      return { head, ended: true, lines: declared || ((line ?? firstLine(head))?.more ?? false) };
    }
    chunks.push(next.value);
    length += next.value.length;
    if (line?.value === true) line = { value: true, more: holdsSome(next.value) };
    // Looked at again only when there is twice as much: a line in small chunks is not put together for each of them.
    else if (line === undefined && length >= 2 * looked && next.value.includes(10)) {
      looked = length;
      line = firstLine(Buffer.concat(chunks));
    }
    if (line !== undefined && (line.more || declared)) break;
  }
  const head = Buffer.concat(chunks);
  return { head, ended: false, lines: declared || ((line ?? firstLine(head))?.value ?? false) };
}

/** Whether a body's first line is a JSON value by itself, and whether something follows it; undefined where it is not whole. */
type FirstLine = { readonly value: boolean; readonly more: boolean } | undefined;

function firstLine(head: Buffer): FirstLine {
  const start = firstByte(head);
  const end = start === undefined ? -1 : head.indexOf(10, start);
  if (end === -1) return undefined;
  const value = isValue(head.toString("utf8", start, end));
  return { value, more: value && holdsSome(head.subarray(end)) };
}

function holdsSome(bytes: Uint8Array): boolean {
  return bytes.some((byte) => !isSpace(byte));
}

async function* chunksOf(head: Buffer, given: AsyncIterator<Uint8Array>, ended: boolean): AsyncGenerator<Uint8Array> {
  yield head;
  if (!ended) for (let next = await given.next(); !next.done; next = await given.next()) yield next.value;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function firstByte(head: Buffer): number | undefined {
  const start = head.length >= 3 && head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
  for (let at = start; at < head.length; at++) if (!isSpace(head[at] as number)) return at;
  return undefined;
}

function mostLinesAreValues(head: Buffer): boolean {
  const lines = head
    .toString("utf8")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(0, 20);
  return lines.length > 1 && lines.filter((line) => line.startsWith("{") && isValue(line)).length * 2 >= lines.length;
}

function isValue(text: string): boolean {
  if (nestsTooDeep(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function textSource(chunks: AsyncIterable<Uint8Array>, type: string | undefined): Promise<Source> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_VALUE_BYTES) throw tooLarge(MAX_VALUE_BYTES);
    parts.push(chunk);
  }
  const bytes = Buffer.concat(parts);
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  if (text.includes("\0")) throw unprocessable("The content is binary and in no format that can be read here.");
  const sample: Sample = { shape: "text", header: {}, items: [], text: text.slice(0, 10_000), type };
  return { sample, whole: undefined, header: {}, text, async *pieces() {} };
}

const SAMPLE_ITEMS = 5;

async function pieceSource(
  pieces: AsyncGenerator<Piece>,
  opened: "lines" | "array" | "object",
  type: string | undefined,
): Promise<Source> {
  let shape = opened;
  let header: JsonObject = {};
  const held: Piece[] = [];
  let read = 0;
  let headerBytes = 0;
  let items = 0;
  let ended = false;
  const keep = (member: Extract<Piece, { kind: "member" }>) => {
    headerBytes += member.bytes.length;
    if (headerBytes > MAX_VALUE_BYTES) throw tooLarge(MAX_VALUE_BYTES);
    setOwn(header, member.key, parsed(member.bytes.toString("utf8"), member.offset) as Json);
  };
  while (!ended && (items === 0 || read < HEAD_BYTES) && !(shape !== "object" && items >= SAMPLE_ITEMS)) {
    const next = await pieces.next();
    if (next.done) ended = true;
    else {
      read += next.value.bytes.length;
      if (next.value.kind === "member") keep(next.value);
      else {
        if (shape === "object" && items === 0 && next.value.member === undefined) {
          // Another value follows: the object is no frame around items but the first of several by themselves.
          held.push(itemPiece(header));
          items++;
          header = {};
          shape = "lines";
        }
        items++;
        held.push(next.value);
      }
    }
  }
  if (items === 0) held.push(itemPiece(header));
  const first = held
    .filter((piece) => piece.kind === "item")
    .slice(0, SAMPLE_ITEMS)
    .flatMap((piece) => sampleItem(piece, opened));
  const sample: Sample = { shape, header: items === 0 ? {} : header, items: first, text: "", type };
  return {
    sample,
    whole: ended && items > 0 && shape === "object" ? () => itemSource(header, held) : undefined,
    header: sample.header,
    text: "",
    async *pieces() {
      for (let i = 0; i < held.length; i++) {
        const piece = held[i] as Piece;
        held[i] = undefined as unknown as Piece;
        if (piece.kind === "item") yield piece;
      }
      if (ended) return;
      for await (const piece of pieces) {
        if (piece.kind === "member") keep(piece);
        else yield piece;
      }
    },
  };
}

/** What was read of an object, as the one item it is. */
function itemPiece(value: JsonObject): ItemPiece {
  return { kind: "item", bytes: Buffer.from(JSON.stringify(value)), place: 1, offset: 0, value };
}

/** An object that was read to its end, as the one item it may be. */
function itemSource(header: JsonObject, held: readonly Piece[]): Source {
  const value: JsonObject = { ...header };
  for (const piece of held) {
    if (piece.kind !== "item" || piece.member === undefined) continue;
    const elements = (value[piece.member] ?? []) as Json[];
    elements.push(parsed(textOf(piece), piece.offset) as Json);
    value[piece.member] = elements;
  }
  const piece = itemPiece(value);
  return {
    sample: { shape: "object", header: {}, items: [itemFrom(piece, value)], text: "", type: undefined },
    whole: undefined,
    header: {},
    text: "",
    async *pieces() {
      yield piece;
    },
  };
}

function sampleItem(piece: ItemPiece, shape: string): Item[] {
  const text = textOf(piece);
  if (shape === "lines" && !isValue(text)) return [];
  return [itemFrom(piece, piece.value ?? parsed(text, piece.offset))];
}

function itemFrom(piece: ItemPiece, value: unknown): Item {
  return { value, place: piece.place, ...(piece.member === undefined ? {} : { member: piece.member }) };
}
