import { describe, expect, it } from "vitest";
import { answerByRule } from "../../../../chapters/findings/assistant/root-router.ts";
import type { ReadTools } from "../../../../chapters/findings/assistant/root-tools.ts";
import { readTools } from "../../../../src/mcp/read-tools.ts";
import { chapters } from "../../../../tools/index.ts";
import { Registry } from "../../../../tools/kernel/registry.ts";
import { KEPT_ASIDE, QUESTIONS, type Question } from "./questions.ts";

const host = () => {
  throw new Error("nothing is called here");
};
const caller = { kind: "org", name: "reader", scope: "read", org: { id: "o", tag: "acme" } } as const;
const { nearest, named } = readTools(new Registry(chapters), host, caller, caller.org);
const { signal } = new AbortController();

/** Tools that answer with one record of each kind. */
const answering: ReadTools = {
  nearest,
  named,
  list: () => [],
  async call(name) {
    const body = {
      groups: ["2", "1"].map((version) => ({
        group: `rg_${version}`,
        status: "landed",
        player: { name: "desk agent", version },
        environments: [{ environment: "env_1", run: `run_${version}` }],
        rates: { met: 1, failed: 1, valid: 2, rate: 0.5 },
      })),
      surfaces: [{ surface: "desk", environments: [{ id: "env_1" }] }],
      failures: [],
      trials: [],
      cells: [],
      tries: [],
      data_access: {},
      jobs: { queued: 0, running: 0, held: 0 },
      tasks: name === "org_status" ? { draft: 0, certified: 2, held: 0, refused: 0, retired: 0 } : [],
      agents: [{ id: "ag_1", name: "desk agent" }],
      evidence: [],
    };
    return { status: 200, body, verdict: `the verdict of ${name}` };
  },
};

async function missed(questions: readonly Question[]): Promise<string[]> {
  const lines: string[] = [];
  for (const [question, ...wanted] of questions) {
    const { answer, calls } = await answerByRule(answering, question, signal);
    const refused = /cannot be told|not clear what is asked/.test(answer);
    const last = calls.at(-1)?.tool ?? "";
    // What leads is called first where another thing is told beside it.
    const leads = (tool: string) => answer.startsWith(`${tool} `) || answer.startsWith(`the verdict of ${tool}\n`);
    const right = wanted.length === 0 ? refused : wanted.some((tool) => last === tool || leads(tool));
    if (!right) lines.push(`${question}: ${refused ? "cannot" : last || answer}`);
  }
  return lines;
}

describe("a plain question", () => {
  // Finding E53.
  it("is put to a tool that answers it, or is said not to be one", async () => {
    const wrong = await missed(QUESTIONS);
    console.log(`${QUESTIONS.length - wrong.length} of ${QUESTIONS.length} to the point; not:\n${wrong.join("\n")}`);
    expect(wrong.length / QUESTIONS.length).toBeLessThanOrEqual(0.1);
  });

  it("that the router was not worked on with is too", async () => {
    const wrong = await missed(KEPT_ASIDE);
    console.log(`${KEPT_ASIDE.length - wrong.length} of ${KEPT_ASIDE.length} to the point; not:\n${wrong.join("\n")}`);
    expect(wrong.length / KEPT_ASIDE.length).toBeLessThanOrEqual(0.1);
  });

  it("is answered with the verdict of the tool, of the newest records where it names none", async () => {
    const told = await answerByRule(answering, "Compare the two most recent runs", signal);
    expect(told.calls.map(({ tool }) => tool)).toEqual(["run_groups_list", "compare_runs"]);
    expect(told.answer).toBe("the verdict of compare_runs");
  });

  it("that wants something done is told the tool, and nothing is called", async () => {
    const told = await answerByRule(answering, "delete the member", signal);
    expect(told).toMatchObject({ calls: [], answer: expect.stringContaining("members_delete does that") });
  });

  it.each([
    "What will my pass rate be next month?",
    "How many trials will my agent pass tomorrow?",
    "What does our rival's agent score on the tasks?",
    "How many users sued us because of the wrong results?",
    "How many customers did we lose because of the faulty agent?",
    "How many clients has the bad version cost us?",
    "How much revenue did we lose through the agent's mistakes?",
  ])("about what no record can tell is told so, and nothing is called: %s", async (question) => {
    const told = await answerByRule(answering, question, signal);
    expect(told).toMatchObject({ calls: [], answer: expect.stringContaining("cannot be told") });
  });

  it("in two halves is answered in both, each tool called once", async () => {
    const told = await answerByRule(answering, "how many reports are there, and who is connected as an agent?", signal);
    expect(told.calls.map(({ tool }) => tool)).toEqual(["reports_list", "agents_list"]);
    const alike = await answerByRule(answering, "how many reports are there, and is any of them shared?", signal);
    expect(alike.calls.map(({ tool }) => tool)).toEqual(["reports_list"]);
  });

  it.each([
    ["which is better, deepseek or grok?", "deepseek or grok"],
    ["is desk agent 2 better than version 9?", "version 9"],
    ["is my agent any better than copilot?", "copilot"],
  ])("that compares what no run is stored of is refused by its name: %s", async (question, names) => {
    const told = await answerByRule(answering, question, signal);
    expect(told.answer).toBe(
      `That cannot be told: no run is stored of ${names}.\n- runs are stored of desk agent 2, desk agent 1`,
    );
  });

  it.each([
    "which is better, the old version or the new version?",
    "is the new one better than the old one on refunds?",
    "is version 2 worse than version 1?",
  ])("that compares what runs are stored of is answered: %s", async (question) => {
    const told = await answerByRule(answering, question, signal);
    expect(told.calls.map(({ tool }) => tool)).toContain("compare_runs");
  });

  it.each(["repair my agent's prompt", "please improve the code of version 2", "debug my bot for me"])(
    "that wants the agent itself changed is told that nothing does that: %s",
    async (question) => {
      const told = await answerByRule(answering, question, signal);
      expect(told).toMatchObject({ calls: [], answer: expect.stringMatching(/^That cannot be done here/) });
    },
  );

  it.each([
    ["run version 1 once more with 4 trials per task", "svc call start_run group=rg_1 trials=4;"],
    ["create a token that expires in 14 days", "svc call org_tokens_post name=… scope=… expires_in_days=14;"],
    ["limit the budget to 12.5 dollars a day", "svc call budget_put usd_per_day=12.5;"],
    ["post the broken tasks into our teams channel", "svc call deliver_chat group=rg_2;"],
    ["message the team on teams", "svc call deliver_chat group=rg_2;"],
    ["add sam@example.org as a member", "svc call members_post email=… name=…;"],
  ])("that wants something done is told the call, with what it says of it: %s", async (question, call) => {
    expect((await answerByRule(answering, question, signal)).answer).toContain(call);
  });

  it.each([
    ["fix the wrong answer of get_refund", /^No call edits a single answer or row.*change-worlds\.md/],
    ["restart the last job", /^Nothing repeats a job by its id\. start_run with resume .*limits\.md/],
    ["which trace formats can you read", /^Traces: openai-chat, anthropic-messages, otlp, .*formats\.md#traces/],
  ])("that the documentation answers is told what it says: %s", async (question, says) => {
    expect((await answerByRule(answering, question, signal)).answer).toMatch(says);
  });

  it("about times to come is answered from schedules", async () => {
    const told = await answerByRule(answering, "what runs next week", signal);
    expect(told.calls.at(-1)?.tool).toBe("schedules_list");
  });

  it("about what is not there yet says so", async () => {
    const empty: ReadTools = {
      ...answering,
      call: async () => ({ status: 200, body: { groups: [], surfaces: [], agents: [] } }),
    };
    const told = await answerByRule(empty, "Is the fake world faithful?", signal);
    expect(told.answer).toContain("nothing yet");
  });
});
