import { createHash } from "node:crypto";
import { badRequest } from "../../errors.ts";

/** Bodies up to this size are known by their digest before anything is written, and read on this thread. */
const HEAD_BYTES = 4 * 1024 * 1024;

/** How many bytes a sender says that there are, and their SHA-256 in lower-case hexadecimal. */
export interface DeclaredBytes {
  readonly bytes?: number | undefined;
  readonly sha256?: string | undefined;
}

/** A body that is hashed and counted as it is read, and compared at its end with what the sender says of it. */
export class CountedBody implements AsyncIterable<Uint8Array> {
  readonly #given: AsyncIterator<Uint8Array>;
  readonly #declared: DeclaredBytes;
  readonly #hash = createHash("sha256");
  #head: Uint8Array[] = [];
  #ended: string | undefined;
  #length = 0;

  constructor(bytes: AsyncIterable<Uint8Array>, declared: DeclaredBytes = {}) {
    this.#given = bytes[Symbol.asyncIterator]();
    this.#declared = declared;
  }

  /** The digest, when the body is small; it is still there to be read. */
  async digestOfSmall(): Promise<string | undefined> {
    while (this.#ended === undefined && this.#length < HEAD_BYTES) {
      const chunk = await this.#next();
      if (chunk) this.#head.push(chunk);
    }
    return this.#ended;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const head = this.#head;
    this.#head = [];
    yield* head;
    for (let chunk = await this.#next(); chunk; chunk = await this.#next()) yield chunk;
  }

  /** Digest and size of all of it; what nobody read is read now. Throws AppError where the sender says otherwise. */
  async whole(): Promise<{ digest: string; length: number }> {
    while (this.#ended === undefined) await this.#next();
    return { digest: this.#ended, length: this.#length };
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#ended !== undefined) return undefined;
    const next = await this.#given.next();
    if (next.done) {
      this.#ended = this.#compared(this.#hash.digest("hex"));
      return undefined;
    }
    this.#hash.update(next.value);
    this.#length += next.value.length;
    return next.value;
  }

  #compared(digest: string): string {
    const { bytes = this.#length, sha256 = digest } = this.#declared;
    if (bytes === this.#length && sha256 === digest) return digest;
    const told =
      bytes === this.#length ? "with another SHA-256 than the sender names" : `where the sender names ${bytes}`;
    throw badRequest(
      `${this.#length} bytes arrived, ${told}: the content was cut or changed on its way. Nothing of it was stored; send it again.`,
    );
  }
}
