import { randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { pack, packJson, packLarge, unpack, unpackJson, unpackLarge } from "../../store/codec.ts";

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

  it("are read in every encoding that any Node writes, and an unknown one is named", async () => {
    const raw = Buffer.from("text ".repeat(100_000));
    const packed = { encoding: "deflate", body: deflateRawSync(raw) };
    expect(Buffer.compare(unpack(packed), raw)).toBe(0);
    expect(Buffer.compare(await unpackLarge(packed), raw)).toBe(0);
    expect(() => unpack({ encoding: "brotli", body: raw })).toThrow("brotli");
  });

  it("are deflated on a Node without zstd, which says so when it meets zstd", async () => {
    vi.resetModules();
    vi.doMock("node:zlib", async (original) => ({
      ...(await original<typeof import("node:zlib")>()),
      zstdCompressSync: undefined,
    }));
    const old = await import("../../store/codec.ts");
    const raw = Buffer.from("text ".repeat(100_000));
    for (const packed of [old.pack(raw), await old.packLarge(raw)]) {
      expect(packed.encoding).toBe("deflate");
      expect(Buffer.compare(old.unpack(packed), raw)).toBe(0);
      expect(Buffer.compare(unpack(packed), raw)).toBe(0);
    }
    expect(() => old.unpack(pack(raw))).toThrow("zstd, which this Node cannot read");
    vi.doUnmock("node:zlib");
  });
});
