import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { plannedCounts, progressLines, written } from "../../scripts/catalogue.ts";
import { chapters } from "../../tools/index.ts";
import { Registry } from "../../tools/kernel/registry.ts";

const registry = new Registry(chapters);
const planned = plannedCounts();

it.each([...written(registry, planned)])("%s is what the registry says (npm run catalogue writes it)", (path, text) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), "utf8")).toBe(text);
});

/** How many operations the contract names: nothing falls out of it unseen. */
const TOTAL = 328;

it("counts what stands by chapter", () => {
  const lines = progressLines(registry, planned);
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toMatch(new RegExp(`^all +${registry.operations.length} of ${TOTAL}$`));
});
