import { describe, expect, it } from "vitest";
import { searchEntry } from "../../../chapters/evidence/traces/trace-words.ts";
import type { OrgStore, SearchQuery } from "../../../chapters/ports/store.ts";
import { trace } from "./bodies.ts";
import { newId } from "./notes.ts";
import { type Bench, everyPage } from "./setup.ts";

const word = (...words: string[]): SearchQuery => ({
  words: words.map((each) => ({ word: each.replace("*", ""), prefix: each.endsWith("*") })),
});

/** What is promised of search over traces. */
export function searchContract({ orgStore }: Bench): void {
  const stored = async (store: OrgStore, texts: readonly string[]) => {
    const evidence = newId("ev");
    const rows = texts.map((text, position) => ({
      id: newId("tr"),
      evidence,
      position,
      trace: trace(text, { started_at: 100 + position, cost_usd: position / 10 }),
    }));
    await store.traces.append(rows);
    await store.search.add(
      evidence,
      rows.map((row) => searchEntry(row.position, row.trace)),
    );
    return { evidence, rows };
  };
  const places = async (store: OrgStore, evidence: string, query: SearchQuery) =>
    (await everyPage((page) => store.search.find(evidence, query, page), 2)).map(({ position }) => position);

  describe("search", () => {
    it("finds the traces of one record by words, beginnings of words and numbers", async () => {
      const store = await orgStore();
      const texts = ["Refund order 17", "refunds: none", "cancel order 17", "Ärger, 返金 order", "refund order 18"];
      const { evidence, rows } = await stored(store, texts);
      const other = await stored(store, ["refund order 17"]);
      expect(await places(store, evidence, word("refund"))).toEqual([0, 4]);
      expect(await places(store, evidence, word("refund*"))).toEqual([0, 1, 4]);
      expect(await places(store, evidence, word("order", "17"))).toEqual([0, 2]);
      expect(await places(store, evidence, word("arger", "返", "金"))).toEqual([3]);
      expect(await places(store, evidence, word("nowhere"))).toEqual([]);
      expect(await places(store, evidence, { ...word("order"), started: { min: 102, max: 103 } })).toEqual([2, 3]);
      expect(await places(store, evidence, { words: [], cost: { min: 0.3 } })).toEqual([3, 4]);
      expect(await places(store, evidence, { words: [], ms: { max: 1 } })).toEqual([]);
      expect(await store.search.count(evidence, word("order"), 3)).toBe(3);
      expect(await store.search.count(evidence, word("order"), 10)).toBe(4);
      expect(await (await orgStore()).search.count(evidence, word("order"), 10)).toBe(0);
      expect((await store.search.find(evidence, word("refund"), { limit: 1 })).items).toEqual([
        {
          ...(await store.traces.heads(evidence)).items[0],
          ms: null,
          costUsd: 0,
        },
      ]);
      expect(await places(store, other.evidence, word("refund"))).toEqual([0]);
      await store.attributes.put(evidence, [
        { position: 4, field: "topic", value: "money", cite: null, tier: "human", reader: "Ann" },
      ]);
      expect(await places(store, evidence, { ...word("refund"), selection: { topic: ["money"] } })).toEqual([4]);
      expect(await places(store, evidence, { words: [], selection: { topic: ["none"] } })).toEqual([]);
      expect(rows).toHaveLength(5);
    });

    it("puts the traces of one record in order by a number, without those that do not say it", async () => {
      const store = await orgStore();
      const evidence = newId("ev");
      const costs = [0.2, 0.5, undefined, 0.1, 0.5, 0.3, 0];
      const rows = costs.map((cost, position) => {
        const own = cost === undefined ? {} : { cost_usd: cost };
        return { id: newId("tr"), evidence, position, trace: trace("order", { started_at: 100 - position, ...own }) };
      });
      await store.traces.append(rows);
      await store.search.add(
        evidence,
        rows.map((row) => searchEntry(row.position, row.trace)),
      );
      await stored(store, ["order", "order"]);
      const ranked = async (number: "started" | "ms" | "cost", first: "most" | "least", limit = 2) =>
        (await everyPage((page) => store.search.ranked(evidence, { number, first }, page), limit)).map(
          ({ position }) => position,
        );
      const most = await ranked("cost", "most");
      expect(most.map((position) => costs[position])).toEqual([0.5, 0.5, 0.3, 0.2, 0.1, 0]);
      expect(await ranked("cost", "most", 1)).toEqual(most);
      expect(await ranked("cost", "least")).toEqual(most.toReversed());
      expect(await ranked("started", "least")).toEqual([6, 5, 4, 3, 2, 1, 0]);
      expect(await ranked("ms", "most")).toEqual([]);
      const [first] = (await store.search.ranked(evidence, { number: "cost", first: "least" }, { limit: 1 })).items;
      expect(first).toEqual({ ...(await store.traces.heads(evidence)).items[6], ms: null, costUsd: 0 });
      const { next } = await store.search.ranked(evidence, { number: "cost", first: "least" }, { limit: 1 });
      await expect(
        store.search.ranked(evidence, { number: "cost", first: "most" }, { limit: 1, cursor: next }),
      ).rejects.toThrow(/cannot be used/);
      expect((await (await orgStore()).search.ranked(evidence, { number: "cost", first: "most" })).items).toEqual([]);
    });

    it("finds by words and a wide range what it finds by a narrow one", async () => {
      const store = await orgStore();
      const evidence = newId("ev");
      const many = 15_020;
      for (let from = 0; from < many; from += 501) {
        const rows = Array.from({ length: Math.min(501, many - from) }, (_, i) => {
          const position = from + i;
          const text = position % 2500 === 7 ? "odd one" : "one";
          return { id: newId("tr"), evidence, position, trace: trace(text, { started_at: position }) };
        });
        await store.traces.append(rows);
        await store.search.add(
          evidence,
          rows.map((row) => searchEntry(row.position, row.trace)),
        );
      }
      const odd = [7, 2507, 5007, 7507, 10_007, 12_507, 15_007];
      // The second range is wide too, and begins in the second chunk of 4,096.
      for (const min of [0, 5000, 6000]) {
        const within = odd.filter((position) => position >= min);
        expect(await places(store, evidence, { ...word("odd"), started: { min } })).toEqual(within);
        expect(await places(store, evidence, { ...word("odd", "one*"), started: { min } })).toEqual(within);
        expect(await store.search.count(evidence, { ...word("odd"), started: { min } }, 100)).toBe(within.length);
        const page = await store.search.find(evidence, { words: [], started: { min } }, { limit: 2 });
        expect(page.items.map(({ position }) => position)).toEqual([min, min + 1]);
        const { next: cursor } = page;
        const second = await store.search.find(evidence, { words: [], started: { min } }, { limit: 2, cursor });
        expect(second.items.map(({ position }) => position)).toEqual([min + 2, min + 3]);
        expect(await store.search.count(evidence, { words: [], started: { min } }, 20_000)).toBe(many - min);
      }
      // A trace that came again, and one without a time, are found by what they are now.
      const [first] = (await store.traces.heads(evidence, { limit: 1 })).items;
      const again = [
        { id: first?.id ?? "", evidence, position: 0, trace: trace("odd", { started_at: 99_999 }) },
        { id: newId("tr"), evidence, position: many, trace: trace("odd") },
      ];
      await store.traces.append(again);
      await store.search.add(
        evidence,
        again.map((row) => searchEntry(row.position, row.trace)),
      );
      const late = await store.search.find(evidence, { words: [], started: { min: 4000 } }, { limit: 2 });
      expect(late.items.map(({ position }) => position)).toEqual([0, 4000]);
      const withWord = await places(store, evidence, { ...word("odd"), started: { min: 4000 } });
      expect(withWord.sort((a, b) => a - b)).toEqual([0, ...odd.slice(2)]);
      expect(await places(store, evidence, { words: [], started: { min: 50_000 } })).toEqual([0]);
      await store.traces.deleteEvidence(evidence);
      expect(await store.search.count(evidence, { words: [], started: { min: 0 } }, 10)).toBe(0);
      await store.traces.append(again.slice(0, 1));
      await store.search.add(evidence, [searchEntry(0, again[0]!.trace)]);
      expect(await places(store, evidence, { words: [], started: { min: 0 } })).toEqual([0]);
    });

    it("finds by words among positions far apart, in their order, with all else that is asked", async () => {
      const store = await orgStore();
      const evidence = newId("ev");
      const far = [3, 65_535, 65_536, 262_144, 5_000_000, 40_000_000];
      const rows = far.map((position, i) => ({
        id: newId("tr"),
        evidence,
        position,
        trace: trace(i === 3 ? "none of it" : "far apart", { started_at: i, cost_usd: i }),
      }));
      await store.traces.append(rows);
      await store.search.add(
        evidence,
        rows.map((row) => searchEntry(row.position, row.trace)),
      );
      const attribute = { field: "topic", value: "money", cite: null, tier: "human" as const, reader: "Ann" };
      await store.attributes.put(
        evidence,
        [0, 1, 3, 5].map((i) => ({ position: far[i] ?? -1, ...attribute })),
      );
      const apart = [3, 65_535, 65_536, 5_000_000, 40_000_000];
      expect(await places(store, evidence, word("apart"))).toEqual(apart);
      expect(await places(store, evidence, word("far", "ap*"))).toEqual(apart);
      expect(await places(store, evidence, { ...word("apart"), cost: { min: 1, max: 4 } })).toEqual(apart.slice(1, 4));
      const money = { ...word("apart"), selection: { topic: ["money", "none"] } };
      expect(await places(store, evidence, money)).toEqual([3, 65_535, 40_000_000]);
      expect(await places(store, evidence, { ...money, cost: { min: 1, max: 5 } })).toEqual([65_535, 40_000_000]);
      const other = await stored(store, ["far apart", "far apart"]);
      expect(await places(store, evidence, { ...word("apart"), cost: { min: 1 } })).toEqual(apart.slice(1));
      expect(await store.search.count(evidence, { ...word("apart"), cost: { min: 0, max: 9 } }, 3)).toBe(3);
      expect(await places(store, other.evidence, { ...word("apart"), cost: { min: 0 } })).toEqual([0, 1]);
      expect(await store.search.count(evidence, money, 2)).toBe(2);
      expect(await store.search.count(evidence, word("apart"), 100)).toBe(5);
      expect(await store.search.count(newId("ev"), word("apart"), 100)).toBe(0);
    });

    it("finds a trace of more words than an engine takes as one text by its first ones", async () => {
      const store = await orgStore();
      const long = (n: number) => `${n}${"щ".repeat(60)}`;
      const text = Array.from({ length: 15_000 }, (_, n) => long(n)).join(" ");
      const { evidence } = await stored(store, [`begins ${text}`, "begins short"]);
      expect(await places(store, evidence, word("begins"))).toEqual([0, 1]);
      expect(await places(store, evidence, word(long(0)))).toEqual([0]);
    });

    it("forgets a trace that went or changed, and takes no entry of one that did", async () => {
      const store = await orgStore();
      const { evidence, rows } = await stored(store, ["first", "second", "third"]);
      const { search, traces } = store;
      expect([await search.indexed(evidence), await search.missing(evidence, 0, 10)]).toEqual([3, []]);
      await traces.delete(rows[0]?.id ?? "");
      const old = searchEntry(1, trace("second"));
      await traces.append([{ ...rows[1]!, trace: trace("changed") }, rows[2]!]);
      expect(await places(store, evidence, word("first"))).toEqual([]);
      expect(await places(store, evidence, word("second"))).toEqual([]);
      expect(await places(store, evidence, word("third"))).toEqual([2]);
      expect([await search.indexed(evidence), await search.missing(evidence, 0, 10)]).toEqual([1, [1]]);
      await search.add(evidence, [old, searchEntry(0, rows[0]!.trace)]);
      expect(await search.indexed(evidence)).toBe(1);
      await search.add(evidence, [searchEntry(1, (await traces.at(evidence, [1]))[0]!.trace)]);
      expect(await places(store, evidence, word("changed"))).toEqual([1]);
      expect(await traces.deleteEvidence(evidence)).toBe(2);
      expect(await search.indexed(evidence)).toBe(0);
    });
  });
}
