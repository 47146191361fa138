import { expect, it } from "vitest";
import { newId } from "./notes.ts";
import type { Bench } from "./setup.ts";

/** What the servers of a workspace agree on among themselves. */
export function turnsContract({ store }: Bench): void {
  it("gives a turn to one owner until it ends or is over", async () => {
    const name = newId("turn");
    const take = (owner: string, now: number) => store().takeTurn(name, owner, now, now + 60);
    const took = await Promise.all(["a", "b", "c"].map((owner) => take(owner, 100)));
    expect(took.filter(Boolean)).toHaveLength(1);
    const holder = "abc"[took.indexOf(true)] as string;
    expect(await take(holder, 120)).toBe(true);
    expect(await take("late", 179)).toBe(false);
    expect(await take("late", 180)).toBe(true);
    await store().endTurn(name, holder);
    expect(await take("other", 181)).toBe(false);
    await store().endTurn(name, "late");
    expect(await take("other", 181)).toBe(true);
  });

  it("adds up what is used in a window, which begins with what is first used in it", async () => {
    const name = newId("meter");
    const uses = await Promise.all([1, 2, 3, 4].map((n) => store().meter(name, n, 1_000, 60)));
    expect(Math.max(...uses.map(({ used }) => used))).toBe(10);
    expect(new Set(uses.map(({ until }) => until))).toEqual(new Set([1_060]));
    expect(await store().meter(name, 5, 1_059, 60)).toEqual({ used: 15, until: 1_060 });
    expect(await store().meter(name, 5, 1_060, 60)).toEqual({ used: 5, until: 1_120 });
  });

  it("forgets turns and windows that are over, and no others", async () => {
    const [past, running] = [newId("x"), newId("x")];
    await store().forgetOver(10_000);
    for (const [name, now] of [
      [past, 9_000],
      [running, 9_990],
    ] as const) {
      await store().meter(name, 7, now, 60);
      await store().takeTurn(name, "a", now, now + 60);
    }
    expect(await store().forgetOver(10_000)).toBe(2);
    expect(await store().forgetOver(10_000)).toBe(0);
    expect((await store().meter(running, 1, 10_000, 60)).used).toBe(8);
    expect(await store().takeTurn(running, "b", 10_000, 10_060)).toBe(false);
  });
}
