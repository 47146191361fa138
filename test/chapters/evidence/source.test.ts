import { expect, it } from "vitest";
import { MAX_VALUE_BYTES } from "../../../chapters/evidence/reading/bytes.ts";
import { openSource, type Source } from "../../../chapters/evidence/reading/source.ts";

const MB = 1024 * 1024;

async function read(source: Source): Promise<number> {
  let items = 0;
  for await (const _item of source.pieces()) items += 1;
  return items;
}

async function* body(...parts: readonly (string | (() => Iterable<string>))[]): AsyncGenerator<Uint8Array> {
  for (const part of parts)
    for (const text of typeof part === "string" ? [part] : part()) yield new TextEncoder().encode(text);
}

function* members(count: number): Generator<string> {
  for (let i = 0; i < count; i++) yield `,"m${i}":"${"x".repeat(MB)}"`;
}

it("holds no more of a body's own members than of one value, wherever they stand", async () => {
  const over = MAX_VALUE_BYTES / MB + 1;
  const item = `{"traces":[{"id":"a","messages":[]}],"pad":"${"y".repeat(9 * MB)}"`;
  const late = await openSource(
    body(item, () => members(over - 9), "}"),
    undefined,
  );
  await expect(read(late)).rejects.toMatchObject({ code: "too_large" });
  const early = openSource(
    body('{"a":1', () => members(over), ',"traces":[{}]}'),
    undefined,
  );
  await expect(early).rejects.toMatchObject({ code: "too_large" });
});

it("takes a member of any name as data", async () => {
  const source = await openSource(body('{"__proto__":{"planted":1},"traces":[{"id":"a"}]}'), undefined);
  expect(await read(source)).toBe(1);
  expect(Object.keys(source.header)).toContain("__proto__");
  expect(source.header).not.toHaveProperty("planted");
});

const shapes: readonly { what: string; shape: string; items: number; parts: readonly string[]; type?: string }[] = [
  { what: "lines of values", shape: "lines", items: 2, parts: ['{"a":1}\n{"a":2}'] },
  { what: "lines in pieces", shape: "lines", items: 3, parts: ['{"a"', ":1", "}", "\n", "\n", '{"a":2}\n', '{"a":3}'] },
  {
    what: "lines after blank ones and a byte order mark",
    shape: "lines",
    items: 2,
    parts: ["\ufeff", "\n \n", "\n", '{"a":1}\n', '{"a":2}'],
  },
  { what: "one value and blank lines", shape: "object", items: 1, parts: ['{"traces":[{"id":"a"}]}', "\n", "\n \n"] },
  {
    what: "one value that is said to be lines",
    shape: "lines",
    items: 1,
    parts: ['{"traces":[{"id":"a"}]}\n', "\n"],
    type: "application/x-ndjson",
  },
  { what: "a value over several lines", shape: "array", items: 2, parts: ["[\n", '{"a":1},\n', '{"a":2}\n]\n'] },
  { what: "values over several lines", shape: "lines", items: 3, parts: ['{\n"a":1\n}\n', '{\n"a":2\n}', '{"a":3}\n'] },
  { what: "an array on the first line of several", shape: "lines", items: 2, parts: ["[1]\n", "[2]\n"] },
];

it.each(shapes)("tells $what from its first bytes, however they are cut", async ({ shape, items, parts, type }) => {
  const whole = await openSource(body(parts.join("")), type);
  const pieces = await openSource(body(...parts), type);
  const bytewise = await openSource(
    body(() => parts.join("")),
    type,
  );
  for (const source of [whole, pieces, bytewise]) {
    expect(source.sample.shape).toBe(shape);
    expect(await read(source)).toBe(items);
  }
});

it("keeps a first line that is longer than what is looked at", async () => {
  const first = JSON.stringify({ id: "first", pad: "x".repeat(9 * MB) });
  for (const type of [undefined, "application/x-ndjson"]) {
    const source = await openSource(body(...(first.match(/.{1,100000}/g) ?? []), '\n{"id":"second"}\n'), type);
    expect(source.sample.shape).toBe("lines");
    expect(source.sample.items[0]).toMatchObject({ value: { id: "first" }, place: 1 });
    expect(source.header).toEqual({});
    expect(await read(source)).toBe(2);
  }
});

it("begins with lines before it has a megabyte of them", async () => {
  let given = 0;
  async function* lines() {
    for (; given < 100; given++) yield new TextEncoder().encode(`{"id":${given},"pad":"${"x".repeat(MB / 8)}"}\n`);
  }
  const source = await openSource(lines(), undefined);
  expect(source.sample.shape).toBe("lines");
  expect(given).toBeLessThan(8);
  expect(await read(source)).toBe(100);
});
