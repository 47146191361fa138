import { describe, expect, it } from "vitest";
import { Environment } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { pairwise } from "../../../../chapters/sandboxes/tasks/pairwise.ts";
import { shopIn } from "../../runs/kit.ts";
import { buildDesk, ok, sharedApp } from "../kit.ts";

describe("a pairwise array", () => {
  const pairsOf = (vectors: readonly string[][]) =>
    new Set(vectors.flatMap((v) => v.flatMap((a, i) => v.slice(i + 1).map((b, j) => `${i}=${a} ${i + j + 1}=${b}`))));

  it("has every two values of two axes together, in near as few vectors as the two largest axes need", () => {
    const levels = [4, 3, 5, 2, 2].map((n, axis) => Array.from({ length: n }, (_, i) => `${axis}.${i}`));
    const vectors = pairwise(levels);
    const seen = pairsOf(vectors);
    for (const [i, as] of levels.entries())
      for (const [j, bs] of levels.entries())
        if (i < j) for (const a of as) for (const b of bs) expect(seen).toContain(`${i}=${a} ${j}=${b}`);
    expect(vectors.length).toBeGreaterThanOrEqual(20);
    expect(vectors.length).toBeLessThanOrEqual(26);
    expect(pairwise(levels)).toEqual(vectors);
  });

  it("is empty where there is no pair", () => {
    expect(pairwise([])).toEqual([]);
    expect(pairwise([["a", "b"]])).toEqual([]);
    expect(pairwise([["a"], []])).toEqual([]);
  });
});

const shared = sharedApp();

describe("axes", () => {
  const { org, invoke, store } = shared.over();

  it("bundle_axes admits parameters that evidence varies, and says why others are none", async () => {
    expect((await invoke("bundle_axes", { bundle_id: "bd_none" })).body.reason).toBe(
      "No such bundle. See bundles_list.",
    );
    const made = await shopIn(shared.app.service, org.id, 1);
    const { bundle } = (await store().records.get(Environment, made.environment))!;
    const waiting = (await ok(invoke("bundle_axes", { bundle_id: bundle }, org.read))).body;
    expect(waiting).toMatchObject({ available: false, awaiting_customer_data: true, axes: [], sample_vectors: [] });
    const desk = await buildDesk(invoke, "desk", 1);
    const { body } = await ok(invoke("bundle_axes", { bundle_id: desk.bundle }, org.read));
    expect(body).toMatchObject({ available: true, awaiting_customer_data: false, tier: "deterministic" });
    expect(body.axes.length).toBeGreaterThan(1);
    for (const axis of body.axes) {
      expect(axis.n).toBeGreaterThanOrEqual(20);
      expect(axis.distinct).toBeGreaterThanOrEqual(2);
      expect(axis.distinct).toBeLessThanOrEqual(50);
      expect(axis.values).toHaveLength(axis.distinct);
    }
    expect(new Set(body.rejected.map((row: { reason: string }) => row.reason))).toContain("too_few_observations");
    const [first, second] = body.sample_axes as string[];
    const values = (name: string) =>
      body.axes
        .find((axis: { axis: string }) => axis.axis === name)
        .values.slice(0, 10)
        .map((row: { value: string }) => row.value);
    const met = new Set(
      body.sample_vectors.map((vector: Record<string, string>) => `${vector[first!]} ${vector[second!]}`),
    );
    for (const a of values(first!)) for (const b of values(second!)) expect(met).toContain(`${a} ${b}`);
  });
});
