import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inOrder } from "../../../chapters/evidence/reading/in-order.ts";

interface Given {
  readonly ms: number;
  readonly size: number;
  readonly fails?: boolean;
}

const item = (ms: number, size = 1, fails = false): Given => ({ ms, size, fails });

/** Works on the items with room for `most`; tells what came out, what was thrown, and how much was under way at once. */
async function run(items: readonly Given[], most: number, end?: Error) {
  let underWay = 0;
  let peak = 0;
  let asked = 0;
  let closed = false;
  async function* given() {
    try {
      for (const each of items) {
        asked++;
        yield each;
      }
      if (end) throw end;
    } finally {
      closed = true;
    }
  }
  const work = async (each: Given) => {
    underWay += each.size;
    peak = Math.max(peak, underWay);
    await sleep(each.ms);
    underWay -= each.size;
    if (each.fails) throw new Error(`item of ${each.ms}`);
    return each.ms;
  };
  const out: number[] = [];
  let thrown: unknown;
  try {
    for await (const ms of inOrder(given(), work, { most, size: (each) => each.size })) out.push(ms);
  } catch (cause) {
    thrown = cause;
  }
  return { out, thrown: thrown instanceof Error ? thrown.message : undefined, peak, asked, closed };
}

describe("work in order", () => {
  it("gives results in the order of the items, whichever ends first, several at once and never more than there is room", async () => {
    const items = [item(30), item(1), item(10), item(1), item(20), item(1)];
    const { out, peak, closed } = await run(items, 3);
    expect([out, peak, closed]).toEqual([items.map(({ ms }) => ms), 3, true]);
  });

  it("takes an item that is larger than the room alone", async () => {
    const { out, peak } = await run([item(5, 1), item(5, 100), item(5, 1), item(5, 1)], 2);
    expect(out).toHaveLength(4);
    expect(peak).toBe(101);
    expect((await run([item(5, 100), item(5, 100)], 2)).peak).toBe(100);
  });

  it("throws what fails first in that order, after all results before it, and closes the items", async () => {
    const late = await run([item(20), item(30, 1, true), item(1, 1, true), item(1)], 4);
    expect(late).toMatchObject({ out: [20], thrown: "item of 30", closed: true });
    const cut = await run([item(20), item(1)], 4, new Error("cut off"));
    expect(cut).toMatchObject({ out: [20, 1], thrown: "cut off" });
    expect(await run([item(20), item(9, 1, true)], 4, new Error("cut off"))).toMatchObject({
      out: [20],
      thrown: "item of 9",
    });
  });

  it("asks for no more once its reader stops", async () => {
    let closed = false;
    async function* endless() {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed = true;
      }
    }
    const seen: number[] = [];
    for await (const n of inOrder(endless(), async (n) => n, { most: 4, size: () => 1 })) {
      seen.push(n);
      if (n === 10) break;
    }
    expect([seen.length, closed]).toEqual([11, true]);
  });
});
