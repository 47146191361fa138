import { expect, it } from "vitest";
import { growth, LINEAR } from "./growth.ts";
import Progress from "./progress.ts";

const spin = (steps: number) => {
  let sum = 0;
  for (let i = 0; i < steps; i++) sum = (sum * 31 + i) % 1_000_003;
  return sum;
};

it("growth tells work by the square of its size from work in proportion to it", async () => {
  expect(await growth((size) => spin(size * 6_000_000))).toBeLessThan(LINEAR);
  expect(await growth((size) => spin(size * size * 6_000_000))).toBeGreaterThan(LINEAR);
});

it("progress is told in twenty lines at most, with what failed and how long the rest takes", () => {
  const lines: string[] = [];
  let now = 0;
  const progress = new Progress({ write: (line) => lines.push(line), now: () => now });
  progress.onTestRunStart(Array.from({ length: 300 }, (_, i) => ({ moduleId: String(i) })));
  for (let i = 0; i < 300; i++) {
    now += 1_000;
    progress.onTestModuleEnd({ ok: () => i !== 20 });
  }
  expect(lines).toHaveLength(19);
  expect(lines[0]).toBe("progress: 15 of 300 test files; 15 s gone, about 4 min 45 s to go");
  expect(lines[1]).toBe("progress: 30 of 300 test files, 1 with failures; 30 s gone, about 4 min 30 s to go");
  expect(lines.at(-1)).toBe("progress: 285 of 300 test files, 1 with failures; 4 min 45 s gone, about 15 s to go");
});
