import { describe, expect, it } from "vitest";
import type { AttributeRow, AttributeSelection, OrgStore } from "../../../chapters/ports/store.ts";
import { trace } from "./bodies.ts";
import { newId } from "./notes.ts";
import { type Bench, everyPage } from "./setup.ts";

function row(position: number, field: string, value: string, some: Partial<AttributeRow> = {}): AttributeRow {
  return { position, field, value, cite: null, tier: "deterministic", reader: "rule", ...some };
}

/** An evidence record of `n` traces. */
async function traced({ traces }: OrgStore, n: number): Promise<string> {
  const evidence = newId("ev");
  await traces.append(
    Array.from({ length: n }, (_, position) => ({ id: newId("tr"), evidence, position, trace: trace(`t${position}`) })),
  );
  return evidence;
}

/** What is promised of traces' attributes. */
export function attributesContract({ orgStore }: Bench): void {
  describe("attributes", () => {
    it("keeps one value of a field a trace, and lists them by position and field", async () => {
      const store = await orgStore();
      const [evidence, other] = [await traced(store, 30), await traced(store, 2)];
      const { attributes } = store;
      const rows = Array.from({ length: 30 }, (_, i) => [
        row(i, "b", `v${i % 3}`),
        row(i, "a", "x\0y", { cite: "turns.0" }),
      ]);
      expect(await attributes.put(evidence, rows.flat().reverse())).toBe(60);
      expect(await attributes.put(other, [row(1, "b", "else")])).toBe(1);
      const listed = await everyPage((page) => attributes.list(evidence, page), 7);
      expect(listed.map((one) => [one.position, one.field])).toEqual(
        Array.from({ length: 30 }, (_, i) => [
          [i, "a"],
          [i, "b"],
        ]).flat(),
      );
      const some = await everyPage((page) => attributes.list(evidence, { ...page, from: 3, before: 6 }), 2);
      expect(some).toEqual(listed.slice(6, 12));
      expect(listed[0]).toEqual(row(0, "a", "x\uFFFDy", { cite: "turns.0" }));
      expect(await attributes.put(evidence, [row(0, "a", "first"), row(0, "a", "last")])).toBe(1);
      expect((await attributes.list(evidence, { limit: 1 })).items).toEqual([row(0, "a", "last")]);
      expect(await attributes.fields(evidence)).toEqual(["a", "b"]);
      expect(await attributes.fields("ev_none")).toEqual([]);
      expect((await attributes.list(other)).items).toHaveLength(1);
      await attributes.put(evidence, []);
    });

    it("refuses values of a trace that is not there, and writes none of them", async () => {
      const store = await orgStore();
      const evidence = await traced(store, 2);
      const rows = [row(0, "a", "x"), row(2, "a", "x")];
      await expect(store.attributes.put(evidence, rows)).rejects.toMatchObject({ code: "not_found" });
      expect((await store.attributes.list(evidence)).items).toEqual([]);
    });

    it("writes over the values of some readers alone, and drops those of some", async () => {
      const store = await orgStore();
      const evidence = await traced(store, 600);
      const { attributes } = store;
      await attributes.put(evidence, [row(0, "a", "said", { reader: "ann" })]);
      const read = Array.from({ length: 600 }, (_, i) => row(i, "a", "read", { reader: "pass:one" }));
      expect(await attributes.put(evidence, read, "pass:")).toBe(599);
      const values = async () => (await attributes.list(evidence, { limit: 2 })).items.map(({ value }) => value);
      expect(await values()).toEqual(["said", "read"]);
      const anew = [0, 1].map((i) => row(i, "a", "anew", { reader: "pass:two" }));
      expect(await attributes.put(evidence, anew, "pass:")).toBe(1);
      expect(await values()).toEqual(["said", "anew"]);
      expect(await attributes.put(evidence, [row(0, "a", "over")])).toBe(1);
      await attributes.put(evidence, [row(0, "a", "said", { reader: "ann" })]);
      const all = read.map(({ position }) => position);
      expect(await attributes.drop(evidence, all, "pass:")).toBe(599);
      expect(await values()).toEqual(["said"]);
      expect(await attributes.drop(evidence, [])).toBe(0);
      expect(await attributes.drop(evidence, [0])).toBe(1);
    });

    it("narrows by any of a field's values on every field, and counts what is left by value and tier", async () => {
      const store = await orgStore();
      const evidence = await traced(store, 60);
      const { attributes } = store;
      const rows = Array.from({ length: 60 }, (_, i) => [
        row(i, "two", i % 2 ? "odd" : "even"),
        row(i, "three", `r${i % 3}`, i < 30 ? {} : { tier: "llm-derived" }),
        ...(i < 10 ? [row(i, "few", "yes")] : []),
      ]).flat();
      await attributes.put(evidence, rows);
      await attributes.put(await traced(store, 5), [row(0, "two", "odd")]);
      const n = async (selection: AttributeSelection) => (await attributes.positions(evidence, selection)).length;
      expect(await n({ two: ["odd"] })).toBe(30);
      expect(await n({ two: ["odd", "even", "none"] })).toBe(60);
      expect(await n({ two: ["odd"], three: ["r0", "r1"] })).toBe(20);
      expect(await n({ two: ["odd"], three: ["r0"], few: ["yes"] })).toBe(2);
      expect(await n({ two: ["odd"], three: [] })).toBe(0);
      expect(await n({ nothing: ["odd"] })).toBe(0);
      expect(await attributes.positions(evidence, { two: ["odd"], few: ["yes"] })).toEqual([1, 3, 5, 7, 9]);
      expect(await attributes.values(evidence, "two")).toEqual([
        { value: "even", tier: "deterministic", n: 30 },
        { value: "odd", tier: "deterministic", n: 30 },
      ]);
      expect((await attributes.values(evidence, "three")).map(({ value, tier, n }) => [value, tier, n])).toEqual([
        ["r0", "deterministic", 10],
        ["r0", "llm-derived", 10],
        ["r1", "deterministic", 10],
        ["r1", "llm-derived", 10],
        ["r2", "deterministic", 10],
        ["r2", "llm-derived", 10],
      ]);
      expect(await attributes.valuePositions(evidence, "few")).toEqual([
        { value: "yes", tier: "deterministic", positions: expect.arrayContaining([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) },
      ]);
      const three = await attributes.valuePositions(evidence, "three");
      expect(three.map(({ value, tier, positions }) => [value, tier, positions.length])).toEqual(
        (await attributes.values(evidence, "three")).map(({ value, tier, n }) => [value, tier, n]),
      );
      expect(three.find(({ value, tier }) => value === "r1" && tier === "llm-derived")?.positions).toContain(31);
      expect(await attributes.valuePositions(evidence, "nothing")).toEqual([]);
    });

    it("lets them go with their trace, and stays with one that is written over", async () => {
      const store = await orgStore();
      const evidence = await traced(store, 4);
      const { attributes, traces } = store;
      await attributes.put(
        evidence,
        [0, 1, 2, 3].map((i) => row(i, "a", "x")),
      );
      const heads = (await traces.heads(evidence)).items;
      await traces.append([{ id: heads[1]?.id ?? "", evidence, position: 1, trace: trace("anew") }]);
      const positions = async () => (await attributes.list(evidence)).items.map(({ position }) => position);
      expect(await positions()).toEqual([0, 1, 2, 3]);
      await traces.delete(heads[2]?.id ?? "");
      expect(await positions()).toEqual([0, 1, 3]);
      await traces.deleteEvidence(evidence);
      expect(await positions()).toEqual([]);
    });
  });

  describe("traces by their places", () => {
    it("gives those that are there, in order, however many are asked for", async () => {
      const store = await orgStore();
      const evidence = await traced(store, 200);
      const asked = Array.from({ length: 150 }, (_, i) => 299 - i * 2);
      const found = await store.traces.at(evidence, [...asked, 1, 1]);
      expect(found.map(({ position }) => position)).toEqual(asked.filter((n) => n < 200).sort((a, b) => a - b));
      expect(found[0]?.trace.request).toBe("t1");
      expect(await store.traces.at(evidence, [])).toEqual([]);
      const heads = await everyPage((page) => store.traces.heads(evidence, { ...page, from: 150 }), 20);
      expect(heads.map(({ position }) => position)).toEqual(Array.from({ length: 50 }, (_, i) => 150 + i));
    });
  });
}
