import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type StoredWorld, type WorldPersistence, WorldRegistry } from "../../worlds/registry.ts";
import type { JournalEntry, JournalPosition, JournalTail } from "../../worlds/state/journal.ts";
import { createWorld } from "../../worlds/world.ts";
import { shop, shopRows } from "./fixtures/shop.ts";

/** Journals as text, as any store would give them back. Fails when told to, before or after storing. */
class Journals implements WorldPersistence {
  readonly stored = new Map<string, string[]>();
  loads = 0;
  fail: "never" | "before" | "after" | "load too" = "never";
  ground = "shop";
  /** Delays, so that calls under way overlap. */
  slow = false;
  /** Whether the store begins a turn anew that it had told what was missed. */
  twice = false;

  async load(id: string): Promise<StoredWorld | undefined> {
    this.loads++;
    if (this.fail === "load too") throw new Error("the store is away");
    const entries = this.stored.get(id);
    if (entries === undefined) return undefined;
    if (this.slow) await new Promise((resolve) => setTimeout(resolve, 1));
    const parsed = entries.map((text) => JSON.parse(text));
    return {
      bundle: shop,
      base: shopRows,
      seed: id,
      entries: parsed,
      place: placeAfter(entries),
      baseKey: this.ground,
    };
  }

  async tail(id: string, after: JournalPosition): Promise<JournalTail | undefined> {
    if (this.fail === "load too") throw new Error("the store is away");
    const entries = this.stored.get(id) ?? [];
    const place = placeAfter(entries);
    if (place.chain === after.chain) return undefined;
    const from = placeAfter(entries.slice(0, after.seq)).chain === after.chain ? after.seq : 0;
    return { from, entries: entries.slice(from).map((text) => JSON.parse(text)), place };
  }

  async append(
    id: string,
    entries: readonly JournalEntry[],
    after: JournalPosition,
    again: (missed: JournalTail) => readonly JournalEntry[] | undefined,
  ) {
    if (this.slow) await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
    if (this.fail === "before" || this.fail === "load too") throw new Error("not stored");
    const missed = await this.tail(id, after);
    const anew = missed && again(missed);
    if (missed && !anew) return { missed };
    if (anew && this.twice) again(missed);
    const journal = this.stored.get(id) ?? [];
    for (const entry of anew ?? entries) {
      if (entry.seq !== journal.length + 1) throw new Error("the journal has a gap");
      journal.push(JSON.stringify(entry));
    }
    if (this.fail === "after") throw new Error("stored, but nobody heard");
    return { place: placeAfter(journal) };
  }

  async clear(id: string): Promise<void> {
    this.stored.set(id, []);
  }
}

function placeAfter(entries: readonly string[]): JournalPosition {
  return { seq: entries.length, chain: entries.join("\n") };
}

function registryOf(ids: readonly string[], options: { maxOpen?: number; idleSeconds?: number } = {}) {
  const journals = new Journals();
  for (const id of ids) journals.stored.set(id, []);
  const clock = { now: 1000 };
  const errors: string[] = [];
  const registry = new WorldRegistry({
    persistence: journals,
    now: () => clock.now,
    onerror: (id) => errors.push(id),
    ...options,
  });
  const open = async (id: string) => {
    const opened = await registry.open(id);
    if (!opened) throw new Error(`no world ${id}`);
    return opened;
  };
  return { journals, clock, errors, registry, open };
}

const CUSTOMER = Object.keys(shopRows.tables.customers ?? {})[0] as string;
const DELIVERED = Object.values(shopRows.tables.orders ?? {}).filter((order) => order.status === "delivered");
const refund = (i: number) => {
  const order = DELIVERED[i % DELIVERED.length] as { order_id: string; items: { product_id: string }[] };
  return { order_id: order.order_id, product_id: order.items[0]?.product_id as string };
};
const email = (n: number) => ({ customer_id: CUSTOMER, email: `${n}@x.org` });

describe("the registry", () => {
  it("opens what is stored, once, and nothing else", async () => {
    const { registry, journals } = registryOf(["w"]);
    const [a, b] = await Promise.all([registry.open("w"), registry.open("w")]);
    expect(a).toBe(b);
    expect(journals.loads).toBe(1);
    expect(await registry.open("none")).toBeUndefined();
  });

  it("stores the entry before it gives the answer, and calls one after another", async () => {
    const { open, journals } = registryOf(["w"]);
    journals.slow = true;
    const world = await open("w");
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const answer = await world.call("update_email", email(i));
        return { answer, stored: journals.stored.get("w")?.length ?? 0, i };
      }),
    );
    for (const { answer, stored, i } of answers) {
      expect(answer.answerClass).toBe("data");
      expect(stored).toBeGreaterThan(i);
    }
    const seqs = (journals.stored.get("w") ?? []).map((text) => (JSON.parse(text) as JournalEntry).seq);
    expect(seqs).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(world.world.row("customers", CUSTOMER)).toMatchObject({ email: "39@x.org" });
  });

  it("rebuilds a world that was put away or whose process died, with the same digest, and draws on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("call", "close", "die", "sweep", "reset"), { maxLength: 15 }),
        async (acts) => {
          const first = registryOf(["w"], { idleSeconds: 10 });
          const plain = createWorld(shop, shopRows, { seed: "w" });
          let registry = first.registry;
          let n = 0;
          for (const act of acts) {
            const world = await registry.open("w");
            if (act === "call") {
              const args = refund(n++);
              expect((await world?.call("refund_item", args))?.text).toBe(plain.call("refund_item", args).text);
            } else if (act === "reset") {
              await world?.reset();
              plain.reset();
            } else if (act === "close") registry.close("w");
            else if (act === "sweep") {
              first.clock.now += 11;
              expect(registry.sweep()).toBe(1);
              expect(registry.size).toBe(0);
            } else
              registry = new WorldRegistry({
                persistence: first.journals,
                now: () => first.clock.now,
                idleSeconds: 10,
              });
            expect((await registry.open("w"))?.world.digest()).toBe(plain.digest());
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("keeps a handle good after its world was put away", async () => {
    const { registry, open, journals } = registryOf(["w"]);
    const held = await open("w");
    await held.call("update_email", email(1));
    registry.close("w");
    const other = await open("w");
    await other.call("update_email", email(2));
    expect((await held.call("get_customer", { customer_id: CUSTOMER })).value).toMatchObject({ email: "2@x.org" });
    expect(journals.stored.get("w")).toHaveLength(3);
    journals.stored.delete("w");
    registry.close("w");
    expect(await registry.open("w")).toBeUndefined();
  });

  it("keeps at most so many open, the ones used last, and never one at work", async () => {
    const ids = Array.from({ length: 6 }, (_, i) => `w${i}`);
    const { registry, open, journals } = registryOf(ids, { maxOpen: 3 });
    journals.slow = true;
    const busy = (await open("w0")).call("update_email", email(0));
    for (const id of ids) await open(id);
    expect(registry.size).toBeLessThanOrEqual(4);
    expect((await busy).answerClass).toBe("data");
    await open("w5");
    await open("w4");
    expect(registry.size).toBe(3);
    const before = journals.loads;
    await open("w4");
    expect(journals.loads).toBe(before);
  });
});

describe("an entry that cannot be stored", () => {
  it("undoes its call, and the next one works", async () => {
    const { open, journals, errors } = registryOf(["w"]);
    const world = await open("w");
    await world.call("update_email", email(1));
    const digest = world.world.digest();
    for (const fail of ["before", "load too"] as const) {
      journals.fail = fail;
      expect(await world.call("update_email", email(2))).toMatchObject({
        isError: true,
        answerClass: "error:unavailable",
        changes: [],
      });
      expect(world.world.digest()).toBe(digest);
      expect(journals.stored.get("w")).toHaveLength(1);
      expect(errors.length).toBeGreaterThan(0);
      journals.fail = "never";
    }
    expect((await world.call("update_email", email(3))).answerClass).toBe("data");
    expect(journals.stored.get("w")).toHaveLength(2);
  });

  it("but was stored all the same, counts once", async () => {
    const { open, journals } = registryOf(["w"]);
    const world = await open("w");
    journals.fail = "after";
    const answer = await world.call("refund_item", refund(0));
    expect(answer.answerClass).toBe("data");
    journals.fail = "never";
    expect(journals.stored.get("w")).toHaveLength(1);
    const plain = createWorld(shop, shopRows, { seed: "w" });
    expect(plain.call("refund_item", refund(0)).text).toBe(answer.text);
    expect(world.world.digest()).toBe(plain.digest());
  });

  it("because another process wrote to the world, is made again on what is stored now", async () => {
    const { open, journals } = registryOf(["w"]);
    const here = await open("w");
    const there = await new WorldRegistry({ persistence: journals, now: () => 0 }).open("w");
    await here.call("refund_item", refund(0));
    expect((await there?.call("refund_item", refund(1)))?.answerClass).toBe("data");
    expect((await here.call("refund_item", refund(2))).answerClass).toBe("data");
    const plain = createWorld(shop, shopRows, { seed: "w" });
    for (const i of [0, 1, 2]) plain.call("refund_item", refund(i));
    expect(here.world.digest()).toBe(plain.digest());
    expect(journals.stored.get("w")).toHaveLength(3);
  });

  it("because the store began its turn twice, is not made, and the next one works", async () => {
    const { open, journals, errors } = registryOf(["w"]);
    const here = await open("w");
    const there = await new WorldRegistry({ persistence: journals, now: () => 0 }).open("w");
    await here.call("refund_item", refund(0));
    await there?.call("refund_item", refund(1));
    journals.twice = true;
    expect((await here.call("refund_item", refund(2))).answerClass).toBe("error:unavailable");
    expect(errors).toEqual(["w"]);
    journals.twice = false;
    expect((await here.call("refund_item", refund(3))).answerClass).toBe("data");
    const plain = createWorld(shop, shopRows, { seed: "w" });
    for (const i of [0, 1, 3]) plain.call("refund_item", refund(i));
    expect(here.world.digest()).toBe(plain.digest());
    expect(journals.stored.get("w")).toHaveLength(3);
  });
});

describe("a world that several processes serve", () => {
  const processes = (journals: Journals, n: number) =>
    Array.from({ length: n }, () => new WorldRegistry({ persistence: journals, now: () => 0, shared: true }));

  it("answers each call on what all calls before it left, whichever process it reaches", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.constantFrom("call", "read", "reset")), { maxLength: 25 }),
        async (acts) => {
          const { journals } = registryOf(["w"]);
          const registries = processes(journals, 3);
          const plain = createWorld(shop, shopRows, { seed: "w" });
          let n = 0;
          for (const [which, act] of acts) {
            const world = await registries[which]?.open("w", { toCall: act === "call" });
            if (act === "read") expect(world?.world.digest()).toBe(plain.digest());
            else if (act === "reset") {
              await world?.reset();
              plain.reset();
            } else {
              const args = refund(n++);
              expect((await world?.call("refund_item", args))?.text).toBe(plain.call("refund_item", args).text);
            }
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("keeps every call of many at once, in one order", async () => {
    const { journals } = registryOf(["w"]);
    journals.slow = true;
    const worlds = await Promise.all(processes(journals, 3).map((registry) => registry.open("w")));
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => worlds[i % 3]?.call("update_email", email(i))),
    );
    expect(answers.map((answer) => answer?.answerClass)).toEqual(answers.map(() => "data"));
    const entries = (journals.stored.get("w") ?? []).map((text) => JSON.parse(text) as JournalEntry);
    expect(entries.map(({ args }) => args.email).sort()).toEqual(
      Array.from({ length: 30 }, (_, i) => email(i).email).sort(),
    );
    const plain = createWorld(shop, shopRows, { seed: "w" });
    for (const { tool, args, answer } of entries) expect(plain.call(tool, args).value).toEqual(answer);
  });

  it("is opened anew where it was put on other ground, and refuses who still holds the old one", async () => {
    const { journals } = registryOf(["w"]);
    const [here, there] = processes(journals, 2);
    const held = await here?.open("w");
    await held?.call("update_email", email(1));
    await (await there?.open("w"))?.reset();
    journals.ground = "another shop";
    expect((await held?.call("update_email", email(2)))?.answerClass).toBe("error:unavailable");
    expect(journals.stored.get("w")).toEqual([]);
    const opened = await here?.open("w", { toCall: true });
    expect(opened).not.toBe(held);
    expect((await opened?.call("update_email", email(3)))?.answerClass).toBe("data");
  });

  it("is opened anew on other ground although nobody called it before, by who says what it stands on now", async () => {
    const { journals } = registryOf(["w"]);
    const [here] = processes(journals, 1);
    const held = await here?.open("w", { baseKey: "shop" });
    expect(await here?.open("w", { toCall: true, baseKey: "shop" })).toBe(held);
    journals.ground = "another shop";
    const opened = await here?.open("w", { toCall: true, baseKey: "another shop" });
    expect(opened).not.toBe(held);
    expect((await held?.call("update_email", email(1)))?.answerClass).toBe("error:unavailable");
    expect((await opened?.call("update_email", email(2)))?.answerClass).toBe("data");
    expect(await here?.open("w", { baseKey: "another shop" })).toBe(opened);
    // Who knows less than what is stored gets what is stored, and no turn without end.
    expect(await here?.open("w", { baseKey: "shop" })).toBeDefined();
  });

  it("says when the store cannot be asked, instead of an old state", async () => {
    const { journals } = registryOf(["w"]);
    const [registry] = processes(journals, 1);
    await registry?.open("w");
    journals.fail = "load too";
    await expect(registry?.open("w")).rejects.toThrow("the store is away");
  });
});
