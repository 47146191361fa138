import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Piece, splitJson, splitLines } from "../../../chapters/evidence/reading/split.ts";

const SPLIT = new Set(["rows", "data"]);

/** Bytes of buffers that are still held, what nobody holds collected. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().arrayBuffers;
}

async function* cut(text: string, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const textOf = (piece: Piece) => piece.bytes.toString().trim();

async function all(pieces: AsyncIterable<Piece>): Promise<Piece[]> {
  const found: Piece[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

const split = (text: string, sizes: readonly number[] = [7]) => all(splitJson(cut(text, sizes), SPLIT));
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
const spaces = fc.constantFrom(undefined, 1, 4);

describe("splitting JSON as it comes", () => {
  it("gives the elements of any array, however it is cut and spaced", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), sizes, spaces, async (values, chunks, space) => {
        const pieces = await split(JSON.stringify(values, null, space), chunks);
        expect(pieces.map((piece) => JSON.parse(textOf(piece)))).toEqual(JSON.parse(JSON.stringify(values)));
        expect(pieces.map((piece) => piece.kind === "item" && piece.place)).toEqual(values.map((_, i) => i + 1));
      }),
    );
  });

  it("gives members whole and the elements of named arrays", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue()),
        fc.array(fc.jsonValue(), { minLength: 1 }),
        sizes,
        spaces,
        async (members, rows, chunks, space) => {
          const { rows: _rows, data: _data, ...others } = members;
          const text = JSON.stringify({ ...others, rows }, null, space);
          const pieces = await split(text, chunks);
          const back = pieces.flatMap((piece) =>
            piece.kind === "member" ? [[piece.key, JSON.parse(textOf(piece))]] : [],
          );
          expect(back).toEqual(Object.entries(JSON.parse(text)).filter(([key]) => key !== "rows"));
          expect(pieces.flatMap((piece) => (piece.kind === "item" ? [JSON.parse(textOf(piece))] : []))).toEqual(
            JSON.parse(JSON.stringify(rows)),
          );
          const bytes = Buffer.from(text);
          for (const piece of pieces)
            expect(bytes.subarray(piece.offset, piece.offset + Buffer.byteLength(textOf(piece))).toString()).toBe(
              textOf(piece),
            );
        },
      ),
    );
  });

  it("names the byte where the structure breaks", async () => {
    const cases: [text: string, offset: number, what: string][] = [
      ["[1, 2", 5, "cut off"],
      ['[{"a": [1}', 10, "cut off"],
      ["[1 2]", 3, "comma or a closing bracket"],
      ['{"a" 1}', 5, "colon"],
      ["{a: 1}", 1, "name"],
      ['{"a": 1 "b": 2}', 8, "comma or a closing brace"],
      ["[1,]", 3, "value is missing"],
      ['["x', 3, "cut off"],
    ];
    for (const [text, offset, what] of cases) {
      for (const size of [1, 3, 100]) {
        await expect(split(text, [size])).rejects.toThrow(`, at byte ${offset}.`);
        await expect(split(text, [size])).rejects.toThrow(what);
      }
    }
  });

  it("passes over a byte order mark and takes values that follow one another", async () => {
    expect((await split('\ufeff[1]\n[2]\n{"a":3}')).map((piece) => textOf(piece))).toEqual(["1", "[2]", '{"a":3}']);
  });

  it("holds one value at a time: a long array of large elements in small chunks", async () => {
    const element = JSON.stringify({ text: "x".repeat(200_000) });
    async function* chunks(): AsyncGenerator<Uint8Array> {
      yield Buffer.from("[");
      for (let i = 0; i < 200; i++) yield* cut(i === 0 ? element : `,${element}`, [16_384]);
      yield Buffer.from("]");
    }
    const before = heldBytes();
    let count = 0;
    for await (const piece of splitJson(chunks(), SPLIT)) {
      expect(textOf(piece).length).toBe(element.length);
      // All 200 are 40 MB; the process is that of other files too, whose buffers come and go.
      if (++count % 50 === 0) expect(heldBytes() - before).toBeLessThan(30_000_000);
    }
    expect(count).toBe(200);
  });
});

describe("splitting lines", () => {
  it("gives each line with its number, empty ones left out, however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme" }).map((line) => line.replace(/[\r\n]/g, "").trim())),
        sizes,
        fc.boolean(),
        async (lines, chunks, ends) => {
          const text = lines.join("\n") + (ends ? "\r\n" : "");
          const found = (await all(splitLines(cut(text, chunks)))).map(
            (piece) => piece.kind === "item" && [piece.place, textOf(piece)],
          );
          expect(found).toEqual(lines.flatMap((line, i) => (line === "" ? [] : [[i + 1, line]])));
        },
      ),
    );
  });
});
