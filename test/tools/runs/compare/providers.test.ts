import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ProviderComparison } from "../../../../chapters/records/runs/provider.ts";
import { invoker, onBoth, startApp, type TestApp } from "../../../helpers/app.ts";
import { type FakeProvider, startProvider } from "../../../helpers/vendors/models.ts";
import { endOf, refusedStart, runToEnd, shopIn } from "../kit.ts";

let provider: FakeProvider;
let app: TestApp;

beforeAll(async () => {
  provider = await startProvider();
  app = await startApp({ config: provider.config });
});
afterAll(async () => {
  await app.close();
  await provider.close();
});

describe("providers", () => {
  it("are compared on the same tasks: rates, cost and latency per pin, and a cell per task", async () => {
    const org = await app.org("org-compared");
    const shop = await shopIn(app.service, org.id, 4);
    const invoke = onBoth(app, org);
    const { pins, harness } = (await invoke("providers_get", {}, org.read)).body;
    expect(harness).toBe("react");
    expect(pins).toMatchObject([
      { label: "openai-compatible 1", key: { name: "SVC_OPENAI_API_KEY", set: true }, priced: true },
      { label: "anthropic 1", priced: true },
      { label: "openai-compatible 2", priced: false },
    ]);
    expect(JSON.stringify(pins)).not.toContain("/small");
    expect((await invoke("providers_get", { audience: "staff" })).body.pins[0].model).toBeUndefined();
    const staff = await invoke("providers_get", { audience: "staff", orgtag: org.tag }, app.operator);
    expect(staff.body.pins[0].model).toBe("openai-compatible/small");

    const base = { environment: shop.environment, tasks: ["0", "1"] };
    expect((await invoke("compare_providers", { ...base, environment: "env_none" })).status).toBe(404);
    expect((await invoke("compare_providers", { ...base, pins: [pins[0].id, "pin_x"] })).status).toBe(400);
    expect((await invoke("compare_providers", { ...base, pins: [pins[0].id, pins[2].id] })).status).toBe(409);
    expect((await invoke("compare_providers", { ...base, pins: [pins[0].id, pins[0].id] })).status).toBe(409);

    provider.say(...Array.from({ length: 4 }, () => ({ text: "I do not know.", tokens: [1000, 10] as const })));
    // A pin that is named twice plays once.
    const named = [pins[0].id, pins[1].id, pins[0].id];
    const started = await invoke("compare_providers", { ...base, pins: named });
    expect(started.body.groups).toHaveLength(2);
    expect(started.status).toBe(202);
    for (const { group } of started.body.groups) expect(await endOf(invoke, group)).toBe("landed");
    const told = await invoke("provider_comparison", { pcid: started.body.comparison });
    expect(told.body).toMatchObject({ base: pins[0].id, label: "shop", tier: "deterministic" });
    const [small, large] = told.body.pins;
    expect(small).toMatchObject({ status: "landed", valid: 2, ends: { met: small.met, infra: 0 } });
    expect(small.cost_usd).toBeCloseTo((2 * (1000 + 100)) / 1e6, 9);
    expect(large.cost_usd).toBeCloseTo((2 * (2000 + 200)) / 1e6, 9);
    expect(small.ms_p95).toBeGreaterThanOrEqual(small.ms_p50);
    expect(told.body.tasks).toHaveLength(2);
    expect(told.body.tasks[0].cells.map(({ pin }: { pin: string }) => pin)).toEqual([pins[0].id, pins[1].id]);
    expect(told.verdict).toContain("openai-compatible 1");
    const other = await invoke("provider_comparison", { pcid: started.body.comparison, base: pins[1].id });
    expect(other.verdict?.startsWith("anthropic 1")).toBe(true);
    expect((await invoke("comparisons_list")).body.comparisons).toMatchObject([
      { id: started.body.comparison, pins: ["openai-compatible 1", "anthropic 1"], tasks: 2, status: "landed" },
    ]);
    const elsewhere = await invoke("provider_comparison", { pcid: started.body.comparison, base: pins[2].id });
    expect(elsewhere.body.base).toBe(pins[0].id);
    expect((await invoke("provider_comparison", { pcid: "pc_none" })).status).toBe(404);
  });

  // Finding C12.
  it("are told against the base: difference, p and words turn round with it", async () => {
    const org = await app.org("org-limited");
    const { environment } = await shopIn(app.service, org.id, 8);
    const invoke = onBoth(app, org);
    const groups: Record<string, string> = {};
    for (const harness of ["reference", "null"])
      groups[harness] = (await runToEnd(invoke, { harness, environment })).group;
    const id = app.service.id(ProviderComparison.prefix);
    const pins = [
      { pin: "pin_good", label: "good", model: "m/good", group: groups.reference ?? "" },
      { pin: "pin_bad", label: "bad", model: "m/bad", group: groups.null ?? "" },
    ];
    const doc = { id, created_at: app.service.now(), by: "test", environment, label: "shop", tasks: 8, trials: 1 };
    await app.service.store.forOrg(org.id).records.insert(ProviderComparison, { ...doc, pins });
    const against = async (base?: string) => {
      const told = await invoke("provider_comparison", { pcid: id, ...(base === undefined ? {} : { base }) });
      const rows = told.body.pins.map((row: { against_base?: unknown }) => row.against_base);
      return { rows, verdict: told.verdict };
    };
    const good = await against("pin_good");
    expect(good.rows[0]).toBeUndefined();
    expect(good.rows[1]).toMatchObject({ difference: -1, p: 2 / 2 ** 8, words: "shown", worse: "pin", tasks: 8 });
    expect(good.rows[1].verdict).toContain(" is worse: it met 0 of ");
    const bad = await against("pin_bad");
    expect(bad.rows[1]).toBeUndefined();
    expect(bad.rows[0]).toMatchObject({ difference: 1, words: "shown", worse: "base", tasks: 8 });
    // Absent and unknown mean the first.
    for (const base of [undefined, "pin_none"]) expect((await against(base)).rows).toEqual(good.rows);
    expect(good.verdict).toContain("against the base: 100.0 points less met, shown, confidence 99");
  });

  it("are pinned by start_run, which plays the react harness with the model", async () => {
    const org = await app.org("org-other");
    const { environment } = await shopIn(app.service, org.id, 1);
    const invoke = onBoth(app, org);
    const { pins } = (await invoke("providers_get", {}, org.read)).body;
    const played = async (args: Record<string, unknown>) => {
      provider.say({ text: "I do not know.", tokens: [1000, 10] });
      const { started, status } = await runToEnd(invoke, { environment, ...args });
      expect(status).toBe("landed");
      return started.body.player;
    };
    expect(await played({ provider: pins[1].id })).toMatchObject({ harness: "react", version: "anthropic/large" });
    expect(await played({ provider: "anthropic", trials: 1, force: true })).toMatchObject({
      version: "anthropic/large",
    });
    expect(await played({ provider: "openai-compatible", model: "openai-compatible/small" })).toMatchObject({
      version: "openai-compatible/small",
    });
    expect(await refusedStart(invoke, { environment, provider: "nobody" })).toMatchObject({
      status: 400,
      path: "provider",
    });
    expect(
      await refusedStart(invoke, { environment, provider: "anthropic", model: "openai-compatible/small" }),
    ).toMatchObject({
      status: 400,
      path: "model",
    });
    expect(await refusedStart(invoke, { environment, provider: "anthropic", harness: "null" })).toMatchObject({
      status: 400,
    });
    expect(await refusedStart(invoke, { environment, provider: "anthropic", agent: "bot" })).toMatchObject({
      status: 400,
    });
    expect(await refusedStart(invoke, { environment, provider: pins[2].id })).toMatchObject({ status: 409 });
  });
});

it("without two models there is nothing to compare", async () => {
  const plain = await startApp();
  try {
    const org = await plain.org();
    const shop = await shopIn(plain.service, org.id, 2);
    const invoke = invoker(plain, "rest", org);
    expect((await invoke("providers_get")).body.pins).toEqual([]);
    expect((await invoke("compare_providers", { environment: shop.environment })).status).toBe(409);
    expect((await invoke("comparisons_list")).body.comparisons).toEqual([]);
  } finally {
    await plain.close();
  }
});
