import { expect, it } from "vitest";
import { rowLines } from "../../../../chapters/findings/assistant/root-rows.ts";

const flip = (request: string, delta: number) => ({
  request,
  family: "guarded_write",
  delta,
  causes: { a: [], b: delta < 0 ? [{ cause: "loop", trials: 1 }] : [] },
});
const arms = { a: { group: "rg_1", name: "desk", version: "1" }, b: { group: "rg_2", name: "desk", version: "2" } };

it("tells the tasks that a version broke before those that it mended, with the cause", () => {
  expect(
    rowLines("compare_runs", { ...arms, worse: "b", flips: [flip("Return it", 1), flip("Cancel it", -1)] }),
  ).toEqual(['- broke in 2: "Cancel it" (guarded write): loop', '- mended in 2: "Return it" (guarded write)']);
});

it("tells eight rows, and how many more there are", () => {
  const tasks = Array.from({ length: 11 }, (_, i) => ({ request: `task ${i}`, family: "lookup", ends: { failed: i } }));
  const lines = rowLines("run_group", { tasks });
  expect(lines).toHaveLength(9);
  expect(lines[0]).toBe('- failed: "task 10" (lookup)');
  expect(lines.at(-1)).toBe("- and 2 more");
});

it("tells the tools that are answered otherwise, the worst first, and none that is not", () => {
  const counts = (calls: number, same: number) => ({ calls, identical_volatile: same, not_served: 1, wrong_answer: 0 });
  const tools = { get: counts(4, 3), list: counts(9, 2), put: counts(5, 5) };
  expect(rowLines("environment_fidelity", { fidelity: { tools } })).toEqual([
    "- list: 2 of 9 calls as observed, 1 not served, 0 wrong",
    "- get: 3 of 4 calls as observed, 1 not served, 0 wrong",
  ]);
});

it("tells of each report whether people outside can see it", () => {
  const report = (title: string, shared: boolean) => ({ title, made_at: 0, made_by: "ann", shared, opens: 2 });
  expect(rowLines("reports_list", { reports: [report("May", true), report("June", false)] })).toEqual([
    '- "May", made 1970-01-01 00:00 UTC by ann: shared by a link, opened 2 times',
    '- "June", made 1970-01-01 00:00 UTC by ann: not shared, members alone see it',
  ]);
});

it("tells nothing of an answer without rows", () => {
  for (const tool of ["compare_runs", "run_group", "environment_fidelity", "coverage_matrix", "weather"])
    expect(rowLines(tool, {})).toEqual([]);
});
