import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countFigures, msAt } from "../../../chapters/evidence/figures/figures.ts";
import { homePage } from "../../../chapters/findings/pages/home.ts";
import { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { type CanonicalTrace, Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { WeekFigures } from "../../../chapters/records/evidence/figure.ts";
import { FakeClock, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";

/** A Monday, 2026-W48. */
const MONDAY = Date.UTC(2026, 10, 23) / 1000;
const WEEK = 604_800;
let clock: FakeClock;
let app: TestApp;
let org: TestOrg;
beforeEach(async () => {
  clock = new FakeClock(MONDAY + 3600);
  app = await startApp({ clock });
  org = await app.org();
});
afterEach(() => app.close());

const ctx = () => ctxOf(app.service, org);
const status = async () => {
  const answer = await invoker(app, "rest", org)("org_status", { format: "json" });
  return JSON.parse(answer.file ?? "");
};
const markdown = async () => (await invoker(app, "rest", org)("org_status", {})).file ?? "";

interface Made {
  readonly at?: number;
  readonly tools?: readonly (readonly [tool: string, ms?: number, failed?: boolean])[];
  readonly more?: Partial<CanonicalTrace>;
}

/** A record of traces as converters would leave it. */
async function landed(made: readonly Made[], facts: object = {}): Promise<string> {
  const { store, id } = ctx();
  const evidence = id(Evidence.prefix);
  const traces = made.map(
    ({ at, tools = [], more = {} }, n): CanonicalTrace => ({
      v: 1,
      session: `s${n}`,
      request: "go",
      turns: [],
      calls: tools.map(([tool, ms, failed = false]) => ({
        tool,
        args: {},
        result: null,
        answer_class: failed ? "error:internal" : "data",
        is_error: failed,
        ...(ms === undefined ? {} : { ms }),
      })),
      final_answer: "done",
      final_answer_class: "answered",
      labels: {},
      ...(at === undefined ? {} : { started_at: at }),
      ...more,
    }),
  );
  await store.traces.append(traces.map((trace, position) => ({ id: id("tr"), evidence, position, trace })));
  await store.records.insert(Evidence, {
    id: evidence,
    created_at: clock.now(),
    by: "test",
    kind: "traces",
    format: "otlp",
    provenance: "production",
    provenance_detected: false,
    data_access: "full",
    digest: evidence,
    surface: "main",
    stats: { traces: made.length, calls: 0, tools: 0, bytes: 0, refused: 0, losses: {}, stripped_credentials: 0 },
    refused: [],
    detected: "",
    method: "test",
    tier: "deterministic",
    ...facts,
  });
  return evidence;
}

describe("figures of production traces", () => {
  it("are told by week, tool, model and version, each over the traces that carry it", async () => {
    expect(await status()).not.toHaveProperty("figures");
    await landed([
      {
        at: MONDAY + 60,
        tools: [
          ["get_order", 100],
          ["get_order", 100, true],
        ],
        more: {
          ended_at: MONDAY + 63,
          cost_usd: 0.02,
          usage: { input_tokens: 1000, output_tokens: 50 },
          labels: { model: "large", version: "v2" },
        },
      },
      { at: MONDAY + 120, tools: [["find_user"]], more: { labels: { model: "small", version: "v2" } } },
      { at: MONDAY - WEEK, tools: [["get_order", 1600]], more: { cost_usd: 0.5 } },
    ]);
    const { figures } = await status();
    expect(figures).toMatchObject({ whole: true, tier: "deterministic" });
    const [now, before] = figures.weeks;
    expect(now).toMatchObject({
      name: "2026-W48",
      traces: 2,
      calls: 3,
      error_rate: { failed: 1, share: 1 / 3 },
      usd: { sum: 0.02, of: 1 },
      tokens: { input: 1000, output: 50, of: 1 },
    });
    expect(now.error_rate.low).toBeCloseTo(0.0615, 3);
    expect(now.error_rate.high).toBeCloseTo(0.7923, 3);
    expect(before).toMatchObject({ name: "2026-W47", traces: 1, usd: { sum: 0.5, of: 1 } });
    expect(before).not.toHaveProperty("tokens");
    const [orders, users] = figures.by_tool;
    expect(orders).toMatchObject({ name: "get_order", traces: 2, calls: 3, error_rate: { failed: 1 }, ms: { of: 3 } });
    expect(Math.abs(orders.ms.p50 - 100)).toBeLessThan(10);
    expect(Math.abs(orders.ms.p95 - 1600)).toBeLessThan(160);
    expect(Object.keys(users).sort()).toEqual(["calls", "error_rate", "name", "traces"]);
    // A trace took from its start to its end, what it waited for models included; its calls took 0.2 s of that.
    expect(Math.abs(figures.by_model[0].ms.p50 - 3000)).toBeLessThan(300);
    expect(figures.by_model.map(({ name }: { name: string }) => name)).toEqual(["large", "small"]);
    expect(figures.by_version).toMatchObject([{ name: "v2", traces: 2, calls: 3 }]);
    const file = await markdown();
    expect(file).toContain("## Production traces");
    expect(file).toContain("| 2026-W47 | 1 | 1 | 0 % (0 % to 79.3 %) |");
    const page = PageDoc.parse((await homePage(ctx())).doc);
    const tables = page.sections.flatMap((one) => (one.show === "table" ? [one.heading] : []));
    expect(tables).toEqual(
      expect.arrayContaining(["week", "tool", "model", "version"].map((by) => `Production traces by ${by}`)),
    );
    const byTool = page.sections.find((one) => one.show === "table" && one.heading === "Production traces by tool");
    const [tool] = (byTool?.show === "table" && byTool.rows[0]) || [];
    expect(tool).toEqual({ text: expect.any(String), link: { page: "traces", id: (tool as { text: string }).text } });
  });

  it("leave out what is known to be from elsewhere, and another org's", async () => {
    for (const provenance of ["synthetic", "staging", "public", "operator"])
      await landed([{ at: MONDAY }], { provenance });
    expect(await status()).not.toHaveProperty("figures");
    await landed([{ at: MONDAY }], { provenance: "unknown" });
    expect((await status()).figures.weeks).toMatchObject([{ traces: 1, calls: 0 }]);
    expect((await status()).figures.weeks[0]).not.toHaveProperty("error_rate");
    const other = await app.org("other");
    const theirs = await invoker(app, "rest", other)("org_status", { orgtag: "other", format: "json" }, other.read);
    expect(JSON.parse(theirs.file ?? "")).not.toHaveProperty("figures");
  });

  it("count each trace once, however often and by however many they are asked for", async () => {
    await landed(Array.from({ length: 250 }, () => ({ at: MONDAY, tools: [["a"]] as const })));
    await Promise.all([countFigures(ctx()), countFigures(ctx()), countFigures(ctx())]);
    while (!(await countFigures(ctx())));
    expect((await status()).figures.weeks).toMatchObject([{ traces: 250, calls: 250 }]);
    clock.advance(2 * 86_400);
    await landed([{ at: MONDAY + 5 }]);
    expect((await status()).figures.weeks).toMatchObject([{ traces: 251 }]);
    clock.advance(10 * 86_400);
    await landed([{ at: MONDAY + 6 }, { tools: [["b"]] }]);
    const { figures } = await status();
    expect(figures.weeks).toMatchObject([
      { name: "2026-W48", traces: 252 },
      { name: "undated", traces: 1 },
    ]);
  });

  it("say when not every trace is counted yet", async () => {
    await landed(Array.from({ length: 250 }, () => ({ at: MONDAY })));
    expect(await countFigures(ctx(), 0)).toBe(false);
    expect(await countFigures(ctx())).toBe(true);
    expect((await status()).figures).toMatchObject({ whole: true, weeks: [{ traces: 250 }] });
  });

  it("tell so many names apart and put the others together, whatever they are called", async () => {
    const names = ["constructor", "__proto__", "toString", ...Array.from({ length: 300 }, (_, n) => `tool_${n}`)];
    await landed(names.map((tool) => ({ at: MONDAY, tools: [[tool]] as const })));
    // One answer counts for so many milliseconds alone.
    expect(await countFigures(ctx())).toBe(true);
    expect((await status()).figures.weeks).toMatchObject([{ traces: 303, calls: 303 }]);
    const [week] = (await ctx().store.records.list(WeekFigures)).items;
    expect(Object.keys(week?.tool ?? {}).length).toBeLessThanOrEqual(201);
    expect(week?.tool["(others)"]?.calls).toBeGreaterThanOrEqual(100);
    expect(Object.hasOwn(week?.tool ?? {}, "constructor")).toBe(true);
  });
});

it("a share of times is within 10 % of it", () => {
  const cell = { ms: {} as Record<string, number> };
  for (let ms = 1; ms <= 1000; ms++) {
    const step = String(Math.floor(4 * Math.log2(ms)));
    cell.ms[step] = (cell.ms[step] ?? 0) + 1;
  }
  expect(msAt(cell, 0.5)).toBeGreaterThan(450);
  expect(msAt(cell, 0.5)).toBeLessThan(550);
  expect(msAt({ ms: {} }, 0.5)).toBeUndefined();
});
