import { expect, it } from "vitest";
import { growing, loggedPlans, planLines } from "../../bench/plan-lines.ts";

const scan = (rows: number, passed: number) => ({
  "Node Type": "Seq Scan",
  "Relation Name": "traces",
  "Actual Rows": rows,
  "Actual Loops": 2,
  "Rows Removed by Filter": passed,
});
const logged = (plan: object) =>
  `LOG:  duration: 1.5 ms  plan:\n\t${JSON.stringify({ "Query Text": "select\n1", Plan: plan }, null, 2).replaceAll("\n", "\n\t")}\n`;
const limit = (below: object, pages: number) => ({
  "Node Type": "Limit",
  "Actual Rows": 3,
  "Actual Loops": 1,
  "Shared Hit Blocks": pages,
  "Shared Read Blocks": 1,
  Plans: [below],
});

it("plans are read out of a log, and those alike are one line with the sum of their rows and pages", () => {
  const log = `LOG:  checkpoint starting\n${logged(limit(scan(10, 5), 4))}LOG:  x\n${logged(limit(scan(1, 0), 2))}`;
  const plans = loggedPlans(`${log}${logged({ "Node Type": "Result", "Actual Rows": 1 })}`);
  expect(plans).toHaveLength(3);
  expect(planLines(plans)).toEqual(["2 times: Seq Scan traces 22 (10 passed over) > Limit 6; 8 pages"]);
});

it("a plan grows with its table where it reads many rows from end to end, or sorts many", () => {
  const plan = (node: object) => loggedPlans(logged(node))[0]!;
  const sort = (rows: number) => ({ "Node Type": "Sort", "Actual Rows": rows, "Actual Loops": 1 });
  expect(growing(plan(limit(scan(1, 5000), 1)))).toHaveLength(1);
  expect(growing(plan(limit(scan(1, 4000), 1)))).toEqual([]);
  expect(growing(plan(sort(100_001)))).toHaveLength(1);
  expect(growing(plan({ ...scan(50_000, 0), "Node Type": "Index Scan" }))).toEqual([]);
});
