import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { runToEnd, shopIn } from "../tools/runs/kit.ts";

let app: TestApp;
let org: TestOrg;
let folder: string;

beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  folder = mkdtempSync(join(tmpdir(), "archives-"));
  await shopIn(app.service, org.id, 6);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

async function saved(name: string, path: string, body?: object): Promise<string> {
  const answer = await fetch(`${app.url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${org.admin}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(answer.status).toBe(200);
  const file = join(folder, name);
  writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
  return file;
}

it("tar lists and reads the archive of an org", async () => {
  const file = await saved("org.tar.gz", "/v0/orgs/acme/archive");
  const names = execFileSync("tar", ["-tzf", file], { encoding: "utf8" }).trim().split("\n");
  expect(names).toEqual(expect.arrayContaining(["org.json", "end.json"]));
  const head = JSON.parse(execFileSync("tar", ["-xzOf", file, "org.json"], { encoding: "utf8" }));
  expect(head.org).toEqual({ id: org.id, tag: "acme" });
});

it.each([
  ["export.zip", "/v0/orgs/acme/export?format=zip", undefined],
  ["datasets.zip", "/v0/exports/obs", { set: "full" }],
  ["judges.zip", "/v0/exports/obs-judges", {}],
])("unzip tests %s", async (name, path, body) => {
  const file = await saved(name, path, body);
  expect(execFileSync("unzip", ["-t", file], { encoding: "utf8" })).toContain("No errors detected");
});

it("unzip tests what is made of run groups", async () => {
  const { environment } = await shopIn(app.service, org.id, 3, "played");
  const invoke = invoker(app, "rest", org);
  const { group: against } = await runToEnd(invoke, { harness: "reference", environment });
  const { group } = await runToEnd(invoke, { harness: "null", environment });
  const experiment = await saved("experiment.zip", "/v0/exports/obs-experiment", { group });
  const finding = await saved("finding.zip", "/v0/orgs/acme/deliveries/obs", { group, against, format: "zip" });
  for (const file of [experiment, finding])
    expect(execFileSync("unzip", ["-t", file], { encoding: "utf8" })).toContain("No errors detected");
});
