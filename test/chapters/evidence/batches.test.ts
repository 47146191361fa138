import { afterAll, describe, expect, it } from "vitest";
import type { Compute } from "../../../chapters/compute.ts";
import { once } from "../../../chapters/evidence/reading/bytes.ts";
import { type Hints, openEvidence } from "../../../chapters/evidence/reading/evidence.ts";
import { createComputePool } from "../../../src/jobs/pool.ts";
import { packTrace } from "../../../store/pack-trace.ts";
import { awake, readWay } from "./formats/both-ways.ts";
import { CHAT, call } from "./formats/kit.ts";

const pool = createComputePool();
afterAll(() => pool.close());

const SECRET = `ghp_${"a1B2".repeat(9)}`;
const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const trial = (n: number, more: object = {}) => ({ task_id: n, trial: 0, reward: n % 2, traj: CHAT, ...more });
const record = (n: number, more: object = {}) => ({
  id: `s${n}`,
  messages: CHAT,
  metadata: { task_id: `t${n}` },
  ...more,
});
const simulation = (n: number) => ({ id: `u${n}`, task_id: n, termination_reason: "user_stop", messages: CHAT });
const said = (n: number) => ({ role: n % 2 ? "assistant" : "user", content: `Words ${n}` });
const lines = (rows: readonly unknown[]) =>
  rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");
const withCall = (text: string) => ({
  messages: [
    { role: "user", content: "Go" },
    { role: "assistant", content: null, tool_calls: [call("z", "ship", { to: "Łódź – 東京 😀" })] },
    { role: "tool", tool_call_id: "z", content: text },
  ],
});
const replaced = <T>(rows: readonly T[], at: Readonly<Record<number, unknown>>) => rows.map((row, i) => at[i] ?? row);

const rule = (access: "anonymized" | "shapes") => ({ access, key: "0f".repeat(32) });

/** Name, body, hints, and how many of its traces are read elsewhere. */
const BODIES: readonly (readonly [string, string, Hints, number])[] = [
  ["trials as lines", lines(range(300).map((n) => trial(n))), {}, 300],
  ["trials as an array", JSON.stringify(range(300).map((n) => trial(n))), {}, 300],
  [
    "an indented array",
    JSON.stringify(
      range(100).map((n) => trial(n)),
      null,
      2,
    ),
    {},
    100,
  ],
  ["simulations as lines", lines(range(120).map(simulation)), {}, 120],
  [
    "simulations of an object",
    JSON.stringify({ info: { environment_info: { domain_name: "shop" } }, simulations: range(90).map(simulation) }),
    {},
    0,
  ],
  [
    "records with broken lines, secrets, headers, empty ones and text past ASCII",
    lines(
      replaced(
        range(200).map((n) => record(n)),
        {
          5: '{"messages": [',
          6: "",
          7: "  ",
          40: withCall(`{"token": "${SECRET}"}`),
          41: withCall('{"Ł": "ó 東京 😀"}'),
          77: { messages: [] },
          78: "null",
          120: record(120, { response: { headers: { cookie: "a=1", accept: "x" } } }),
          199: '{"cut": ',
        },
      ),
    ),
    { format: "openai-chat" },
    193,
  ],
  ["secrets that are allowed", lines(range(70).map((n) => record(n, { note: SECRET }))), { allowSecrets: true }, 70],
  [
    "pseudonyms",
    lines(range(70).map((n) => withCall(`{"email": "ann${n}@shop.io"}`))),
    { privacy: rule("anonymized") },
    70,
  ],
  ["shapes", lines(range(70).map((n) => withCall(`{"email": "ann${n}@shop.io"}`))), { privacy: rule("shapes") }, 70],
  [
    "records, then single messages, then records",
    lines([...range(70).map((n) => record(n)), ...range(9).map(said), ...range(70).map((n) => record(n + 70))]),
    {},
    // The rest of the batch in which the first message stands is read here.
    123,
  ],
  ["single messages", lines(range(200).map(said)), {}, 0],
  [
    "more refusals than are kept",
    lines(
      replaced(
        range(400).map((n) => record(n)),
        Object.fromEntries(range(250).map((n) => [n + 100, "{"])),
      ),
    ),
    {},
    150,
  ],
  [
    "an array that breaks inside an item",
    `[${range(150)
      .map((n) => JSON.stringify(trial(n)))
      .join(",")},{"a":tru},${JSON.stringify(trial(1))}]`,
    {},
    128,
  ],
  [
    "an array that is cut off",
    `[${range(150)
      .map((n) => JSON.stringify(trial(n)))
      .join(",")},`,
    {},
    150,
  ],
  [
    "sessions put together from events",
    lines(range(60).map((n) => ({ sessionId: `c${n % 3}`, uuid: `${n}`, type: "user", message: said(n) }))),
    {},
    0,
  ],
];

describe("a body read on this thread and one read on others", () => {
  it.each(BODIES)("come to the same bytes, counts and refusals: %s", async (name, body, hints, elsewhere) => {
    const here = await readWay(body, undefined, hints);
    const there = await readWay(body, pool, hints);
    expect(there.elsewhere).toBe(elsewhere);
    expect(here.elsewhere).toBe(0);
    expect(here.error !== undefined).toBe(/breaks|cut off/.test(name));
    // Of a body that breaks nothing is kept.
    if (here.error === undefined) expect({ ...there, elsewhere: 0 }).toEqual(here);
    else expect(there.error).toBe(here.error);
    expect(here.rows.length).toBeGreaterThan(0);
  });

  it("differ in what is stored when a batch is left out, so that the comparison can fail", async () => {
    const body = lines(range(100).map((n) => trial(n)));
    let runs = 0;
    const losing: Compute = {
      async run(task, input) {
        const read = await task.run(input, { packTrace, tell: () => {} });
        return ++runs === 2 ? { ...read, traces: [] } : read;
      },
    };
    expect((await readWay(body, losing)).rows).not.toEqual((await readWay(body, undefined)).rows);
  });

  it("are one body while the threads wake: read here until they answer, there from then on", async () => {
    const body = lines(range(600).map((n) => trial(n)));
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    let asked = 0;
    const waking: Compute = {
      async run(task, input) {
        if (++asked === 1) await woken;
        return task.run(input, { packTrace, tell: () => {} });
      },
    };
    const open = await openEvidence(once(body));
    const ways: string[] = [];
    const sessions: string[] = [];
    for await (const { traces } of open.batches(waking)) {
      for (const given of traces) {
        ways.push("packed" in given ? "there" : "here");
        sessions.push("packed" in given ? given.packed.session : given.trace.session);
      }
      if (ways.length > 100) wake();
    }
    expect(sessions).toEqual((await readWay(body, undefined)).rows.map((row) => row.session));
    expect(ways.indexOf("there")).toBeGreaterThan(100);
    expect(ways.lastIndexOf("here")).toBeLessThan(ways.indexOf("there"));
    expect(ways.at(-1)).toBe("there");
  });

  it("hold a bounded part of the body, however long it is and however slow the reading", async () => {
    const line = `${JSON.stringify(trial(1, { info: { pad: "x".repeat(100_000) } }))}\n`;
    let given = 0;
    let taken = 0;
    let most = 0;
    async function* endless() {
      for (let i = 0; i < 600; i++) {
        given += line.length;
        most = Math.max(most, given - taken);
        yield Buffer.from(line);
      }
    }
    const slow: Compute = {
      async run(task, input) {
        await new Promise((resolve) => setTimeout(resolve, 2));
        return task.run(input, { packTrace, tell: () => {} });
      },
    };
    const open = await openEvidence(endless());
    for await (const batch of open.batches(awake(slow))) taken += batch.bytes;
    expect(taken).toBeGreaterThan(55_000_000);
    // The head that detection looks at, and what is under way.
    expect(most).toBeLessThan(20_000_000);
  });
});
