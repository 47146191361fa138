import { expect, it } from "vitest";
import { ratesOf } from "../../../chapters/runs/trials/rates.ts";

/** Ten tasks, half of them met; `distinct` is what each is of beside its words. */
const rows = (distinct: (n: number) => string) =>
  Array.from({ length: 10 }, (_, n) => ({
    run: "run_1",
    task: `tk_${n}`,
    distinct: distinct(n),
    end: n % 2 === 0 ? ("met" as const) : ("failed" as const),
  }));

// Finding B24: copies in other words are one task where the interval is made.
it("tasks that differ in words alone are one, and the interval is as wide as for those that there are", () => {
  const own = ratesOf(
    rows((n) => `d${n}`),
    1,
  );
  const copied = ratesOf(
    rows((n) => `d${n % 2}`),
    1,
  );
  expect([own.tasks, own.distinct]).toEqual([10, 10]);
  expect([copied.tasks, copied.distinct]).toEqual([10, 2]);
  expect(copied.rate).toBe(own.rate);
  expect(copied.clustered.high - copied.clustered.low).toBeGreaterThan(own.clustered.high - own.clustered.low);
});
