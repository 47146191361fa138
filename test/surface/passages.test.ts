import { expect, it } from "vitest";
import { meaningFor, passages, sentencesFor } from "../../src/guides/passages.ts";

it.each([
  ["What is kept of our data when a source is set to shapes?", "types and formats", "#what-is-kept-of-values"],
  [
    "Why is a task stale after an upgrade?",
    "environment_review_post has reviewed them again",
    "docs/change-worlds.md#",
  ],
  [
    "what does exit status 3 mean",
    "status 3: of watch: it is held, or did not end in time",
    "docs/command-line.md#exit-statuses",
  ],
  ["can I send gzip files", "gzip or zstd", "docs/formats.md#"],
  ["do you support OpenTelemetry protobuf", "OTLP in JSON or protobuf", "docs/formats.md#traces"],
  ["which ports does it listen on", "SVC_PORT: 127.0.0.1, 7333", "docs/settings.md#settings"],
  ["why do intervals count tasks and not trials", "intervals count tasks and not trials", "docs/limits.md#questions"],
])("answers from the documentation, with where it stands: %s", (question, says, at) => {
  expect(sentencesFor(question)).toContain(says);
  expect(sentencesFor(question)).toContain(at);
});

it.each([
  "what is 17 times 23?",
  "where is my package",
  "can you book a table for two?",
  "when does the next train leave?",
])("tells nothing where the documentation has too little of what is asked: %s", (question) => {
  expect(sentencesFor(question)).toBeUndefined();
});

it("tells the command of a short example with the sentence that says what it does", () => {
  const among = ({ page, heading }: { page: string; heading: string }) =>
    page === "command-line" && heading === "A gate for CI";
  expect(sentencesFor("how do I fail the build when a regression is shown", among)).toMatch(
    /^svc compare .*--gate.* 1 when one is/,
  );
});

it("tells what a section begins with where no sentence of it has more than a word of the question", () => {
  const among = ({ page, heading }: { page: string; heading: string }) =>
    page === "command-line" && heading === "A gate for CI";
  expect(sentencesFor("how can a merge be refused when the new agent is worse", among)).toMatch(
    /^svc compare .*--gate/,
  );
});

it("tells of the section that a question names, with its example", () => {
  const among = ({ page }: { page: string }) => page === "connect";
  expect(sentencesFor("How do I use this from Cursor?", among)).toMatch(
    /\.cursor\/mcp\.json.*"proving-ground".*connect\.md#cursor/,
  );
  expect(sentencesFor("how do I add this to VS Code", among)).toContain("connect.md#vs-code");
});

it("tells each row of a table as a sentence, and of several columns each cell with its heading", () => {
  const row = (begins: string) => passages().find(({ text }) => text.startsWith(begins))?.text;
  expect(row("asks for something else")).toMatch(/: does not know it, or leaves it to the agent\.$/);
  expect(row("status 1")).toMatch(/of compare --gate: a regression is shown; of watch: it ended otherwise; .*\.$/);
});

it.each([
  ["what does status 2 of compare --gate mean", ["status", "2", "gate"], /2 when it cannot tell|gate: cannot tell/],
  ["what are shapes", ["shapes"], /^data_access.* how values are kept: shapes: only types and formats are left/],
  ["what does anonymized do", ["anonymized"], /^data_access.*: anonymized: names, mail and postal addresses/],
])("tells of words that are no terms what the documentation says of them: %s", (question, words, says) => {
  expect(meaningFor(words, question)).toMatch(says);
});

it.each([["lining"], ["canary"], ["black", "hole"], ["incident", "hole"]])(
  "tells nothing of words that the documentation is not about: %s",
  (...words) => {
    expect(meaningFor(words, `what is a ${words.join(" ")}`)).toBeUndefined();
  },
);

it("tells one row, item or paragraph where another has no more of the question, and nothing of another list", () => {
  expect(sentencesFor("what does exit status 3 mean")).not.toContain("status 0");
  const told = sentencesFor("how is fidelity measured by the command", ({ page }) => page === "measure");
  expect(told).not.toMatch(/identical.*history:/);
});

it("has no passage that is too long to be told", () => {
  const long = passages().filter(({ text }) => text.length > 900);
  expect(long.map(({ text }) => text)).toEqual([]);
  expect(passages().length).toBeGreaterThan(300);
});
