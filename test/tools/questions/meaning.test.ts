import { expect, it } from "vitest";
import { terms } from "../../../src/guides/terms.ts";
import { Meanings } from "../../../tools/questions/meaning.ts";

const meanings = new Meanings(terms());
/** The words that are told, in their order. */
const told = (question: string) => meanings.sought(question).terms.map(({ text }) => text.split(":")[0]);

it.each([
  ["What exactly is a trial, and is each one paid for?", ["trial"]],
  ["what's an answer class?", ["answer class", "answer_class"]],
  ["Explain the term gap to me", ["gap"]],
  ["what do you call a bundle here?", ["bundle"]],
  ["What counts as a criterion?", ["check"]],
  ["define ontology", ["ontology"]],
  ["What do you call a surface here?", ["surface"]],
  ["What do we mean by a surface?", ["surface"]],
  ['what do you call a "surface"?', ["surface"]],
  ["What means surface?", ["surface"]],
  ["what's a certificate good for?", ["certificate"]],
  ["Can you explain to my boss what the fidelity figure tells him?", ["fidelity"]],
  ["what does guarded write mean", ["guarded_write"]],
  ["pass^k?", ["pass^k"]],
  ["what's a surface in the console?", ["surface"]],
  ["What is a check in a task?", ["check"]],
  ["What is a plain recording in the line of fidelity?", ["plain recording"]],
  ["What are the null and replay agents in my list?", ["null agent", "replay agent"]],
  ["what is the null baseline", ["null agent"]],
  ["What does the fidelity tell me?", ["fidelity"]],
  ["what does the coverage figure measure", ["coverage"]],
  ["My group says cancelled. Meaning?", ["cancelled"]],
  ["what does it mean that a certificate is stale", ["stale"]],
  ["what does the gate mean by regression", ["regression", "regression"]],
])("tells the word that is asked for: %s", (question, words) => {
  expect(told(question)).toEqual(words);
});

it.each([
  ["What is wrong_argument?", ["wrong_argument"]],
  ["missing_call?", ["missing_call"]],
  ["A run of ours lists over_refusal for most trials. What does that mean?", ["over_refusal"]],
  ["What does max_calls stand for?", ["max_calls"]],
  ["there is not_served in the answers of a world, what's that?", ["gap"]],
])("finds a word of code as it is written: %s", (question, words) => {
  expect(told(question)).toEqual(words);
});

it.each([
  ["What does it mean when a trial ended infra?", ["infra"]],
  ['The task says "refused". How should I read that?', ["refused"]],
  ["what does retired mean for a task", ["retired"]],
  ['a comparison says "cannot tell", why is it not more clear?', ["cannot tell"]],
  ["Why does the comparison say no difference shown?", ["no difference shown"]],
  ["It says llm-derived there, should I worry, what does that say?", ["tier"]],
  ["Beside the rate it says llm-derived, what's this?", ["tier"]],
  ["It says confidence 95. What precisely does this tell me?", ["confidence"]],
  ["why is there llm-derived next to my rate?", ["tier"]],
])("takes what is said of a task or a trial for the word that is asked for: %s", (question, [word]) => {
  expect(told(question)[0]).toBe(word);
});

it.each([
  ["difference between a sandbox and an environment", ["sandbox", "environment"]],
  ["what is the difference of a run and a gap?", ["run, group", "gap"]],
  ["trial, task and run: what is the difference between the three?", ["trial", "task", "run, group"]],
  ["How do infra and invalid differ?", ["infra", "invalid"]],
  ["What's a gap, and how does it relate to a world?", ["gap", "world"]],
  ["run vs. group", ["run, group"]],
  ["sandbox or environment?", ["sandbox", "environment"]],
  ["is a bundle the same as a surface?", ["bundle", "surface"]],
])("tells all the words whose difference is asked for: %s", (question, words) => {
  expect(told(question)).toEqual(words);
});

it.each([
  ["what does exit status 1 of evaluate mean", ["exit", "1", "evaluate"]],
  ["watch ended with 3, what does that tell me", ["watch", "ended", "3"]],
  ["what is meant by a frozen task", ["frozen"]],
  ['what does "as recorded" mean next to a tool', ["recorded"]],
  ["what's an incident", ["incident"]],
  ["what is running", []],
  ["what is meant by a world that is frozen", ["frozen"]],
  ["what's meant by the bundle of a vendor", []],
  ["meaning of the tier mark on a rate", []],
])("gives the words that are no terms to be looked up: %s", (question, words) => {
  expect(meanings.sought(question).others).toEqual(words);
});

it.each([
  "What is the status of the last run?",
  "version 1 vs version 2",
  "did the last trial fail or crash?",
  "What is running?",
  "What are the tasks in my environment?",
  "what's the fidelity in the newest environment",
  "what do these failed trials tell me",
  "what are the failures of the rule agent",
  "What is held?",
  "What are my tasks about?",
  "What is a canary trace?",
  "What is the difference between version 1 and version 2 in failed trials?",
  "How do I fix what counts as correct in a task?",
  "An upload was wrong, how do I take it back?",
  "which trials are invalid",
  "What is the meaning of life?",
  "the run ended, what did it cost?",
  "What does the last report say about refunds?",
])("leaves a question to the records that asks for no word: %s", (question) => {
  expect(told(question)).toEqual([]);
});

it("tells each word as a sentence that begins with it", () => {
  for (const { text } of terms()) expect(text).toMatch(/^[a-z_^, -]+: [A-Z].*\.$/);
});
