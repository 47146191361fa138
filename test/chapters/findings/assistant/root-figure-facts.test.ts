import { expect, it } from "vitest";
import {
  costOfRuns,
  longestTrace,
  slowestTool,
  toolErrors,
} from "../../../../chapters/findings/assistant/root-figure-facts.ts";
import { makers } from "../../../../chapters/findings/assistant/root-org-facts.ts";
import { records } from "../../../../chapters/findings/assistant/root-store-facts.ts";
import type { Ask } from "../../../../chapters/findings/assistant/root-subject.ts";
import { failedTrial } from "../../../../chapters/findings/assistant/root-trial-facts.ts";
import { compiledAt } from "../../../../chapters/findings/assistant/root-world-facts.ts";

type Fact = (ask: Ask, text: string) => Promise<string[]>;
/** What a fact tells of bodies by their tool; a tool without one is refused. */
const told = (fact: Fact, text: string, bodies: Readonly<Record<string, unknown>>) =>
  fact(
    async (tool) => (bodies[tool] === undefined ? { status: 404, body: {} } : { status: 200, body: bodies[tool] }),
    text,
  );

const ms = (p50: number, p95: number) => ({ p50, p95, of: 7 });
const figures = {
  by_tool: [{ name: "search", ms: ms(300, 900) }, { name: "refund", ms: ms(2000, 9000) }, { name: "pay" }],
  weeks: [
    { name: "2026-W20", ms: ms(60_000, 240_000) },
    { name: "2026-W21", ms: ms(70_000, 180_000) },
  ],
};
const status = { evidence: 1, figures };
const untimed = { evidence: 1, figures: { by_tool: [{ name: "pay" }], weeks: [{ name: "2026-W20" }] } };

it("tells the slowest tool by the time that half of its calls took, the fastest, and the one that is named", async () => {
  expect(await told(slowestTool, "Which tool is slowest?", { org_status: status })).toEqual([
    "refund is the slowest tool in production traces: half of 7 calls took 2.0 s at most, 95 % 9.0 s.",
    "- search: half of 7 calls took 0.3 s at most, 95 % 0.9 s",
  ]);
  expect((await told(slowestTool, "Which is the fastest tool?", { org_status: status }))[0]).toMatch(
    /^search is the fast/,
  );
  expect(await told(slowestTool, "How long does search take?", { org_status: status })).toEqual([
    "search: half of 7 calls took 0.3 s at most, 95 % 0.9 s.",
  ]);
});

it("says of tools without times that how long they take is not known", async () => {
  expect(await told(slowestTool, "", { org_status: untimed })).toEqual([
    "How long tools take is not known: of 1 tool no trace says when a call began and ended.",
  ]);
  expect((await told(slowestTool, "", { org_status: { evidence: 0 } }))[0]).toContain("no trace from production");
});

const groups = [
  { group: "rg_2", status: "landed", player: { name: "desk", version: "2" }, environments: [{ run: "run_2" }] },
  { group: "rg_1", status: "landed", player: { name: "desk", version: "1" }, environments: [{ run: "run_1" }] },
];
const call = (tool: string, answer_class: string) => ({ tool, answer_class });
const errors = {
  run_groups_list: { groups: groups.map((row) => ({ ...row, counts: { met: 1, failed: 1 } })) },
  job_calls: {
    tries: [
      { calls: [call("refund", "error:failed"), call("search", "data")] },
      { calls: [call("refund", "error:failed"), call("pay", "refused")] },
    ],
  },
  evidence_list: { evidence: [{ id: "ev_1" }] },
  evidence_get: { tools_of: 4, tools: [{ tool: "pay", calls: 9, errors: 2, refused: 1 }] },
};

it("tells the kinds of errors of the newest run and of the traces, those first that are asked for", async () => {
  const run = "3 of 4 calls in 2 trials of desk 2 ended in an error or a refusal: error:failed 2, refused 1.";
  const traces = "2 of 9 calls in 4 traces ended in an error and 1 was refused by the system.";
  expect(await told(toolErrors, "What kinds of tool errors are there?", errors)).toEqual([
    run,
    "- error:failed: refund 2",
    "- refused: pay 1",
    `- ${traces}`,
  ]);
  expect(await told(toolErrors, "What kinds of errors are in the traces?", errors)).toEqual([
    traces,
    "- pay: 2 errors, 1 refused, of 9 calls",
    `- ${run}`,
  ]);
});

it("tells no kinds of errors where there is neither a run nor a trace, and none where all calls were answered", async () => {
  expect(await told(toolErrors, "", { run_groups_list: { groups: [] }, evidence_list: { evidence: [] } })).toEqual([]);
  const job_calls = { tries: [{ calls: [call("search", "data")] }] };
  const [first] = await told(toolErrors, "", { ...errors, job_calls });
  expect(first).toBe("0 of 1 call in 1 trial of desk 2 ended in an error or a refusal.");
});

it("tells how long traces take, with the call that lists the longest", async () => {
  const evidence_list = { evidence: [{ stats: { traces: 2, calls: 7 } }] };
  expect(await told(longestTrace, "", { org_status: status, evidence_list })).toEqual([
    "In 2026-W20, the week with the longest traces, 95 % of 7 traces took 4.0 minutes at most and half took 60 s.",
    '- evidence_match with filter {"min_ms":240000} lists the longest, to a token of scope push; this assistant reads with scope read alone',
    "- 3.5 tool calls a trace on average: 7 in 2 traces.",
  ]);
  expect((await told(longestTrace, "", { org_status: untimed, evidence_list }))[0]).toMatch(/is not known/);
  expect(await told(longestTrace, "", { org_status: { evidence: 0 } })).toEqual(["No traces are stored yet."]);
});

it("tells who added an agent and its versions, of the agent that is named alone", async () => {
  const version = { version: "1", by: "ben" };
  const agents = ["desk", "car"].map((name) => ({ name, by: "anna", created_at: 60, versions: [version] }));
  expect(await told(makers, "Who made the desk agent?", { agents_list: { agents } })).toEqual([
    "desk was added by anna, 1970-01-01 00:01 UTC; version 1 by ben.",
  ]);
  expect(await told(makers, "Who made them?", { agents_list: { agents } })).toHaveLength(2);
  expect(await told(makers, "", { agents_list: { agents: [] } })).toEqual(["No agent is connected yet."]);
});

it("tells what runs cost side by side, and which cost most", async () => {
  const read = (prices: Readonly<Record<string, number | undefined>>) =>
    costOfRuns(async (tool, { rid }) => {
      const usd = prices[String(rid)];
      const trials = [usd === undefined ? { tokens: { input: 4, output: 1 } } : { usd }];
      return { status: 200, body: tool === "run_get" ? { trials } : { groups } };
    });
  expect(await read({ run_1: 0.5, run_2: 2 })).toEqual([
    "Of the 2 newest runs, that of desk 2 cost most, 2.00 USD, and that of desk 1 least, 0.50 USD.",
    "- desk 2, 1 trial: 2.00 USD",
    "- desk 1, 1 trial: 0.50 USD",
  ]);
  expect(await read({})).toEqual([
    "What the 2 newest runs cost in dollars is not known: the agents told no cost.",
    "- desk 2, 1 trial: 5 tokens",
    "- desk 1, 1 trial: 5 tokens",
  ]);
  expect((await told(costOfRuns, "", { run_groups_list: { groups: [] } }))[0]).toContain("No run is stored yet");
});

it("tells how many trials there are in total, and of other records how many are kept", async () => {
  const counts = { met: 3, failed: 2, infra: 1, invalid: 0, planned: 6 };
  const run_groups_list = { groups: groups.map((group) => ({ ...group, status: "landed", counts })) };
  const org_status = { surfaces: 1, environments: 1, agents: 1, groups: 2 };
  const read = (text: string) => told(records, text, { run_groups_list, org_status });
  expect((await read("how many trials were run in total"))[0]).toMatch(/^4 of 12 trials failed and 6 were met, over 2/);
  expect((await read("how many runs in total"))[0]).toMatch(/ and 2 run groups\.$/);
});

it("tells from how many traces a world was compiled", async () => {
  const bundles = [{ id: "bd_2", evidence: ["ev_1", "ev_2"] }];
  const surfaces = [{ name: "desk", bundle: "bd_2", versions: [{ created_at: 60 }] }];
  const bodies = { surfaces_list: { surfaces }, bundles_list: { bundles }, evidence_get: { tools_of: 7 } };
  expect(await told(compiledAt, "from how many traces", bodies)).toEqual([
    "desk was compiled last at 1970-01-01 00:01 UTC, from 14 traces; 1 version in all.",
  ]);
});

it("tells which calls of a failed trial were refused or failed", async () => {
  const call = (tool: string, answer_class: string) => ({ tool, answer_class, is_error: answer_class !== "success" });
  const calls = [call("get_order", "success"), call("get_refund", "error:not_found")];
  const run_trace = {
    trials: [{ trial: "tk_1.1", end: "failed" }],
    tree: { request: "Refund?", root_cause: "loop", checks: [], answers: [], calls },
  };
  const lines = await told(failedTrial, "why did the last trial fail", { run_groups_list: { groups }, run_trace });
  expect(lines).toContain("- calls that were refused or failed: get_refund (error:not_found)");
});
