import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../../worlds/compile/index.ts";
import type { JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall } from "../../../worlds/observation.ts";
import { createWorld } from "../../../worlds/world.ts";

const text = readFileSync(new URL("../../../worlds/compile/README.md", import.meta.url), "utf8");
const linesOf = (name: string): string[] =>
  new RegExp(`\`\`\`${name}\n([^]*?)\n\`\`\``).exec(text)?.[1]?.split("\n") ?? [];

/** A call as the document writes it: `take_key K1 ann = {"taken":"K1"}`. */
function callOf(written: string): ObservedCall {
  const [asked = "", result = ""] = written.split(" = ");
  const [tool = "", key = "", person] = asked.trim().split(" ");
  const args: JsonObject = { key, ...(person === undefined ? {} : { person }) };
  return { tool, args, result, isError: result.startsWith("Error:") };
}

test("the example of the compiler's document compiles to a world that answers as it says", () => {
  const traces = linesOf("sessions").map((line, i) => ({ id: `session ${i}`, calls: line.split("; ").map(callOf) }));
  expect(traces).toHaveLength(10);
  const { bundle, base } = compile(traces, { name: "key cabinet" });
  const world = createWorld(bundle, base);
  const answers = linesOf("answers").map(callOf);
  expect(answers.length).toBeGreaterThan(7);
  for (const { tool, args, result } of answers) {
    const { answerClass, text } = world.call(tool, args);
    expect([tool, args, answerClass === "error:not_served" ? "not served" : text]).toEqual([tool, args, result]);
  }
});
