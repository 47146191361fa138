import { expect, it } from "vitest";
import { reviewTasks, writeTasks } from "../../../../chapters/sandboxes/tasks/compute-tasks.ts";
import { type DrawnWorld, onKeptWorld } from "../../../../chapters/sandboxes/tasks/kept-worlds.ts";
import { shop, shopRows } from "../../../worlds/fixtures/shop.ts";

const copy = (): DrawnWorld => structuredClone({ bundle: shop, base: shopRows });
const given = onKeptWorld((input: DrawnWorld) => input);

it("gives a run the world of an earlier one where it is equal, and its own where anything differs", () => {
  const first = given(copy());
  expect(given(copy()).bundle).toBe(first.bundle);
  expect(given(copy()).base).toBe(first.base);
  const changed = copy();
  const [rows] = Object.values(changed.base.tables);
  const [row] = Object.values(rows!);
  row!.added = 1;
  const second = given(changed);
  expect(second.base).toBe(changed.base);
  expect(second.base).not.toEqual(first.base);
  expect(given(copy()).base).toBe(first.base);
  const turned = copy();
  for (const [table, rows] of Object.entries(turned.base.tables))
    turned.base.tables[table] = Object.fromEntries(Object.entries(rows).reverse());
  expect(given(turned).base, "rows are answered in the order in which they stand").toBe(turned.base);
});

it("writes and reviews tasks alike whatever was done on the world before", async () => {
  const kit = undefined as never;
  const write = async () =>
    (await writeTasks.run({ ...copy(), seed: "s", count: 8, families: undefined, mined: [] }, kit)).tasks;
  const tasks = await write();
  const review = async (some: typeof tasks) => reviewTasks.run({ ...copy(), tasks: some, others: tasks }, kit);
  const whole = await review(tasks);
  expect(whole).toHaveLength(tasks.length);
  const alone = [];
  for (const task of [...tasks].reverse()) alone.unshift(...(await review([task])));
  expect(alone).toEqual(whole);
  expect(await write()).toEqual(tasks);
});
