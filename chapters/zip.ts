import { Zip, ZipDeflate } from "fflate";

/** A file of an archive that is made while it is read. */
export interface ZipFile {
  /** A relative path with `/`. */
  readonly name: string;
  readonly content: string | Uint8Array | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** A zip of these files in order, streamed, one piece in memory. `at` dates every file, unix seconds. */
export async function* zipped(
  files: AsyncIterable<ZipFile> | Iterable<ZipFile>,
  at: number,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let failure: Error | undefined;
  const zip = new Zip((error, piece) => {
    if (error) failure = error;
    else ready.push(piece);
  });
  const flush = function* () {
    if (failure) throw failure;
    const pieces = ready;
    ready = [];
    yield* pieces;
  };
  for await (const { name, content } of files) {
    const file = new ZipDeflate(name, { level: 6 });
    // A zip has no dates before 1980.
    file.mtime = Math.max(at * 1000, Date.UTC(1980, 0, 2));
    zip.add(file);
    if (typeof content === "string") file.push(Buffer.from(content), true);
    else if (content instanceof Uint8Array) file.push(content, true);
    else {
      for await (const piece of content) {
        file.push(piece);
        yield* flush();
      }
      file.push(new Uint8Array(), true);
    }
    yield* flush();
  }
  zip.end();
  yield* flush();
}

/** Text as bytes, piece by piece. */
export async function* encoded(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
