import { beforeEach, describe, expect, it } from "vitest";
import type { Answer } from "../../../helpers/app.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, ok, sharedApp } from "../kit.ts";

interface Item {
  readonly item: string;
  readonly table: string;
  readonly row: Record<string, unknown>;
}

const shared = sharedApp();

describe("realism and audits", () => {
  const { org, invoke } = shared.over();
  let env_id: string;
  let label: string;
  let n = 0;
  beforeEach(async () => {
    label = `realism ${++n}`;
    await shopIn(shared.app.service, org.id, 2, label);
    const { body } = await ok(invoke("generate_environments", { surface: label, tasks: 2, augment: true }));
    env_id = (await ended(invoke, body.job)).result.environments[0].id;
  });
  const on = (tool: string, args: Record<string, unknown> = {}, as?: string): Promise<Answer> =>
    invoke(tool, { env_id, ...args }, as);
  const packet = async (extra: Record<string, unknown> = {}): Promise<Item[]> =>
    (await ok(invoke("realism_packet", { environment: env_id, ...extra }, org.read))).body.items;
  /** Where each row of a packet really comes from. */
  const truth = async (items: readonly Item[]): Promise<("observed" | "drawn")[]> => {
    const origins = new Map<string, "observed" | "drawn">();
    for (const table of new Set(items.map((item) => item.table))) {
      const { rows } = (await ok(on("environment_world_table", { table, limit: 500 }))).body;
      for (const { row, origin } of rows) origins.set(`${table} ${JSON.stringify(row)}`, origin);
    }
    return items.map(({ table, row }) => origins.get(`${table} ${JSON.stringify(row)}`)!);
  };

  it("realism_packet is half drawn and half observed, tells neither, and is the same for the same seed", async () => {
    const items = await packet({ size: 12 });
    const origins = await truth(items);
    expect(origins.filter((origin) => origin === "drawn")).toHaveLength(6);
    expect(origins.filter((origin) => origin === "observed")).toHaveLength(6);
    expect(items.map((item) => Object.keys(item).sort())).toEqual(items.map(() => ["item", "row", "table"]));
    expect(await packet({ size: 12 })).toEqual(items);
    expect(await packet({ size: 12, seed: "2" })).not.toEqual(items);
    expect((await invoke("realism_packet", { environment: "env_none" })).status).toBe(404);
    const plain = await shopIn(shared.app.service, org.id, 2, `${label} plain`);
    expect((await invoke("realism_packet", { environment: plain.environment })).status).toBe(409);
  });

  it("environment_realism_post counts right answers with their interval; a later word replaces the earlier", async () => {
    const items = await packet({ size: 40 });
    const origins = await truth(items);
    const right = items.map(({ item }, i) => ({ item, said: origins[i] }));
    const blind = items.map(({ item }) => ({ item, said: "observed" }));
    expect((await on("environment_realism_get")).body.realism).toMatchObject({ raters: 0, verdict: "too_few" });
    expect((await on("environment_realism_post", { ratings: right }, org.read)).status).toBe(403);
    const first = (await ok(on("environment_realism_post", { ratings: right, by: "ann" }, org.push))).body;
    expect(first).toMatchObject({ recorded: items.length, replaced: 0, by: "ann" });
    expect(first.realism).toMatchObject({
      raters: 1,
      told: { n: items.length, of: items.length },
      observed_taken_for_drawn: { n: 0 },
      verdict: "told_apart",
      tier: "human",
    });
    expect(first.realism.told.low).toBeGreaterThan(0.8);
    const second = (await ok(on("environment_realism_post", { ratings: blind, by: "ann" }))).body;
    expect(second).toMatchObject({ replaced: items.length, realism: { verdict: "not_told_apart" } });
    const half = origins.filter((origin) => origin === "observed").length;
    expect(second.realism.told).toMatchObject({ n: half, of: items.length });
    await ok(on("environment_realism_post", { ratings: right, by: "bob" }));
    const both = (await ok(on("environment_realism_get", {}, org.read))).body;
    expect(both.realism).toMatchObject({ raters: 2, told: { n: half + items.length, of: 2 * items.length } });
  });

  it("realism_post takes all ratings or none; realism_get rolls them up over environments; a re-draw starts anew", async () => {
    const items = await packet({ size: 4 });
    const ratings = items.map(({ item }) => ({ item, said: "drawn" }));
    const unknown = { item: `${env_id}.0000`, said: "drawn" };
    const refused = await invoke("realism_post", { ratings: [...ratings, unknown] });
    expect(refused).toMatchObject({ status: 404, body: { details: { names: [`"${env_id}.0000"`] } } });
    expect((await ok(on("environment_realism_get"))).body.realism.told.of).toBe(0);
    const before = (await ok(invoke("realism_get", {}, org.read))).body.realism.told.of;
    await ok(invoke("realism_post", { ratings, by: "ann" }, org.push));
    const { body } = await ok(invoke("realism_get", {}, org.read));
    expect(body.realism.told.of).toBe(before + items.length);
    expect(body.environments.find((row: { environment: string }) => row.environment === env_id).realism).toMatchObject({
      drawn_taken_for_drawn: { n: 2, of: 2 },
      observed_taken_for_drawn: { n: 2, of: 2 },
    });
    await ok(invoke("surface_world_redraw", { surface: label, seed: "again" }));
    expect((await ok(on("environment_realism_get"))).body).toMatchObject({
      realism: { told: { of: 0 } },
      earlier_draws: items.length,
    });
    expect((await invoke("realism_post", { ratings })).status).toBe(404);
  });

  it("environment_audit_post stores a report that environment_audit_get answers with the rows people took for made up", async () => {
    expect(await on("environment_audit_get")).toMatchObject({
      status: 404,
      body: { reason: expect.stringContaining("environment_audit_post") },
    });
    expect((await on("environment_audit_post", {}, org.read)).status).toBe(403);
    expect((await on("environment_audit_post", { model: "m" })).status).toBe(422);
    const started = await ok(on("environment_audit_post", { by: "ann" }, org.push));
    expect(started).toMatchObject({ status: 202, body: { stages: ["audit"], tier: "deterministic" } });
    expect(started.body.rubric.map((row: { rule: string }) => row.rule)).toContain("join");
    const { result } = await ended(invoke, started.body.job);
    const items = await packet({ size: 2 });
    await ok(
      on("environment_realism_post", { ratings: [{ item: items[0]!.item, said: "drawn", note: "Odd" }], by: "bob" }),
    );
    const { body } = await ok(on("environment_audit_get", {}, org.read));
    const [origin] = await truth(items);
    expect(body).toMatchObject({
      by: "ann",
      rows: result.rows,
      lapsed: false,
      human_flags: [{ origin, raters: 1, notes: ["Odd"] }],
    });
    expect(body.drawn).toBeGreaterThan(0);
    expect(body.contradictions).toHaveLength(body.counts.contradictions);
    expect(Object.values(body.rules as Record<string, number>).reduce((a, b) => a + b)).toBeGreaterThan(0);
    await ok(invoke("surface_world_redraw", { surface: label, seed: "again" }));
    expect((await ok(on("environment_audit_get"))).body).toMatchObject({ lapsed: true, human_flags: [] });
  });
});
