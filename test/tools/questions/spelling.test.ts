import { expect, it } from "vitest";
import { Spelling } from "../../../tools/questions/spelling.ts";

const { meant } = { meant: (word: string) => spelling.meant(word) };
const spelling = new Spelling(new Set(["tasks", "failed", "which", "version", "environment", "better", "launch"]));

it.each([
  ["taks", "tasks"],
  ["wich", "which"],
  ["beter", "better"],
  ["verison", "version"],
  ["envrionmnet", "environment"],
])("takes %s for %s", (word, known) => {
  expect(meant(word)).toBe(known);
});

it.each(["lunch", "vision", "failing", "tank", "v2", "environments"])("leaves %s as it stands", (word) => {
  expect(meant(word)).toBe(word);
});
