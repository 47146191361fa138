import { expect, it } from "vitest";
import { passages, sentencesFor } from "../../src/guides/passages.ts";

it.each([
  ["What is kept of our data when a source is set to shapes?", "types and formats", "#what-is-kept-of-values"],
  [
    "Why is a task stale after an upgrade?",
    "environment_review_post has reviewed them again",
    "docs/change-worlds.md#",
  ],
  ["what does exit status 3 mean", "3: it is held, or did not end in time", "docs/command-line.md#exit-statuses"],
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

it("ends the row of a table before what is told after it", () => {
  const among = ({ page }: { page: string }) => page === "trial-contract";
  expect(sentencesFor("What does the user reply when the agent asks for something else?", among)).toMatch(
    /leaves it to the agent\. /,
  );
});

it("has no passage that is too long to be told", () => {
  const long = passages().filter(({ text }) => text.length > 900);
  expect(long.map(({ text }) => text)).toEqual([]);
  expect(passages().length).toBeGreaterThan(300);
});
