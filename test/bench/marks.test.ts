import { expect, it } from "vitest";
import { markOf, toRead, usable } from "../../bench/marks.ts";
import type { Task } from "../../worlds/tasks/schema.ts";

const task = (n: number, request = `Please look at ${n}.`) =>
  ({ request, turns: [], checks: [{ kind: "no_state_change" }] }) as unknown as Task;

it("a task that nobody read counts as not usable, and one that changed has to be read again", () => {
  const tasks = [task(1), task(2), task(3)];
  const marks = { [markOf(task(1))]: "usable", [markOf(task(2))]: "a form" };
  expect(usable(tasks, marks)).toBe("usable 1/3, of which 1 have not been read");
  expect(markOf(task(1, "Please look at  1."))).not.toBe(markOf(task(1)));
  expect(usable([], marks)).toBe("usable 0/0, of which 0 have not been read");
});

it("thirty of a larger set are read, of every family where families alternate", () => {
  const tasks = Array.from({ length: 60 }, (_, n) => ({ ...task(n), family: n % 2 === 0 ? "write" : "lookup" }));
  const read = toRead(tasks as Task[]);
  expect(read).toHaveLength(30);
  for (const family of ["write", "lookup"])
    expect(read.filter((task) => task.family === family).length).toBeGreaterThanOrEqual(10);
  expect(toRead(tasks.slice(3).toReversed() as Task[]).filter((task) => read.includes(task)).length).toBeGreaterThan(
    26,
  );
});
