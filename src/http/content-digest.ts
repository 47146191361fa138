import { createHash, type Hash } from "node:crypto";
import { type AppError, badField, badRequest } from "../../chapters/errors.ts";

/** The algorithms of RFC 9530 that are not deprecated, with their size in bytes; of others nothing is compared. */
const ALGORITHMS: Readonly<Record<string, { readonly name: string; readonly bytes: number }>> = {
  "sha-256": { name: "sha256", bytes: 32 },
  "sha-512": { name: "sha512", bytes: 64 },
};

interface DeclaredHash {
  readonly hash: Hash;
  readonly said: Buffer;
}

/** What a sender says of the bytes of its message (Content-Digest, RFC 9530), and those that arrive. */
export class DeclaredDigest {
  readonly #hashes: readonly DeclaredHash[];
  #bytes = 0;

  private constructor(hashes: readonly DeclaredHash[]) {
    this.#hashes = hashes;
  }

  /** Undefined where the header says nothing that can be compared. Throws AppError `bad_request` where it is written wrongly. */
  static read(header: string | string[] | undefined): DeclaredDigest | undefined {
    if (header === undefined) return undefined;
    const hashes = String(header)
      .split(",")
      .flatMap((part) => {
        const [, name, text] =
          /^\s*([a-z*][a-z0-9_.*-]*)\s*=\s*:([A-Za-z0-9+/]*={0,2}):\s*(?:;[^,]*)?$/.exec(part) ?? [];
        if (name === undefined || text === undefined) throw wronglyWritten();
        const algorithm = ALGORITHMS[name];
        if (algorithm === undefined) return [];
        const said = Buffer.from(text, "base64");
        if (said.length !== algorithm.bytes) throw wronglyWritten();
        return [{ hash: createHash(algorithm.name), said }];
      });
    return hashes.length > 0 ? new DeclaredDigest(hashes) : undefined;
  }

  update(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    for (const { hash } of this.#hashes) hash.update(chunk);
  }

  /** Throws AppError `bad_request` where other bytes arrived than the sender says. */
  end(): void {
    if (this.#hashes.every(({ hash, said }) => hash.digest().equals(said))) return;
    throw badRequest(
      `The ${this.#bytes} bytes that arrived are not those that Content-Digest names: the body was cut or changed on its way. Nothing of it was stored; send it again.`,
    );
  }
}

function wronglyWritten(): AppError {
  return badField("content-digest", "is written sha-256=:BASE64: (RFC 9530)");
}
