import { expect, it } from "vitest";
import { bench } from "../../../bench/scale.ts";

it("the bench of ten million rows asks each question of 20,000 too, and tells the plans that answered it", async () => {
  const lines = await bench({ rows: 20_000 });
  const of = (name: string) => lines.find((line) => line.name.startsWith(name));
  expect(of("rows generated")?.value).toBeGreaterThan(19_000);
  const asked = lines.filter(({ name }) => name.endsWith(", p95"));
  for (const { name, value, details } of asked) {
    expect(value, name).toBeGreaterThan(0);
    expect(details?.join("\n"), name).toMatch(/Scan \w+ .* pages/);
  }
  expect(of("list: a trace")?.details).toEqual([expect.stringMatching(/^Index Scan traces_by_id 1; \d+ pages$/)]);
  expect(of("search: a word of every trace")?.details?.join("\n")).toContain("trace_words_by_word");
  expect(of("facets: every field, p95")?.details?.join("\n")).toContain(
    "12 times: Index Only Scan attributes_by_value",
  );
  // What is planned for any values, on records most of which are small, reads no more of a large one than it answers.
  for (const name of ["list: traces, newest", "filter: a version", "search: a word of every trace"])
    expect(of(name)?.details?.join("\n"), name).not.toMatch(/Index Scan traces_pkey \S+ \(/);
  expect(of("match: traces of two values")?.details?.join("\n")).not.toContain("Nested Loop");
  expect(of("filter: the slowest half of two values")?.details?.join("\n")).toMatch(/(Hash|Merge) Join/);
  expect(of("list: evidence, p95")?.details?.join("\n")).toMatch(/record_fields_pkey \S+ > Aggregate/);
  expect(of("statements that scan or sort what grows")?.value).toBe(0);
});
