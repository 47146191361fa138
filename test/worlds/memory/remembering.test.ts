import { expect, test } from "vitest";
import { callsByTool, observe } from "../../../worlds/compile/observations.ts";
import { remember } from "../../../worlds/compile/remembering.ts";
import type { ObservedCall } from "../../../worlds/observation.ts";

const answered = (tool: string, key: string, value: object): ObservedCall => ({
  tool,
  args: { key },
  result: JSON.stringify(value),
  isError: false,
});

const sessions = observe(
  Array.from({ length: 8 }, (_, i) => ({
    id: `s${i}`,
    group: `task ${i % 3}`,
    calls: ["a", "b"].flatMap((key) => [
      answered("look", key, { key, seen: 1 }),
      answered("touch", key, { key, done: i % 2 }),
    ]),
  })),
);
const missed = new Set(callsByTool(sessions).get("look"));
const listing = (readOnlyHint: boolean) => [
  { name: "look", inputSchema: {}, annotations: { readOnlyHint: true } },
  { name: "touch", inputSchema: {}, annotations: { readOnlyHint } },
];

test("sessions that were remembered before are remembered as anew, whatever was asked of them then", () => {
  const ways = [false, true].flatMap((hint) =>
    [{ all: true }, {}, { helped: new Set(["touch"]) }].map((rest) => ({ listing: listing(hint), rest })),
  );
  const texts = [...ways, ...ways.reverse()].map(({ listing, rest }) => {
    const anew = JSON.stringify(remember([...sessions], missed, listing, rest));
    expect(JSON.stringify(remember(sessions, missed, listing, rest))).toBe(anew);
    expect(JSON.stringify(remember(sessions, missed, listing, rest))).toBe(anew);
    return anew;
  });
  expect(new Set(texts).size).toBeGreaterThan(2);
});
