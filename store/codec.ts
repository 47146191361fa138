import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { sha256 } from "./text.ts";
import { CONTENT_PIECE, hasZstd, zstdContent, zstdFrame, zstdOptions } from "./zstd.ts";

/** How bytes are kept. zstd where this Node has it (22.15 and later), else deflate; small or dense bytes as they are. */
export type Encoding = "zstd" | "deflate" | "plain";

/** Bytes at rest. */
export interface Packed {
  readonly encoding: string;
  readonly body: Uint8Array;
}

/** Below this many bytes compressing costs more than it saves. */
const SMALL = 1024;
/** From this many bytes on the work is done off the thread. */
const LARGE = 256 * 1024;

const deflateOptions = { level: 1 };
const outOptions = { chunkSize: CONTENT_PIECE };

function keep(raw: Uint8Array, encoding: Encoding, body: Uint8Array): Packed {
  return body.byteLength < raw.byteLength * 0.9 ? { encoding, body } : { encoding: "plain", body: raw };
}

/** Compresses at once. */
export function pack(raw: Uint8Array): Packed {
  if (raw.byteLength < SMALL) return { encoding: "plain", body: raw };
  if (hasZstd) return keep(raw, "zstd", zstdFrame(raw));
  return keep(raw, "deflate", zlib.deflateRawSync(raw, deflateOptions));
}

/** Gives back the bytes that were packed. An encoding this Node cannot read throws with its name. */
export function unpack({ encoding, body }: Packed): Uint8Array {
  if (encoding === "plain") return body;
  if (encoding === "deflate") return zlib.inflateRawSync(body, outOptions);
  if (encoding === "zstd" && hasZstd) return zstdContent(body);
  throw unreadable(encoding);
}

/** `pack`, with large bytes compressed off the thread. */
export async function packLarge(raw: Uint8Array): Promise<Packed> {
  if (raw.byteLength < LARGE) return pack(raw);
  if (hasZstd) return keep(raw, "zstd", await promisify(zlib.zstdCompress)(raw, zstdOptions));
  return keep(raw, "deflate", await promisify(zlib.deflateRaw)(raw, deflateOptions));
}

/** `unpack`, with large bytes decompressed off the thread. */
export async function unpackLarge(packed: Packed): Promise<Uint8Array> {
  const { encoding, body } = packed;
  if (body.byteLength < LARGE / 4) return unpack(packed);
  if (encoding === "deflate") return promisify(zlib.inflateRaw)(body);
  if (encoding === "zstd" && hasZstd) return promisify(zlib.zstdDecompress)(body);
  return unpack(packed);
}

function unreadable(encoding: string): Error {
  return new Error(`stored bytes are ${encoding}, which this Node cannot read; use Node 22.15 or newer`);
}

/** Memory that texts are written to on their way, made when first needed. */
let scratch: Buffer | undefined;
const SCRATCH = 1024 * 1024;

/** The text as UTF-8, where nothing is to be kept of it: the next text is written over it. */
function passing(text: string): Buffer {
  // A UTF-16 unit is three bytes at most.
  if (text.length * 3 > SCRATCH) return Buffer.from(text);
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH);
  return scratch.subarray(0, scratch.write(text));
}

/** A text compressed, and the SHA-256 of its UTF-8 in hexadecimal. */
export function packText(text: string): Packed & { readonly digest: string } {
  const raw = passing(text);
  const { encoding, body } = pack(raw);
  return { encoding, body: body === raw ? Buffer.from(raw) : body, digest: sha256(raw) };
}

/** A JSON value compressed. Every string is kept exactly, U+0000 and lone surrogates too (both are escaped). */
export function packJson(value: unknown): Packed {
  return pack(Buffer.from(JSON.stringify(value)));
}

/** The JSON value that `packJson` packed. */
export function unpackJson(packed: Packed): unknown {
  return JSON.parse(Buffer.from(unpack(packed)).toString("utf8"));
}
