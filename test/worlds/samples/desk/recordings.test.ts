import { expect, test } from "vitest";
import { createDesk } from "../../../../worlds/samples/desk/desk.ts";
import { openDeskClient, recordSessions } from "../../../../worlds/samples/desk/record.ts";
import { answerLive, liveSessions } from "../../../../worlds/samples/desk/sessions.ts";
import { recordedSessions } from "./help.ts";

const sessions = recordedSessions();

test("recording again gives the committed lines byte for byte", async () => {
  const again = await recordSessions(8);
  expect(again.map((row) => JSON.stringify(row))).toEqual(sessions.slice(0, 8).map(({ line }) => line));
});

test("every recorded answer is what a desk in this process answers", () => {
  for (const [i, { calls }] of sessions.entries()) {
    const desk = createDesk({ issued: i * 3 });
    for (const { tool, args, text, isError } of calls) expect(desk.call(tool, args)).toEqual({ text, isError });
    desk.close();
  }
});

test("recordings reach every tool, answered and refused where it can refuse, and fit their size", () => {
  const answered = new Set<string>();
  const refused = new Set<string>();
  for (const { calls } of sessions) for (const { tool, isError } of calls) (isError ? refused : answered).add(tool);
  const tools = createDesk().tools.map(({ name }) => name);
  expect([...answered].sort()).toEqual([...tools].sort());
  expect([...refused].sort()).toEqual(tools.filter((name) => name !== "search_products").sort());
  expect(sessions.reduce((sum, { line }) => sum + line.length + 1, 0)).toBeLessThan(1_500_000);
  const words = sessions.flatMap(({ calls }) => calls.filter(({ isError }) => isError).map(({ text }) => text));
  for (const rule of [
    /only pending orders can be cancelled/,
    /only pending orders can be sent/,
    /only pending orders can be changed/,
    /only pending orders can be paid/,
    /only delivered orders/,
    /five digits/,
    /has no item/,
    /is not in the category/,
    /costs less than/,
    /Only \d+ of .+ in stock/,
    /is discontinued/,
    /At most 5 units/,
    /Returns for order .+ closed/,
    /already returned/,
    /of store credit/,
    /is on the card/,
    /not found/,
  ])
    expect(words.filter((text) => rule.test(text)).length).toBeGreaterThanOrEqual(2);
});

test("unseen sessions are drawn from their seed, are not the recorded ones, and answer the same in a process", async () => {
  const drawn = liveSessions(42, 30);
  expect(liveSessions(42, 30)).toEqual(drawn);
  expect(liveSessions(43, 30)).not.toEqual(drawn);
  const known = new Set(sessions.map(({ calls }) => JSON.stringify(calls.map(({ tool, args }) => ({ tool, args })))));
  const unseen = drawn.filter(({ calls }) => !known.has(JSON.stringify(calls)));
  expect(unseen.length).toBeGreaterThan(20);
  const client = await openDeskClient();
  const [session] = [...drawn].sort((a, b) => b.calls.length - a.calls.length);
  const local = session ? answerLive(session) : [];
  expect(local.length).toBeGreaterThan(5);
  for (const [i, { tool, args }] of (session?.calls ?? []).entries()) {
    const answer = await client.callTool({ name: tool, arguments: args });
    const [block] = answer.content as { text: string }[];
    expect({ text: block?.text, isError: answer.isError === true }).toEqual(local[i]);
  }
  await client.close();
});
