import { expect, it } from "vitest";
import { SentOnce } from "../../chapters/exports/schema.ts";
import { sendOnce } from "../../chapters/exports/send-once.ts";
import { idOfValue } from "../../chapters/record.ts";
import { FakeClock, startApp } from "../helpers/app.ts";

it("what a killed sender left can be sent after its confirm has ended, once", async () => {
  const clock = new FakeClock();
  const app = await startApp({ clock, jobs: false });
  try {
    const { id, tag } = await app.org();
    const caller = { kind: "org", name: "t", scope: "push", org: { id, tag } } as const;
    const { signal } = new AbortController();
    const ctx = app.service.host.orgCtx(caller, { id, tag }, { credential: { caller }, args: {}, signal });
    const send = { channel: "obs", group: "rg_1", key: ["event"] } as const;
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
    await expect(sendOnce(ctx, send, make)).rejects.toMatchObject({ code: "conflict" });
    clock.advance(600);
    const both = await Promise.allSettled([sendOnce(ctx, send, make), sendOnce(ctx, send, make)]);
    expect(both.filter(({ status }) => status === "fulfilled")).not.toHaveLength(0);
    expect(made).toBe(1);
    expect(await sendOnce(ctx, send, make)).toEqual({ reference: { id: "1" }, already: true });
  } finally {
    await app.close();
  }
});
