import * as zlib from "node:zlib";
import type { UnzipDecoder, UnzipFile } from "fflate";
import { AppError, badRequest, unprocessable } from "../../errors.ts";
import { MAX_VALUE_BYTES, needZstd, tooLarge } from "./bytes.ts";

/** Bytes of the archive that are unpacked before other callers have their turn. */
const STEP = 64 * 1024;
const SAMPLE = /^samples\/[^/]+\.json$/;
const START = "_journal/start.json";
const HEADER = "header.json";

/**
 * The text of an Inspect log that was kept as an archive (`.eval`): one JSON object with the members of its header and
 * its samples, as the JSON form of the log has them; one sample is unpacked at a time. Throws AppError: damaged, an
 * archive of something else.
 */
export async function* evalLog(archive: Buffer): AsyncGenerator<Uint8Array> {
  let header: Buffer | undefined;
  // A log whose writing was cut short has what it began with, and no header.
  for await (const file of unpacked(archive, (name) => name === HEADER || name === START)) {
    if (file.name === HEADER || header === undefined) header = file.bytes;
  }
  if (header === undefined)
    throw unprocessable(
      "The content is a zip archive and no evaluation log (it holds no header.json); send the files in it by themselves.",
    );
  const { samples: _none, ...members } = parsed(header);
  yield Buffer.from(`${JSON.stringify(members).slice(0, -1)}${Object.keys(members).length > 0 ? "," : ""}"samples":[`);
  let first = true;
  for await (const { bytes } of unpacked(archive, (name) => SAMPLE.test(name))) {
    if (!first) yield Buffer.from(",");
    first = false;
    yield bytes;
  }
  yield Buffer.from("]}");
}

function parsed(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  } catch {
    throw badRequest("The header of the evaluation log is not valid JSON.");
  }
}

interface Unpacked {
  readonly name: string;
  readonly bytes: Buffer;
}

/** The wanted files of an archive, in its order. */
async function* unpacked(archive: Buffer, wanted: (name: string) => boolean): AsyncGenerator<Unpacked> {
  const { Unzip, UnzipInflate } = await import("fflate");
  const done: Unpacked[] = [];
  let failure: unknown;
  const take = (file: UnzipFile) => {
    if (!wanted(file.name)) return;
    const chunks: Uint8Array[] = [];
    let length = 0;
    file.ondata = (err, chunk, final) => {
      if (err) failure ??= err;
      length += chunk?.length ?? 0;
      if (length > MAX_VALUE_BYTES) failure ??= tooLarge(MAX_VALUE_BYTES);
      // After a failure nothing more is kept: a small archive can hold a very large file.
      if (failure !== undefined) return;
      chunks.push(chunk);
      if (final) done.push({ name: file.name, bytes: Buffer.concat(chunks) });
    };
    file.start();
  };
  const unzip = new Unzip(take);
  unzip.register(UnzipInflate);
  unzip.register(ZstdDecoder);
  for (let at = 0; at < archive.length; at += STEP) {
    try {
      unzip.push(archive.subarray(at, at + STEP), at + STEP >= archive.length);
    } catch (cause) {
      failure ??= cause;
    }
    if (failure instanceof AppError) throw failure;
    if (failure !== undefined) throw badRequest("The archive is damaged or cut off.");
    yield* done.splice(0);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Newer logs are compressed with Zstandard, method 93 of the archive's format. */
class ZstdDecoder implements UnzipDecoder {
  static compression = 93;
  ondata: UnzipDecoder["ondata"] = () => {};
  readonly #chunks: Uint8Array[] = [];

  push(chunk: Uint8Array, final: boolean): void {
    this.#chunks.push(chunk);
    if (!final) return;
    try {
      needZstd();
      const bytes = zlib.zstdDecompressSync(Buffer.concat(this.#chunks), { maxOutputLength: MAX_VALUE_BYTES });
      this.ondata(null, bytes, true);
    } catch (cause) {
      const large = (cause as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
      this.ondata((large ? tooLarge(MAX_VALUE_BYTES) : cause) as never, new Uint8Array(), true);
    }
  }
}
