import { parse } from "csv-parse/sync";
import { unzipSync } from "fflate";
import { expect, it } from "vitest";
import { zipped } from "../../../chapters/zip.ts";
import { bothSurfaces, type SurfaceTest } from "../../helpers/app.ts";
import { runToEnd, shopIn } from "../runs/kit.ts";

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("utf8");

/** The bytes of a file route, with a token of the org. */
async function bytesOf({ app, org }: SurfaceTest, path: string, body?: object): Promise<Buffer> {
  const answer = await fetch(`${app.url}${path}`, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${org.read}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  expect(answer.status).toBe(200);
  return Buffer.from(await answer.arrayBuffer());
}

bothSurfaces("datasets and files hold the certified tasks and no other", async (invoke, t) => {
  expect((await invoke("export_obs", { set: "full" })).status).toBe(409);
  expect((await invoke("export_obs_judges")).status).toBe(409);
  expect((await invoke("datasets_get")).body.datasets).toEqual([]);
  const shop = await shopIn(t.app.service, t.org.id, 8);
  await invoke("environment_tasks_retire", { env_id: shop.environment, indexes: [0] });
  const [dataset] = (await invoke("datasets_get", {}, t.org.read)).body.datasets;
  expect(dataset).toMatchObject({ name: "acme/shop", environment: shop.environment, tasks: shop.tasks.length - 1 });
  const family = shop.tasks[1]?.family;
  const narrowed = (await invoke("datasets_get", { field: "family", value: family })).body.datasets;
  expect(narrowed[0].families).toEqual({ [family ?? ""]: dataset.families[family ?? ""] });
  expect((await invoke("datasets_get", { field: "family", value: "none" })).body.datasets).toEqual([]);
  expect((await invoke("datasets_get", { field: "constructor" })).body.datasets).toEqual([]);

  expect(await invoke("export_obs", { set: "full" }, t.org.read)).toMatchObject({ status: 200 });
  expect((await invoke("export_obs", { set: "ci-11" })).status).toBe(400);
  expect((await invoke("export_obs", { set: "full", environment: "env_none" })).status).toBe(404);
  const zip = unzipSync(await bytesOf(t, "/v0/exports/obs", { set: "full" }));
  expect(Object.keys(zip).sort()).toEqual(["acme-shop/dataset.json", "acme-shop/records.csv"]);
  const rows = parse(text(zip["acme-shop/records.csv"]), { columns: true }) as Record<string, string>[];
  expect(rows.map((row) => JSON.parse(row.input ?? "").request).sort()).toEqual(
    shop.tasks
      .slice(1)
      .map((task) => task.request)
      .sort(),
  );
  expect(rows[0]).toMatchObject({ id: expect.any(String), expected_output: expect.stringContaining("calls") });
  const few = unzipSync(await bytesOf(t, "/v0/exports/obs", { set: "ci-10", environment: shop.environment }));
  expect(parse(text(few["acme-shop/records.csv"])).length).toBe(Math.min(10, rows.length) + 1);

  expect((await invoke("export_obs_judges", {}, t.org.read)).status).toBe(200);
  const judges = unzipSync(await bytesOf(t, "/v0/exports/obs-judges", { environment: shop.environment }));
  const kinds = new Set(shop.tasks.slice(1).flatMap((task) => task.checks.map((check) => `${check.kind}.json`)));
  expect(new Set(Object.keys(judges))).toEqual(kinds);
});

bothSurfaces("worlds leave as lines or as a zip, narrowed to an environment or a group", async (invoke, t) => {
  expect((await invoke("org_export")).status).toBe(409);
  const shop = await shopIn(t.app.service, t.org.id, 6);
  await shopIn(t.app.service, t.org.id, 3, "second");
  const lines = text(await bytesOf(t, "/v0/orgs/acme/export"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const of = (kind: string) => lines.filter((line) => line.kind === kind);
  expect(of("world").map((line) => line.label)).toEqual(["shop", "second"]);
  expect(of("task").length).toBe(shop.tasks.length + 3);
  expect(of("row").length).toBeGreaterThan(10);
  expect(of("task")[0]).toMatchObject({ request: shop.tasks[0]?.request, checks: shop.tasks[0]?.checks });
  const one = text(await bytesOf(t, `/v0/orgs/acme/export?environment=${shop.environment}`));
  expect(
    one
      .trim()
      .split("\n")
      .filter((line) => JSON.parse(line).kind === "world"),
  ).toHaveLength(1);
  expect(text(await bytesOf(t, "/v0/orgs/acme/export?tier=llm-derived"))).not.toContain('"kind":"task"');
  const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment, selection: "ci-2" });
  const zip = unzipSync(await bytesOf(t, `/v0/orgs/acme/export?format=zip&group=${group}`));
  expect(Object.keys(zip).sort()).toEqual(
    ["rows.ndjson", "tasks.ndjson", "world.json"].map((name) => `${shop.environment}/${name}`),
  );
  expect(text(zip[`${shop.environment}/tasks.ndjson`]).trim().split("\n")).toHaveLength(2);
  expect((await invoke("org_export", { group: "rg_none" })).status).toBe(404);
  expect((await invoke("org_export", {}, t.org.read)).status).toBe(200);
});

bothSurfaces("a landed group leaves as experiments: spans of trials, metrics of checks", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 6);
  const { group } = await runToEnd(invoke, { harness: "null", environment: shop.environment, selection: "ci-3" });
  expect((await invoke("export_obs_experiment", { group: "rg_none" })).status).toBe(404);
  expect((await invoke("export_obs_experiment", { group }, t.org.read)).status).toBe(200);
  const zip = unzipSync(await bytesOf(t, "/v0/exports/obs-experiment", { group }));
  const experiment = JSON.parse(text(zip["shop/experiment.json"])).data;
  expect(experiment).toMatchObject({ type: "experiments", attributes: { config: { harness: "null" }, run_count: 1 } });
  expect(experiment.attributes.description).toContain("0 of 3");
  const { spans, metrics } = JSON.parse(text(zip["shop/events-1.json"])).data.attributes;
  expect(spans).toHaveLength(3);
  expect(spans[0]).toMatchObject({
    status: "ok",
    span_id: expect.stringMatching(/^\d+$/),
    meta: { input: { request: expect.any(String) } },
  });
  const met = metrics.filter((row: { label: string }) => row.label === "met");
  expect(met.map((row: { boolean_value: boolean }) => row.boolean_value)).toEqual([false, false, false]);
  expect(metrics.length).toBeGreaterThan(3);
});

it("a zip of many files is made while it is read", async () => {
  let made = 0;
  const files = function* () {
    for (let i = 0; i < 50; i += 1) {
      made += 1;
      yield { name: `d/${i}.txt`, content: Buffer.alloc(100_000, `${i} `) };
    }
  };
  const parts: Uint8Array[] = [];
  let madeAtFirst: number | undefined;
  for await (const part of zipped(files(), 1_790_000_000)) {
    madeAtFirst ??= made;
    parts.push(part);
  }
  expect(madeAtFirst).toBe(1);
  expect(Object.keys(unzipSync(Buffer.concat(parts)))).toHaveLength(50);
});

bothSurfaces("environments of one label have folders of their own", async (invoke, t) => {
  const one = await shopIn(t.app.service, t.org.id, 6);
  const two = await shopIn(t.app.service, t.org.id, 3);
  const zip = unzipSync(await bytesOf(t, "/v0/exports/obs", { set: "full" }));
  const places = ["acme-shop", `acme-shop-${two.environment}`];
  expect(Object.keys(zip).sort()).toEqual(
    places.flatMap((place) => [`${place}/dataset.json`, `${place}/records.csv`]).sort(),
  );
  expect(parse(text(zip["acme-shop/records.csv"])).length).toBe(one.tasks.length + 1);
  const { group } = await runToEnd(invoke, {
    harness: "null",
    selection: "ci-3",
  });
  const experiments = unzipSync(await bytesOf(t, "/v0/exports/obs-experiment", { group }));
  expect(Object.keys(experiments).filter((name) => name.endsWith("experiment.json"))).toHaveLength(2);
});
