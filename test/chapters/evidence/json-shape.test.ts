import { describe, expect, it } from "vitest";
import { DEEPEST_JSON, nestsTooDeep } from "../../../chapters/evidence/reading/json-shape.ts";

const nested = (levels: number, inner: string) => `${'{"a":['.repeat(levels / 2)}${inner}${"]}".repeat(levels / 2)}`;
/** A text that is long enough to be looked at, whatever it holds. */
const long = JSON.stringify("word ".repeat(DEEPEST_JSON));
const many = (text: string) => `[${Array.from({ length: DEEPEST_JSON }, () => text).join(",")}]`;

describe("a JSON text nests too deep", () => {
  it.each([
    ["levels beyond the deepest", nested(DEEPEST_JSON + 2, long)],
    ["levels beyond the deepest, after many that were closed", `[${many("{}")},${nested(DEEPEST_JSON, long)}]`],
  ])("with %s", (_, text) => {
    JSON.parse(text);
    expect(nestsTooDeep(text)).toBe(true);
  });

  it.each([
    ["with as many levels as the deepest", nested(DEEPEST_JSON, long)],
    ["with more brackets than that side by side", many("[{}]")],
    ["with more brackets than that in its texts", `[${JSON.stringify(`"\\${"[{".repeat(DEEPEST_JSON)}`)},${long}]`],
  ])("not %s", (_, text) => {
    JSON.parse(text);
    expect(nestsTooDeep(text)).toBe(false);
  });
});
