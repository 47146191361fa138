import { afterAll, beforeAll, expect, it } from "vitest";
import { readInputs, surfaceEvidence } from "../../../../chapters/sandboxes/surfaces/surface-evidence.ts";
import { chapters } from "../../../../tools/index.ts";
import { invoker, startApp, type TestApp } from "../../../helpers/app.ts";
import { ctxOf } from "../../../helpers/ctx.ts";
import { ok } from "../../../tools/sandboxes/kit.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ chapters: chapters.filter(({ name }) => name === "evidence") });
});
afterAll(() => app.close());

const said = (request: string) => ({ messages: [{ role: "user", content: request }] });

/** What an org's surface is compiled from, once these files were sent in this order. */
async function inputs(tag: string, files: readonly (readonly unknown[])[]) {
  const org = await app.org(tag);
  const invoke = invoker(app, "rest", org);
  for (const content of files) await ok(invoke("evidence_post", { surface: "main", content }));
  const ctx = ctxOf(app.service, org);
  return readInputs(ctx, await surfaceEvidence(ctx, "main"));
}

it("the same files are read alike whenever they were stored, each with a source of its own", async () => {
  const files = [[said("one"), said("two")], [said("three")]];
  const { traces, digest } = await inputs("first", files);
  expect(new Set(traces.map(({ source }) => source)).size).toBe(2);
  expect(await inputs("second", files.toReversed())).toMatchObject({ traces, digest });
});
