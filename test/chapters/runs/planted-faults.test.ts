import { beforeAll, describe, expect, it } from "vitest";
import { finishTrial } from "../../../chapters/runs/play/finish-trial.ts";
import { household } from "../../../worlds/samples/household/index.ts";
import { householdTasks } from "../../../worlds/samples/household/tasks.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import type { GradeEnv } from "../../../worlds/tasks/grading/grade.ts";
import type { Family, Task } from "../../../worlds/tasks/schema.ts";
import { deskWorld } from "../../helpers/desk-world.ts";
import { plantedFaults } from "../../helpers/planted-faults.ts";
import { shop, shopRows } from "../../worlds/fixtures/shop.ts";

const FAMILIES = [
  "lookup",
  "multi_hop",
  "filter",
  "aggregate",
  "write",
  "multi_write",
  "guarded_write",
  "no_data",
  "ambiguous",
  "mined",
] as const satisfies Family[];
/** Tasks of each family and world. */
const EACH = 8;

describe("root causes of planted faults", () => {
  const table = new Map<string, Map<string, { right: number; of: number; others: Map<string, number> }>>();

  beforeAll(async () => {
    const { traces, env: desk } = await deskWorld();
    const worlds: { env: GradeEnv; mined?: typeof traces }[] = [
      { env: { bundle: shop, base: shopRows } },
      { env: desk, mined: traces },
    ];
    for (const { env, mined } of worlds)
      for (const family of FAMILIES) {
        const options = { seed: "planted", count: EACH, families: [family], ...(mined ? { mined } : {}) };
        for (const task of generateTasks(env.bundle, env.base, options)) count(task, env);
      }
    const { bundle: house, base: rows } = household();
    for (const task of householdTasks) count(task, { bundle: house, base: rows });
    print();
  });

  function count(task: Task, env: GradeEnv): void {
    for (const { kind, name, trial, cause } of plantedFaults(task, env)) {
      const row = finishTrial(task, env, { trial, ms: 1, log: "", ...(cause ? { cause } : {}) });
      const byFamily = table.get(kind) ?? new Map();
      table.set(kind, byFamily);
      const cell = byFamily.get(task.family) ?? { right: 0, of: 0, others: new Map() };
      byFamily.set(task.family, cell);
      cell.of += 1;
      if (row.end === "failed" && row.root_cause === name) cell.right += 1;
      else {
        const told = row.root_cause ?? row.end;
        cell.others.set(told, (cell.others.get(told) ?? 0) + 1);
      }
    }
  }

  /** Kinds down, families across: right of planted, and how the others were named. */
  function print(): void {
    const width = 15;
    const lines = [["", ...FAMILIES].map((name) => name.padEnd(width)).join("")];
    const wrong: string[] = [];
    for (const [kind, byFamily] of table) {
      const cells = FAMILIES.map((family) => {
        const cell = byFamily.get(family);
        for (const [told, n] of cell?.others ?? []) wrong.push(`${kind} in ${family}: ${n} named ${told}`);
        return cell ? `${cell.right} of ${cell.of}` : "-";
      });
      lines.push([kind.padEnd(24), ...cells].map((text) => text.padEnd(width)).join(""));
    }
    process.stdout.write(`\n${[...lines, ...wrong].join("\n")}\n`);
  }

  const shareOf = (cells: readonly { right: number; of: number }[]) => {
    const of = cells.reduce((n, cell) => n + cell.of, 0);
    return { of, share: cells.reduce((n, cell) => n + cell.right, 0) / of };
  };

  it("are named right in at least 95 of 100", () => {
    const all = shareOf([...table.values()].flatMap((byFamily) => [...byFamily.values()]));
    expect(all.of).toBeGreaterThan(3000);
    expect(all.share).toBeGreaterThanOrEqual(0.95);
  });
  it("are named right so of each kind and in each family, ten kinds or more in each", () => {
    for (const [kind, byFamily] of table) {
      const { share } = shareOf([...byFamily.values()]);
      expect([kind, share >= 0.95]).toEqual([kind, true]);
    }
    for (const family of FAMILIES) {
      const cells = [...table.values()].flatMap((byFamily) => byFamily.get(family) ?? []);
      expect([family, cells.length >= 10, shareOf(cells).share >= 0.95]).toEqual([family, true, true]);
    }
  });
});
