import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import type { RequestBody } from "../../chapters/context.ts";
import { AppError, badRequest } from "../../chapters/errors.ts";
import { DEEPEST_JSON, jsonShape, tooDeep } from "../../chapters/evidence/reading/json-shape.ts";
import { DeclaredDigest } from "./content-digest.ts";

/** JSON bodies are held in memory whole; larger content travels as a stream. */
export const MAX_JSON_BYTES = 16 * 1024 * 1024;

/**
 * A request's body, its content encoding undone, never more than `limit` bytes before or after. Reading throws AppError;
 * where other bytes came than Content-Digest says, at the end at the latest.
 */
export function requestBody(req: IncomingMessage, limit: number): RequestBody {
  return { type: mediaType(req), bytes: decoded(req, limit) };
}

/** Members of all objects of a JSON body together: parsing them costs up to 0.5 µs each, and others wait meanwhile. */
export const MAX_JSON_NAMES = 200_000;

/** How long a JSON body may take to arrive whole, milliseconds; what takes longer is evidence, which comes as a stream. */
const ARRIVES_WITHIN_MS = 300_000;

/**
 * A request's JSON body; undefined when there is none. Throws AppError: malformed, too large, too deep, with too many
 * members, broken encoding, too long on its way. What is too deep or has too many is refused before it is parsed.
 */
export async function jsonBody(
  req: IncomingMessage,
  limit: number,
  withinMs: number = ARRIVES_WITHIN_MS,
): Promise<unknown> {
  const bytes = await completeBody(req, Math.min(limit, MAX_JSON_BYTES), withinMs);
  if (bytes.length === 0) return undefined;
  const text = utf8(bytes);
  const { names, over } = jsonShape(text, { depth: DEEPEST_JSON, names: MAX_JSON_NAMES });
  if (names > MAX_JSON_NAMES)
    throw new AppError(
      "too_large",
      `The body holds more than the ${MAX_JSON_NAMES} named values that one call takes. Send it in parts.`,
    );
  if (over !== undefined) throw tooDeep();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw badRequest(`The body is not well-formed JSON${positionOf(cause)}.`);
  }
}

/** All bytes at once. A usual body has come by now; another is read by events, since an iterator over a stream costs more. */
async function completeBody(req: IncomingMessage, limit: number, withinMs: number): Promise<Buffer> {
  const { source, encoding, declared } = opened(req, limit);
  const length = Number(req.headers["content-length"]);
  if (source === req && length > 0 && req.readableLength === length) {
    const bytes: Buffer = req.read(length);
    req.resume();
    return compared(bytes, declared);
  }
  const chunks: Buffer[] = [];
  let total = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const take = (chunk: Buffer) => {
    total += chunk.byteLength;
    if (total > limit) reject(tooLarge(limit));
    else chunks.push(chunk);
  };
  const cut = () => reject(cutShort());
  const late = setTimeout(() => reject(tooLate()), withinMs);
  source.on("data", take).once("end", resolve).on("error", reject).once("close", cut);
  if (source.readableEnded) resolve();
  else if (source.destroyed) cut();
  try {
    await promise;
  } catch (error) {
    throw readable(error, encoding);
  } finally {
    clearTimeout(late);
    source.off("data", take).off("end", resolve).off("close", cut);
    release(req, source);
  }
  return compared(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), declared);
}

function compared(bytes: Buffer, declared: DeclaredDigest | undefined): Buffer {
  declared?.update(bytes);
  declared?.end();
  return bytes;
}

interface Opened {
  readonly source: Readable;
  readonly encoding: string;
  /** What is still to be compared by who reads the source; that of an encoded body is compared below the encoding. */
  readonly declared: DeclaredDigest | undefined;
}

/** The bytes with their content encoding undone. Throws when the sender itself says that there are too many. */
function opened(req: IncomingMessage, limit: number): Opened {
  if (Number(req.headers["content-length"] ?? 0) > limit) throw tooLarge(limit);
  const encoding = (req.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const declared = DeclaredDigest.read(req.headers["content-digest"]);
  if (encoding === "identity" || encoding === "") return { source: req, encoding, declared };
  return { source: undone(req, encoding, limit, declared), encoding, declared: undefined };
}

/** The socket is left open and what is unread of it runs off: a refusal still has to be answered over it. */
function release(req: IncomingMessage, source: Readable): void {
  if (source !== req) source.destroy();
  req.resume();
}

async function* decoded(req: IncomingMessage, limit: number): AsyncGenerator<Uint8Array> {
  const { source, encoding, declared } = opened(req, limit);
  let total = 0;
  try {
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      total += (chunk as Uint8Array).byteLength;
      if (total > limit) throw tooLarge(limit);
      declared?.update(chunk as Uint8Array);
      yield chunk as Uint8Array;
    }
    declared?.end();
  } catch (error) {
    throw readable(error, encoding);
  } finally {
    release(req, source);
  }
}

function undone(req: IncomingMessage, encoding: string, limit: number, declared: DeclaredDigest | undefined) {
  const decoder =
    encoding === "gzip" || encoding === "x-gzip"
      ? createGunzip()
      : encoding === "deflate"
        ? createInflate()
        : encoding === "br"
          ? createBrotliDecompress()
          : undefined;
  if (!decoder) throw badRequest("Send the body as it is, or with Content-Encoding gzip, deflate or br.");
  const counted = new ByteLimit(limit, declared);
  req.on("error", (error) => counted.destroy(error));
  req.on("aborted", () => counted.destroy(cutShort()));
  req.pipe(counted);
  // Errors of the chain reach the reader through the decoder, which pipeline destroys with them.
  pipeline(counted, decoder, () => {});
  return decoder;
}

class ByteLimit extends Transform {
  #total = 0;
  readonly #limit: number;
  readonly #declared: DeclaredDigest | undefined;
  constructor(limit: number, declared: DeclaredDigest | undefined) {
    super();
    this.#limit = limit;
    this.#declared = declared;
  }
  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null, data?: Buffer) => void) {
    this.#total += chunk.byteLength;
    if (this.#total > this.#limit) return done(tooLarge(this.#limit));
    this.#declared?.update(chunk);
    done(null, chunk);
  }
  override _flush(done: (error?: Error | null) => void) {
    try {
      this.#declared?.end();
      done();
    } catch (error) {
      done(error as Error);
    }
  }
}

function readable(error: unknown, encoding: string): unknown {
  if (error instanceof AppError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? "";
  if (code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE") return cutShort();
  if (code === "Z_BUF_ERROR") return badRequest(`The ${encoding} body is cut short.`);
  if (/^(Z_|ERR__?ERROR_FORMAT|ERR_BROTLI|ERR_PADDING|ERR_)/.test(code)) {
    return badRequest(`The body is not well-formed ${encoding}.`);
  }
  return error;
}

function cutShort(): AppError {
  return badRequest("The body ended before it was whole.");
}

function tooLate(): AppError {
  const reason = "The body took too long to arrive, and nothing was done. Send it over a faster line, or in parts.";
  return badRequest(reason);
}

function tooLarge(limit: number): AppError {
  return new AppError("too_large", `The body is larger than the ${inWords(limit)} this route takes. Send it in parts.`);
}

function inWords(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.floor(bytes / 1024)} KB` : `${Math.floor(bytes / 2 ** 20)} MB`;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function utf8(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw badRequest("The body is not UTF-8 text.");
  }
}

/** Where the parser stopped; its message is not used whole, since it quotes the body. */
function positionOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : "";
  const line = /line (\d+) column (\d+)/.exec(message);
  if (line) return `: see line ${line[1]}, column ${line[2]}`;
  const position = /position (\d+)/.exec(message);
  if (position) return `: see byte ${position[1]}`;
  return message.includes("end of JSON input") ? ": it ends too early" : "";
}

function mediaType(req: IncomingMessage): string | undefined {
  return req.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() || undefined;
}
