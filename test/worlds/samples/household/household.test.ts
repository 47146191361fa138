import { describe, expect, it } from "vitest";
import { household } from "../../../../worlds/samples/household/index.ts";
import { reviewTask } from "../../../../worlds/tasks/grading/review.ts";
import { createWorld } from "../../../../worlds/world.ts";

const home = household();

describe("the built-in household", () => {
  it.each(home.tasks.map((task) => [task.id, task] as const))("certifies %s", (_id, task) => {
    const review = reviewTask(task, home);
    expect(review.verdicts.filter((verdict) => !verdict.passed)).toEqual([]);
    expect(review.certificate.passed).toBe(true);
    expect(review.rejected).toBe(review.mutants);
    expect(review.mutants).toBeGreaterThan(5);
  });

  it("has a dozen tasks over every family that a person asks for", () => {
    expect(home.tasks).toHaveLength(12);
    expect(new Set(home.tasks.map((task) => task.family)).size).toBe(7);
    expect(new Set(home.tasks.map((task) => task.request)).size).toBe(12);
  });

  it("serves every tool from its own rows, and refuses what the rows do not allow", () => {
    const world = createWorld(home.bundle, home.base, { seed: home.seed });
    const value = (tool: string, args = {}) => world.call(tool, args).value;
    expect(value("list_members")).toHaveLength(4);
    expect(value("list_chores", { member_id: "M-11", status: "open" })).toEqual([
      { chore_id: "C-201", title: "Wash the windows", member_id: "M-11", status: "open" },
      { chore_id: "C-208", title: "Sweep the terrace", member_id: "M-11", status: "open" },
    ]);
    expect(value("list_pantry", { shelf: "fridge" })).toHaveLength(2);
    expect(value("list_appointments", { member_id: "M-11" })).toHaveLength(2);
    expect(world.call("reassign_chore", { chore_id: "C-201", member_id: "M-99" }).isError).toBe(true);
    expect(world.call("complete_chore", { chore_id: "C-203" }).isError).toBe(true);
    expect(world.diff()).toEqual([]);
    expect(world.call("complete_chore", { chore_id: "C-201" }).isError).toBe(false);
    expect(world.diff()).toMatchObject([{ table: "chores", key: "C-201", after: { status: "done" } }]);
    const used = new Set(home.tasks.flatMap((task) => task.script.calls.map((call) => call.tool)));
    for (const tool of used) expect(home.bundle.tools.map(({ name }) => name)).toContain(tool);
  });
});
