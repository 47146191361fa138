import { expect, test } from "vitest";
import { play, READ_LINES, withLauncher } from "./play.ts";

withLauncher();

const ECHO = `${READ_LINES}for await (const line of lines) say({ answer: "heard " + JSON.parse(line).text + " as " + JSON.parse(line).turn });`;

test("after the fixed turns the user replies to what was answered, until it has gone", async () => {
  const heard: string[][] = [];
  const reply = async (answers: readonly { text: string }[]) => {
    heard.push(answers.map(({ text }) => text));
    return answers.length < 4 ? `reply ${answers.length}` : undefined;
  };
  const conduct = await play(ECHO, { reply });
  const all = ["heard first as 1", "heard second as 2", "heard reply 2 as 3", "heard reply 3 as 4"];
  expect(conduct).toMatchObject({ answers: all.map((text) => ({ text })), began: true });
  expect(conduct.cause).toBeUndefined();
  expect(heard).toEqual([all.slice(0, 2), all.slice(0, 3), all]);
});

test("adapter text: a reply is a turn of its own process", async () => {
  const script = 'process.stdout.write("heard " + process.argv.at(-1));';
  const reply = async (answers: readonly { text: string }[]) => (answers.length < 3 ? "more" : undefined);
  const { answers } = await play(script, { reply, adapter: "text" });
  expect(answers.map(({ text }) => text)).toEqual(["heard first", "heard second", "heard more"]);
});

test("an agent that goes after the fixed turns has said what it said", async () => {
  const script = `${READ_LINES}let n = 0;
for await (const line of lines) { say({ answer: "one?" }); if (++n === 2) process.exit(0); }`;
  const conduct = await play(script, { reply: async () => "yes" });
  expect(conduct.answers).toHaveLength(2);
  expect(conduct.cause).toBeUndefined();
});

test("a user who cannot reply ends the agent, and the error is the caller's", async () => {
  const reply = () => Promise.reject(new Error("the budget is spent"));
  await expect(play(ECHO, { reply })).rejects.toThrow("the budget is spent");
});

test("an agent is ended in time, and by a stop, while the user thinks", async () => {
  let waited: (() => void) | undefined;
  const slow = () => new Promise<undefined>((resolve) => (waited = () => resolve(undefined)));
  const late = play(ECHO, { reply: slow, timeout: 1 });
  setTimeout(() => waited?.(), 2_500);
  expect((await late).cause).toBe("timeout");
  const stop = new AbortController();
  const stopped = play(ECHO, {
    reply: () => new Promise(() => setTimeout(() => stop.abort(), 50)),
    signal: stop.signal,
  });
  expect((await stopped).cause).toBe("stopped");
});
