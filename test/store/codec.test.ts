import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { deflateRawSync, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Packed,
  pack,
  packJson,
  packLarge,
  packText,
  unpack,
  unpackJson,
  unpackLarge,
} from "../../store/codec.ts";
import { zstdContent, zstdFrame, zstdOptions } from "../../store/zstd.ts";

/** A thread whose Node has no zstd packs bytes both ways and reads them back, and says why it cannot read a zstd frame. */
const OLD_NODE = `
const { parentPort, workerData: { codec, raw, frame } } = require("node:worker_threads");
require("node:zlib").zstdCompressSync = undefined;
require("node:module").syncBuiltinESMExports();
import(codec).then(async ({ pack, packLarge, unpack }) => {
  const packed = [pack(raw), await packLarge(raw)];
  for (const one of packed) if (Buffer.compare(unpack(one), raw) !== 0) throw new Error("other bytes came back");
  let refusal = "nothing was refused";
  try { unpack(frame); } catch (error) { refusal = error.message; }
  parentPort.postMessage({ packed, refusal });
});`;

async function withoutZstd(raw: Uint8Array, frame: Packed): Promise<{ packed: Packed[]; refusal: string }> {
  const codec = new URL("../../store/codec.ts", import.meta.url).href;
  const old = new Worker(OLD_NODE, { eval: true, workerData: { codec, raw, frame } });
  const [answer] = await once(old, "message");
  await old.terminate();
  return answer;
}

describe("bytes at rest", () => {
  it("come back as they were, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), fc.nat(300), async (some, times) => {
        const raw = Buffer.concat(Array.from({ length: times + 1 }, () => some));
        expect(Buffer.compare(unpack(pack(raw)), raw)).toBe(0);
        expect(Buffer.compare(await unpackLarge(await packLarge(raw)), raw)).toBe(0);
      }),
      { numRuns: 50 },
    );
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(unpackJson(packJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("are smaller where that is possible, and as they are where it is not", () => {
    const text = Buffer.from("a line of text\n".repeat(1000));
    expect(pack(text).encoding).not.toBe("plain");
    expect(pack(text).body.byteLength).toBeLessThan(text.byteLength / 10);
    expect(pack(randomBytes(5000))).toMatchObject({ encoding: "plain" });
    expect(pack(Buffer.from("short"))).toMatchObject({ encoding: "plain" });
  });

  it("of a text are kept apart from those of the next, with the digest of each", () => {
    const texts = ["short", "é\u0000 ".repeat(2000), randomBytes(3000).toString("base64"), "x".repeat(600_000)];
    const packed = texts.map(packText);
    for (const [i, text] of texts.entries()) {
      const kept = packed[i] as (typeof packed)[number];
      expect(Buffer.from(unpack(kept)).toString("utf8")).toBe(text);
      expect(kept.digest).toBe(createHash("sha256").update(text).digest("hex"));
    }
  });

  it("are the same frame whatever was compressed before, and one that anybody reads", () => {
    const raw = Buffer.from(
      JSON.stringify(Array.from({ length: 900 }, (_, i) => ({ id: i * 7919, name: `n${i % 13}` }))),
    );
    const first = zstdFrame(raw);
    zstdFrame(randomBytes(200_000));
    zstdFrame(Buffer.from("other ".repeat(30_000)));
    zstdFrame(Buffer.alloc(0));
    expect(zstdFrame(raw).equals(first)).toBe(true);
    expect(zstdDecompressSync(first).equals(raw)).toBe(true);
    expect(first.byteLength).toBeLessThanOrEqual(zstdCompressSync(raw, zstdOptions).byteLength);
  });

  it("come back when they and their frame fill whole pieces", () => {
    for (const size of [16_384, 32_768, 65_536])
      for (let less = -2; less <= 24; less++) {
        const [dense, even] = [randomBytes(size - less), Buffer.alloc(size - less, "a")];
        for (const raw of [dense, even, Buffer.concat([even, dense])]) {
          expect(zstdContent(zstdFrame(raw)).equals(raw)).toBe(true);
          expect(zstdDecompressSync(zstdFrame(raw)).equals(raw)).toBe(true);
        }
      }
  });

  it("that are cut off are an error, and no part of them is in what is read next", () => {
    const [one, other] = ["one ", "other "].map((word) => Buffer.from(word.repeat(5000))) as [Buffer, Buffer];
    const frame = zstdFrame(one);
    expect(() => zstdContent(frame.subarray(0, frame.length - 4))).toThrow("unexpected end");
    expect(() => zstdContent(Buffer.from("no frame at all"))).toThrow();
    expect(() => zstdContent(Buffer.alloc(0))).toThrow("unexpected end");
    expect(zstdContent(zstdFrame(other)).equals(other)).toBe(true);
    expect(zstdContent(frame).equals(one)).toBe(true);
  });

  it("are read in every encoding that any Node writes, and an unknown one is named", async () => {
    const raw = Buffer.from("text ".repeat(100_000));
    const packed = { encoding: "deflate", body: deflateRawSync(raw) };
    expect(Buffer.compare(unpack(packed), raw)).toBe(0);
    expect(Buffer.compare(await unpackLarge(packed), raw)).toBe(0);
    expect(() => unpack({ encoding: "brotli", body: raw })).toThrow("brotli");
  });

  it("are deflated on a Node without zstd, which says so when it meets zstd", async () => {
    const raw = Buffer.from("text ".repeat(100_000));
    const { packed, refusal } = await withoutZstd(raw, pack(raw));
    for (const one of packed) {
      expect(one.encoding).toBe("deflate");
      expect(Buffer.compare(unpack(one), raw)).toBe(0);
    }
    expect(refusal).toContain("zstd, which this Node cannot read");
  });
});
