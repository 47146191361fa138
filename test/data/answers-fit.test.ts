import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { invoker, startApp, type TestApp } from "../helpers/app.ts";
import { readAll, tooLarge } from "../journeys/read-answers.ts";
import { ended, ok } from "../tools/sandboxes/kit.ts";

const data = process.env.SVC_DATA ?? "";

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
}, 600_000);
afterAll(() => app.close());

function read(file: string): unknown {
  return JSON.parse(readFileSync(join(data, "dev", file), "utf8"));
}

it("retail: answers every operation that reads of published results within 4,000 tokens", async () => {
  const bank = await app.org("published");
  const invoke = invoker(app, "rest", bank);
  await ok(invoke("evidence_post", { surface: "retail", content: read("retail/tau2.gpt-4.1.json") }));
  await ok(invoke("evidence_post", { surface: "retail", content: read("retail/tools.tau2.json") }));
  const { body } = await ok(invoke("pipeline_post", { surface: "retail" }));
  const { result } = await ended(invoke, body.job);
  const environment: string = result.environments[0].id;
  const started = (await ok(invoke("start_run", { environment, harness: "rule" }))).body;
  await ended(invoke, started.job);
  const { evidence } = (await ok(invoke("evidence_list"))).body;
  const { bundles } = (await ok(invoke("bundles_list"))).body;
  const { runs } = (await ok(invoke("runs_list"))).body;
  const ids = {
    environment,
    evidence: evidence.at(-1).id,
    bundle: bundles[0].id ?? bundles[0].bundle,
    run: runs[0].id ?? runs[0].run,
    job: started.job,
  };
  const groups = [started.group, started.group, started.group, started.group];
  const rows = await readAll(app, await app.mcp(bank.admin), { ids, groups }, "retail");
  expect(tooLarge(rows)).toEqual([]);
  expect(rows.filter(({ refused }) => !refused).length).toBeGreaterThanOrEqual(100);
});
