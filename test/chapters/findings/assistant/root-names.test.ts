import { expect, it } from "vitest";
import { answerByRule } from "../../../../chapters/findings/assistant/root-router.ts";
import type { ReadTools } from "../../../../chapters/findings/assistant/root-tools.ts";
import { readTools } from "../../../../src/mcp/read-tools.ts";
import { chapters } from "../../../../tools/index.ts";
import { Registry } from "../../../../tools/kernel/registry.ts";

const host = () => {
  throw new Error("nothing is called here");
};
const caller = { kind: "org", name: "reader", scope: "read", org: { id: "o", tag: "acme" } } as const;
const { nearest, named } = readTools(new Registry(chapters), host, caller, caller.org);
const { signal } = new AbortController();

/** What `evaluate` stores: its versions have a digest behind their numbers. */
const VERSIONS = ["2.5c18875d", "1.74d364cb"];
const body = {
  groups: [...VERSIONS.map((version) => ({ name: "desk agent", version })), { harness: "reference" }].map(
    (player, i) => ({
      group: `rg_${i}`,
      status: "landed",
      player,
      environments: [{ environment: "env_1", run: "run_1" }],
    }),
  ),
  surfaces: [{ name: "desk", environments: [{ id: "env_1", label: "desk 1" }] }],
  agents: [{ name: "desk agent", versions: VERSIONS.map((version) => ({ version })) }],
  tools: [{ name: "get_order" }],
};
const tools: ReadTools = {
  nearest,
  named,
  list: () => [],
  call: async (name) => ({ status: 200, body, verdict: `the verdict of ${name}` }),
};

it.each([
  ["compare desk agent 1 and desk agent 2", /^the verdict of compare_runs/],
  ["desk agent 1 vs desk agent 2", /^the verdict of compare_runs/],
  ["is desk agent 1 worse than desk agent 2?", /^the verdict of compare_runs/],
  ["what tools does the desk have", /^desk 1 offers 1 tool: get_order\./],
  ["which tools are there on desk 1", /^desk 1 offers 1 tool: get_order\./],
])("answers a question that names what the org holds: %s", async (question, says) => {
  expect((await answerByRule(tools, question, signal)).answer).toMatch(says);
});

it.each([
  ["compare GPT-5 and Claude", "gpt-5 or claude"],
  ["compare gpt-5 with desk agent 1", "gpt-5"],
  ["is desk agent 1 better than desk agent 9", "desk agent 9"],
])("refuses to compare what no run is stored of: %s", async (question, names) => {
  const { answer } = await answerByRule(tools, question, signal);
  expect(answer).toContain(`That cannot be told: no run is stored of ${names}.`);
});

it.each(["run the reference again with 2 trials", "repeat the reference run with 2 trials"])(
  "fills in the run of the built-in agent that is to be repeated: %s",
  async (question) => {
    expect((await answerByRule(tools, question, signal)).answer).toContain("svc call start_run group=rg_2 trials=2;");
  },
);

it("does not know a question for its own because it is about nothing else that is known", async () => {
  for (const question of ["who sells a desk for two", "is a desk agent paid well in Rome"])
    expect((await answerByRule(tools, question, signal)).answer).toMatch(/cannot be told|not clear what is asked/);
});
