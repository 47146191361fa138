import { afterEach, expect, it } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import { draw } from "../../../worlds/draw/index.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { reviewTask } from "../../../worlds/tasks/grading/review.ts";
import { createWorld } from "../../../worlds/world.ts";
import { shopTraces } from "./shop.ts";

const text = JSON.stringify(shopTraces());
const builtIns = () => [Object.prototype, Array.prototype, Function.prototype, Object].map(Reflect.ownKeys);
const before = builtIns();
afterEach(() => expect(builtIns()).toEqual(before));

const places = ["bill_id", "get_bill", "amount", "B-1052"];
const names = ["__proto__", "constructor", "toString", "filter[total_($.*"];

/**
 * Evidence names tools, arguments, columns and rows as it likes: each is data, on the whole way from traces to tasks. In
 * each of four systems every place has another of the names, and over the four each place has had each.
 */
it.each(names)("a bill's id, its tool, its amount and a row may have hostile names, from %s on", (first) => {
  const from = names.indexOf(first);
  const renamed = places.reduce(
    (all, place, i) =>
      all.replaceAll(new RegExp(`\\b${place}\\b`, "g"), () => names[(from + i) % names.length] as string),
    text,
  );
  const traces = JSON.parse(renamed) as ReturnType<typeof shopTraces>;
  const { bundle, base } = compile(traces, { name: "shop" });
  const drawn = draw(bundle, base, { seed: "1", augment: true });
  const world = createWorld(bundle, drawn);
  for (const { tool, args } of traces.slice(0, 20).flatMap(({ calls }) => calls)) world.call(tool, args);
  const tasks = generateTasks(bundle, drawn, { seed: "1", count: 4, mined: [] });
  for (const task of tasks.slice(0, 2)) reviewTask(task, { bundle, base: drawn });
  expect(bundle.tools.length).toBeGreaterThan(3);
});
