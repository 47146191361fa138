import { expect, it, vi } from "vitest";
import { idOfValue } from "../../chapters/record.ts";
import { SentOnce } from "../../chapters/records/exports/exports.ts";
import { sendOnce, sentBefore } from "../../chapters/send-once.ts";
import { FakeClock, startApp } from "../helpers/app.ts";
import { ctxOf } from "../helpers/ctx.ts";

it("what a killed sender left can be sent after its confirm has ended, once", async () => {
  const clock = new FakeClock();
  const app = await startApp({ clock, jobs: false });
  try {
    const ctx = ctxOf(app.service, await app.org(), { scope: "push" });
    const send = { channel: "obs", group: "rg_1", key: ["event"] } as const;
    const line = { by: "mb_1", target: "site", says: { kind: "event" } };
    const mark = {
      id: idOfValue(SentOnce, "obs", "event"),
      created_at: clock.now(),
      by: "t",
      channel: "obs",
      group: "rg_1",
    };
    await ctx.store.records.insert(SentOnce, mark);
    let made = 0;
    const make = async () => ({ id: String(++made) });
    await expect(sendOnce(ctx, send, line, make)).rejects.toMatchObject({ code: "conflict" });
    clock.advance(600);
    const both = await Promise.allSettled([sendOnce(ctx, send, line, make), sendOnce(ctx, send, line, make)]);
    expect(both.filter(({ status }) => status === "fulfilled")).not.toHaveLength(0);
    expect(made).toBe(1);
    expect(await sendOnce(ctx, send, line, make)).toEqual({ reference: { id: "1" }, already: true });
    const { items } = await ctx.store.deliveries.list();
    expect(items).toMatchObject([{ by: "mb_1", channel: "obs", group: "rg_1", target: "site" }]);
    expect(items[0]?.reference).toEqual({ kind: "event", id: "1" });
  } finally {
    await app.close();
  }
});

it("a sender that was killed before it wrote its line has it written by the next who asks, once and under its own name", async () => {
  const clock = new FakeClock();
  const app = await startApp({ clock, jobs: false });
  try {
    const ctx = ctxOf(app.service, await app.org(), { scope: "push" });
    const send = { channel: "obs", group: "rg_1", key: ["event"] } as const;
    const make = async () => ({ id: "1" });
    const append = vi.spyOn(ctx.store.deliveries, "append").mockRejectedValueOnce(new Error("killed"));
    await expect(sendOnce(ctx, send, { by: "mb_1", target: "site" }, make)).rejects.toThrow("killed");
    append.mockRestore();
    expect((await ctx.store.deliveries.list()).items).toEqual([]);
    const ask = () => sendOnce(ctx, send, { by: "mb_2", target: "elsewhere" }, make);
    expect(await Promise.all([ask(), sentBefore(ctx, send), ask()])).toEqual([
      { reference: { id: "1" }, already: true },
      { id: "1" },
      { reference: { id: "1" }, already: true },
    ]);
    expect((await ctx.store.deliveries.list()).items).toMatchObject([{ by: "mb_1", target: "site" }]);
  } finally {
    await app.close();
  }
});
