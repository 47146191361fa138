import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { runToEnd, shopIn } from "../runs/kit.ts";

bothSurfaces("confidence_put changes the words that compare_runs uses", async (invoke, { app, org }) => {
  const { environment } = await shopIn(app.service, org.id, 6);
  const reference = await runToEnd(invoke, { harness: "reference", environment });
  const nothing = await runToEnd(invoke, { harness: "null", environment });
  const words = async () => {
    const { file } = await invoke("compare_runs", { a: reference.group, b: nothing.group, format: "json" }, org.read);
    const { confidence, words: said } = JSON.parse(file ?? "{}") as { confidence: number; words: string };
    return [confidence, said];
  };
  // Six tasks all one way: the exact two-sided p is 2 in 64.
  expect(await words()).toEqual([96.875, "shown"]);
  await invoke("confidence_put", { low: 50, high: 99 });
  expect(await words()).toEqual([96.875, "leaning"]);
  await invoke("confidence_put", { low: 98, high: 99 });
  expect(await words()).toEqual([96.875, "no difference shown"]);
  await invoke("confidence_put", { low: null, high: null });
  expect(await words()).toEqual([96.875, "shown"]);
});

bothSurfaces("confidence_get tells the bands, whose they are and the formula", async (invoke, { app, org }) => {
  const first = (await invoke("confidence_get", {}, org.read)).body;
  expect(first).toMatchObject({ org: "acme", confidence: { low: 20, high: 90, source: "default" } });
  expect(first.confidence.formula).toContain("permutation");
  const set = await invoke("confidence_put", { low: 10, high: 95, by: "ann" });
  expect(set).toMatchObject({ status: 200, body: { cleared: false, confidence: { source: "org", by: "ann" } } });
  expect((await invoke("confidence_get")).body.confidence.bands).toEqual([
    { from: 0, to: 10, words: "no difference shown" },
    { from: 10, to: 95, words: "leaning" },
    { from: 95, to: 100, words: "shown" },
  ]);
  const refused = { low: 1.5, high: 95 };
  expect((await invoke("confidence_put", refused)).body.fields).toMatchObject([{ path: "low" }]);
  for (const [args, path] of [
    [{ low: 95, high: 95 }, "low"],
    [{ low: 20, high: 101 }, "high"],
    [{ low: 20 }, "high"],
  ] as const) {
    const answer = await invoke("confidence_put", args);
    expect(answer, JSON.stringify(args)).toMatchObject({ status: 400, body: { fields: [{ path }] } });
  }
  expect((await invoke("confidence_put", { low: null, high: 90 })).body.reason).toContain("null both");
  expect((await invoke("confidence_put", { low: 20, high: 80 }, org.push)).status).toBe(403);
  expect((await invoke("confidence_get")).body.confidence).toMatchObject({ low: 10, high: 95 });
  expect((await invoke("confidence_put", { low: null, high: null })).body).toMatchObject({
    cleared: true,
    confidence: { low: 20, high: 90, source: "default" },
  });
  const beta = await app.org("beta");
  await invoke("confidence_put", { low: 1, high: 2 });
  expect((await invoke("confidence_get", { orgtag: "beta" }, beta.read)).body.confidence.source).toBe("default");
});
