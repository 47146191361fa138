import { describe, expect, test } from "vitest";
import { compareGroups } from "../../../chapters/runs/compare/compare.ts";
import { comparisonMarkdown } from "../../../chapters/runs/compare/compare-markdown.ts";
import { DEFAULT_BANDS } from "../../../chapters/statistics/bands.ts";
import { group, planned, trial } from "./kit.ts";

const tasks = Array.from({ length: 10 }, (_, i) => planned(`tk_${i}`, i));
const all = (end: "met" | "failed", n = 1) => tasks.map(({ id }) => trial(id, n, end));
const some = (failed: number) => tasks.map(({ id }, i) => trial(id, 1, i < failed ? "failed" : "met"));

describe("the verdict", () => {
  test("five of ten tasks lost, none won: shown, with the root cause that was most frequent", () => {
    const b = some(5).map((row, i) => (i === 0 ? { ...row, root_cause: "loop" as const } : row));
    const found = compareGroups(group(tasks, all("met")), group(tasks, b, { id: "rg_2", version: "2" }), DEFAULT_BANDS);
    expect(found).toMatchObject({ words: "shown", worse: "b", difference: -0.5, p: 2 / 32, confidence: 93.75 });
    expect(found.causes).toEqual([
      { cause: "missing_call", trials: 4 },
      { cause: "loop", trials: 1 },
    ]);
    expect(found.verdict).toBe(
      "bot 2 is worse: it met 5 of 10 trials, bot 1 10 of 10, over 10 tasks (50.0 points, confidence 93). Most of its new failures left out a needed call (4 of 5).",
    );
    expect(found.flips.map((task) => task.index)).toEqual([0, 1, 2, 3, 4]);
    expect(found.smallest).toEqual({ flips: 5, difference: 0.5 });
  });

  test("swapping the arms turns the verdict round and nothing else", () => {
    const [x, y] = [group(tasks, all("met")), group(tasks, some(5), { id: "rg_2", version: "2" })];
    const [one, other] = [compareGroups(x, y, DEFAULT_BANDS), compareGroups(y, x, DEFAULT_BANDS)];
    expect([one.worse, other.worse]).toEqual(["b", "a"]);
    expect([one.p, one.difference, one.causes]).toEqual([other.p, -other.difference, other.causes]);
    // The sentence is of the one that is compared, and the failures are those of the other.
    expect(other.verdict).toBe(
      "bot 1 is better: it met 10 of 10 trials, bot 2 5 of 10, over 10 tasks (50.0 points, confidence 93). All 5 of the failures that are gone left out a needed call.",
    );
    expect(comparisonMarkdown(other)).toContain("Root causes of the failures of a that are gone: missing_call (5).");
  });

  test("one task lost is no difference shown; none differing is confidence 0; three lost is leaning", () => {
    const against = (failed: number) =>
      compareGroups(group(tasks, all("met")), group(tasks, some(failed), { id: "rg_2", version: "2" }), DEFAULT_BANDS);
    expect(against(1)).toMatchObject({ words: "no difference shown", confidence: 0 });
    // Where nothing is decided, no figure says how sure that is.
    expect(against(1).verdict).toBe("No difference shown: bot 1 met 10 of 10 trials, bot 2 9 of 10, over 10 tasks.");
    expect(against(0)).toMatchObject({ words: "no difference shown", p: 1 });
    expect(against(0).worse).toBeUndefined();
    expect(against(3)).toMatchObject({ words: "leaning", confidence: 75 });
    expect(against(3).verdict).toContain("bot 2 seems worse, which is not shown");
  });

  test("infra and invalid trials stand beside and move nothing; a task without a valid trial is refused", () => {
    const b = all("met").map((row, i) => (i === 0 ? trial(row.task, 1, "infra") : row));
    const found = compareGroups(group(tasks, all("met")), group(tasks, b, { id: "rg_2", version: "2" }), DEFAULT_BANDS);
    expect(found.tasks).toHaveLength(9);
    expect(found.refused).toMatchObject([{ index: 0, reason: "No valid trial in b." }]);
    expect(found.b).toMatchObject({ met: 9, valid: 9 });
  });
});

describe("terms", () => {
  const against = (b: ReturnType<typeof group>, a = group(tasks, all("met"))) => compareGroups(a, b, DEFAULT_BANDS);
  const reasons = (found: ReturnType<typeof compareGroups>) => [...new Set(found.refused.map((row) => row.reason))];

  test.each([
    ["The drawn rows were others.", { terms: { base: "other", tools: "t" } }],
    ["The tools were others.", { terms: { base: "b", tools: "other" } }],
    ["The time limits differ, 60 s and 61 s.", { timeout: 61 }],
  ])("%s", (reason, shape) => {
    const found = against(group(tasks, all("met"), { id: "rg_2", version: "2", ...shape }));
    expect(reasons(found)).toEqual([reason]);
    const why = `${reason.slice(0, 1).toLowerCase()}${reason.slice(1, -1)}`;
    expect(found.verdict).toContain(`: no task was run by both under the same terms (${why}): `);
  });

  test("tools may differ where the same agent version ran both: they are what is compared", () => {
    const found = against(group(tasks, all("met"), { id: "rg_2", terms: { base: "b", tools: "other" } }));
    expect(found.tasks).toHaveLength(10);
  });

  test("other checks, another task, and tasks of one side only are each refused for what they are", () => {
    const changed = [planned("tk_0", 0, { checks: "x" }), planned("tk_1", 1, { digest: "x" }), planned("tk_new", 2)];
    const found = against(group(changed, [], { id: "rg_2", version: "2" }), group(tasks.slice(0, 3), all("met")));
    expect(found.refused.map((row) => row.reason).sort()).toEqual([
      "Its checks were others.",
      "Only a ran it.",
      "Only b ran it.",
      "The task itself was another.",
    ]);
  });

  test("the same task in another environment on the same rows is paired by its digest", () => {
    const copies = tasks.map((task) => ({ ...task, id: `copy_${task.id}` }));
    const trials = copies.map(({ id }) => trial(id, 1, "met"));
    const found = against(group(copies, trials, { id: "rg_2", version: "2", environment: "env_2" }));
    expect(found.tasks).toHaveLength(10);
  });
});

test("calls that differ are told by tool and class, by try and place, never by argument", () => {
  const call = (tool: string, args = {}) => ({
    tool,
    args,
    answer: "planted",
    answer_class: "data",
    is_error: false,
    changed: false,
  });
  const with_ = (calls: ReturnType<typeof call>[]) => [
    trial("tk_0", 1, "met", { trial: { calls, answers: [], diff: [] } }),
  ];
  const one = tasks.slice(0, 1);
  const compare = (a: ReturnType<typeof call>[], b: ReturnType<typeof call>[]) =>
    compareGroups(group(one, with_(a)), group(one, with_(b), { id: "rg_2", version: "2" }), DEFAULT_BANDS);
  expect(compare([call("get", { x: 1, y: 2 })], [call("get", { y: 2, x: 1 })]).tasks[0]?.calls).toEqual([]);
  const differ = compare(
    [call("get"), call("put", { x: "planted" })],
    [call("get"), call("put", { x: 2 }), call("end")],
  );
  expect(differ.tasks[0]?.calls).toMatchObject([{ n: 1, at: 2, what: "arguments", calls: { a: 2, b: 3 } }]);
  expect(JSON.stringify(differ)).not.toContain("planted");
  expect(compare([call("get")], [call("find")]).tasks[0]?.calls).toMatchObject([{ at: 1, what: "tool" }]);
  expect(compare([call("get")], []).tasks[0]?.calls).toMatchObject([{ at: 1, what: "length", b: null }]);
});

test("text from tasks cannot become markup of the Markdown file", () => {
  const planted = "<img src=x> [click](https://evil.example) | @all `code`\n# title";
  const one = [planned("tk_0", 0, { request: planted })];
  const made = compareGroups(
    group(one, [trial("tk_0", 1, "met")]),
    group(one, [trial("tk_0", 1, "failed")], { id: "rg_2", version: "2" }),
    DEFAULT_BANDS,
  );
  const text = comparisonMarkdown(made);
  expect(text).not.toContain("<img");
  expect(text).not.toContain("](https://");
  expect(text).not.toContain("\n# title");
  expect(text.match(/https:\/\/evil/)).toBeNull();
  expect(text).toContain("&lt;img src=x&gt;");
  expect(text).not.toContain("@all");
});
