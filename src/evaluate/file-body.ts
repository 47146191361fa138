import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { type AppError, conflict } from "../../chapters/errors.ts";

/** A file as the body of a request: how many bytes it has, and their SHA-256 in hex. */
export interface FileBody {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Reads a file once for what is said of it before it is sent. */
export async function fileBody(file: string): Promise<FileBody> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { file, bytes, sha256: hash.digest("hex") };
}

/** The headers that let the service compare what arrives: Content-Length, and Content-Digest as RFC 9530 has it. */
export function headersOf({ bytes, sha256 }: FileBody): Record<string, string> {
  const digest = Buffer.from(sha256, "hex").toString("base64");
  return { "content-length": String(bytes), "content-digest": `sha-256=:${digest}:` };
}

/**
 * The bytes that were counted, opened when somebody reads them; `sent` hears how many went out so far. Throws AppError
 * `conflict` where the file has become shorter meanwhile.
 */
export function bodyOf({ file, bytes }: FileBody, sent?: (bytes: number) => void): Readable {
  return Readable.from(chunksOf(file, bytes, sent), { objectMode: false });
}

async function* chunksOf(file: string, bytes: number, sent?: (bytes: number) => void): AsyncGenerator<Buffer> {
  let read = 0;
  if (bytes > 0)
    for await (const chunk of createReadStream(file, { end: bytes - 1 })) {
      read += (chunk as Buffer).length;
      sent?.(read);
      yield chunk as Buffer;
    }
  if (read < bytes) throw fileChanged();
}

/** The refusal of a file that is another one than the one that was looked at. */
export function fileChanged(): AppError {
  return conflict(
    "The file changed while it was sent, and nothing of it was stored. Send it again when nobody writes to it.",
  );
}
