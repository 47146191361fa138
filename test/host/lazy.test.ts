import { expect, it } from "vitest";
import { lazy } from "../../src/service/lazy.ts";

it("makes a thing once, at its first use", async () => {
  let makings = 0;
  const thing = lazy(async () => {
    makings += 1;
    return { makings };
  });
  expect(thing.made()).toBeUndefined();
  const [a, b] = await Promise.all([thing.get(), thing.get()]);
  expect(a).toBe(b);
  expect(await thing.made()).toBe(a);
  expect(makings).toBe(1);
});

it("a making that failed is not kept: the next use tries again", async () => {
  let makings = 0;
  const thing = lazy(async () => {
    makings += 1;
    if (makings === 1) throw new Error("not yet");
    return makings;
  });
  const first = [thing.get(), thing.get()];
  for (const end of await Promise.allSettled(first)) expect(end.status).toBe("rejected");
  expect(thing.made()).toBeUndefined();
  expect(await thing.get()).toBe(2);
});
