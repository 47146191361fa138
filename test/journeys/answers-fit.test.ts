import { afterAll, beforeAll, expect, it } from "vitest";
import { startApp, type TestApp, type TestMcp } from "../helpers/app.ts";
import { type DeskStore, deskStore } from "./desk-store.ts";
import { readAll, tooLarge } from "./read-answers.ts";

let app: TestApp;
let mcp: TestMcp;
let desk: DeskStore;
beforeAll(async () => {
  app = await startApp();
  const org = await app.org();
  mcp = await app.mcp(org.admin);
  desk = await deskStore(app, org, 1);
}, 600_000);
afterAll(() => app.close());

// Finding E47.
it("answers every operation that reads within 4,000 tokens", async () => {
  const rows = await readAll(app, mcp, desk, "desk");
  expect(tooLarge(rows)).toEqual([]);
  expect(rows.filter(({ next, call }) => next !== undefined && call === undefined)).toEqual([]);
  expect(rows.filter(({ next }) => next !== undefined).length).toBeGreaterThanOrEqual(8);
  expect(rows.filter(({ refused }) => !refused).length).toBeGreaterThanOrEqual(115);
});
