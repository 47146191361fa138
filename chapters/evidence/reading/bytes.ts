import type { Transform } from "node:stream";
import { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { AppError, badRequest, unprocessable } from "../../errors.ts";

/** The largest single value (a trace, a line, a document, an envelope) that is read, bytes. */
export const MAX_VALUE_BYTES = 64 * 1024 * 1024;

type Chunks = AsyncIterable<Uint8Array>;

/** The bytes, decompressed where they begin as gzip or zstd do. Broken compression is a 400, whenever it shows. */
export async function* inflated(bytes: Chunks): AsyncGenerator<Buffer> {
  const given = bytes[Symbol.asyncIterator]();
  const head = await takeHead(given, 4);
  const rest = resumed(head, given);
  const codec = codecOf(head);
  if (codec === undefined) {
    yield* rest;
    return;
  }
  if (codec === "zstd") needZstd();
  const decoder: Transform = codec === "gzip" ? zlib.createGunzip() : zlib.createZstdDecompress();
  const source = Readable.from(rest, { objectMode: false });
  source.on("error", (cause) => decoder.destroy(cause));
  source.pipe(decoder);
  try {
    for await (const chunk of decoder) yield chunk as Buffer;
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const truncated =
      (cause as { code?: string }).code === "Z_BUF_ERROR" || /unexpected end|truncated|incomplete/i.test(String(cause));
    throw badRequest(
      truncated ? `The ${codec} content is cut off before its end.` : `The ${codec} content is damaged.`,
    );
  } finally {
    source.destroy();
    decoder.destroy();
  }
}

/** Throws the 422 for zstd content on a Node that cannot read it (before 22.15). */
export function needZstd(): void {
  if (typeof zlib.zstdDecompressSync === "function") return;
  throw unprocessable("The service runs on a Node that cannot read zstd; send the content as gzip or plain.");
}

function codecOf(head: Buffer): "gzip" | "zstd" | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return "gzip";
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? "zstd" : undefined;
}

/** The first bytes, at least `size` of them unless there are fewer. */
export async function takeHead(given: AsyncIterator<Uint8Array>, size: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length < size) {
    const next = await given.next();
    if (next.done) break;
    chunks.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(chunks);
}

/** The head, then the rest. */
export async function* resumed(head: Buffer, given: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let next = await given.next(); !next.done; next = await given.next()) yield asBuffer(next.value);
  } finally {
    await given.return?.();
  }
}

/** The same bytes as a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** All bytes as one; 413 past `limit`. */
export async function readAll(bytes: Chunks, limit: number = MAX_VALUE_BYTES): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The 413 for a single value past a limit in bytes. */
export function tooLarge(limit: number): AppError {
  return new AppError(
    "too_large",
    `One value of the content is larger than ${Math.floor(limit / 1024 / 1024)} MiB. Send traces as JSON lines or as elements of an array: those are read one by one, whatever their number.`,
  );
}

/** Bytes that are at hand, or a text's in UTF-8, as a stream of one piece. */
export async function* once(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof content === "string" ? Buffer.from(content) : content;
}
