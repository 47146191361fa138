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
