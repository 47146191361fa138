import { afterAll, beforeAll, expect, it } from "vitest";
import { deskStore } from "./desk-store.ts";
import { readAll, tooLarge } from "./read-answers.ts";
import { writeAll } from "./write-answers.ts";

let desk: Awaited<ReturnType<typeof deskStore>>;
beforeAll(async () => {
  desk = await deskStore();
});
afterAll(() => desk.app.close());

// Finding E47.
it("answers every operation that reads within 4,000 tokens", async () => {
  const mcp = await desk.app.mcp(desk.org.admin);
  const rows = await readAll(desk.app, mcp, desk, "desk");
  expect(tooLarge(rows)).toEqual([]);
  expect(rows.filter(({ next, call }) => next !== undefined && call === undefined)).toEqual([]);
  expect(rows.filter(({ next }) => next !== undefined).length).toBeGreaterThanOrEqual(8);
  expect(rows.filter(({ refused }) => !refused).length).toBeGreaterThanOrEqual(115);
});

// Finding E47. Last in this file: what it asks changes and ends records of the store.
it("answers every operation that writes within 4,000 tokens", async () => {
  const mcp = await desk.app.mcp(desk.org.admin);
  const rows = await writeAll(desk.app, desk.org, mcp, desk, "desk");
  expect(tooLarge(rows)).toEqual([]);
  expect(rows.filter(({ refused }) => !refused).length).toBeGreaterThanOrEqual(90);
});
