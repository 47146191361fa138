import { afterAll, beforeAll, expect, it } from "vitest";
import { call } from "../../../../tools/kernel/call.ts";
import { bothSurfaces, startApp } from "../../../helpers/app.ts";
import { type FakeProvider, startProvider } from "../../../helpers/vendors/models.ts";
import { twoGroups } from "../../exports/delivery-kit.ts";

it("threads of a member are theirs in every session, and no other member's", async () => {
  const app = await startApp();
  try {
    const org = await app.org();
    const as = (member: string, session: string, tool: string, args: object = {}) => {
      const op = app.service.registry.get(tool)?.op;
      if (!op) throw new Error(tool);
      const caller = {
        kind: "org" as const,
        name: member,
        member,
        token: session,
        scope: "push" as const,
        org: { id: org.id, tag: org.tag },
      };
      const signal = new AbortController().signal;
      return call(app.service.host, op, { credential: { caller }, args: { ...args }, signal });
    };
    const asked = await as("mb_ann", "cs_1", "root_post", { text: "How did the latest run go?" });
    const { thread } = (asked as { body: { thread: string } }).body;
    const threads = async (member: string, session: string) => {
      const { body } = (await as(member, session, "root_get")) as { body: { threads: { thread: string }[] } };
      return body.threads.map((row) => row.thread);
    };
    expect(await threads("mb_ann", "cs_2")).toEqual([thread]);
    expect(await threads("mb_bob", "cs_1")).toEqual([]);
    await expect(as("mb_bob", "cs_1", "root_thread_get", { tid: thread })).rejects.toMatchObject({ code: "not_found" });
  } finally {
    await app.close();
  }
});

bothSurfaces(
  "the workspace answers from its records by rule, in threads that are the caller's own",
  async (invoke, t) => {
    const { group } = await twoGroups(invoke, t);
    const ask = (text: string, more: object = {}, as?: string) => invoke("root_post", { text, ...more }, as);
    const first = await ask("How did the latest run go?", {}, t.org.read);
    expect(first).toMatchObject({
      status: 200,
      body: {
        org: "acme",
        tier: "deterministic",
        model: null,
        usd: 0,
        calls: [
          { tool: "run_groups_list", status: 200 },
          { tool: "run_group", status: 200 },
        ],
      },
    });
    expect(first.body.answer).toContain("met 0 of 4 valid trials");
    expect(first.body.cites).toContainEqual({ tool: "run_group", id: group });
    const { thread } = first.body;
    const byId = await ask(`What of ${group}?`, { thread }, t.org.read);
    expect(byId.body).toMatchObject({ thread, calls: [{ tool: "run_group", status: 200 }] });
    expect((await ask("What did we spend?", { thread }, t.org.read)).body.answer).toContain("USD spent on models");
    const none = await ask("Write me a poem", {}, t.org.read);
    expect(none.body).toMatchObject({ calls: [], cites: [] });
    expect(none.body.answer).toContain("cannot be told");

    const read = await invoke("root_thread_get", { tid: thread }, t.org.read);
    expect(read.body).toMatchObject({ title: "How did the latest run go?", turns: 3 });
    expect(read.body.messages.map((turn: { answer: string }) => turn.answer)[0]).toBe(first.body.answer);
    const listed = await invoke("root_get", {}, t.org.read);
    expect(listed.body).toMatchObject({ reader: "rule", threads: [{ thread: none.body.thread }, { thread }] });
    expect((await invoke("root_thread_patch", { tid: thread, title: "Runs" }, t.org.read)).body.title).toBe("Runs");

    // Another credential of the same org sees nothing of it, nor does the list of records.
    expect((await invoke("root_get", {}, t.org.admin)).body.threads).toEqual([]);
    for (const [tool, args] of [
      ["root_thread_get", {}],
      ["root_thread_patch", { title: "x" }],
      ["root_thread_delete", {}],
    ] as const)
      expect((await invoke(tool, { tid: thread, ...args }, t.org.admin)).status, tool).toBe(404);
    expect((await ask("And now?", { thread }, t.org.admin)).status).toBe(404);
    expect((await invoke("org_record_get", { kind: "root_thread", rid: thread }, t.org.admin)).status).toBe(404);

    // The service-wide caller asks in one org, and another org's record is not found from there.
    const other = await t.app.org("other");
    const away = await ask(`What of ${group}?`, { org: other.tag }, t.app.operator);
    expect(away.body).toMatchObject({ org: "other", calls: [{ tool: "run_group", status: 404 }], cites: [] });
    expect((await ask("x", { org: "other" }, t.org.read)).status).toBe(403);
    for (const bad of [{ text: " " }, { text: "x".repeat(4001) }, { text: "x", reader: "oracle" }])
      expect((await invoke("root_post", bad)).status).toBe(400);
    expect((await ask("How are runs?", { reader: "model" })).status).toBe(409);

    expect((await invoke("root_thread_delete", { tid: thread }, t.org.read)).body).toEqual({
      deleted: thread,
      messages: 3,
    });
    expect((await invoke("root_thread_get", { tid: thread }, t.org.read)).status).toBe(404);
  },
);

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());

bothSurfaces(
  "a model answers only with what its tools read, and what it cost is written",
  async (invoke, t) => {
    const ask = (text: string, more: object = {}) => invoke("root_post", { text, ...more }, t.org.read);
    provider.say(
      { calls: [{ tool: "org_status", args: { format: "json" } }] },
      { text: "There are 0 run groups (deterministic)." },
    );
    const told = await ask("How many run groups are there?");
    expect(told.body).toMatchObject({
      answer: "There are 0 run groups (deterministic).",
      calls: [{ tool: "org_status", status: 200 }],
      tier: "llm-derived",
      model: "openai-compatible/small",
    });
    expect(told.body.usd).toBeGreaterThan(0);
    const asked = JSON.stringify(provider.requests.at(-1)?.body);
    expect(asked).toContain("<evidence>");
    expect(asked).not.toContain("tokens_post");

    // No record read: nothing of its own is passed on.
    provider.say({ text: "You have 900 runs." });
    const invented = await ask("How many runs?");
    expect(invented.body.answer).not.toContain("900");
    // Finding C24.
    // Rules answer in its place, as they do without a model; what the model cost is told all the same.
    const byRule = (await ask("How many runs?", { reader: "rule" })).body;
    const { answer, cites, calls, tier } = byRule;
    expect(answer).not.toContain("cannot be told");
    expect(invented.body).toMatchObject({ answer, cites, calls, tier, model: null, usd: expect.any(Number) });
    expect(invented.body.usd).toBeGreaterThan(0);
    provider.say({ text: "" });
    expect((await ask("What is the weather like?")).body).toMatchObject({
      answer: expect.stringContaining("cannot be told"),
      tier: "deterministic",
    });

    // A tool that writes is none of its tools; an id that nobody read is refused after one correction.
    const made = "rg_01jd0000000000000000000000";
    provider.say(
      { calls: [{ tool: "tokens_post", args: { name: "x", scope: "admin" } }] },
      { calls: [{ tool: "failure_modes", args: {} }] },
      { text: `See ${made}.` },
      { text: `Still ${made}.` },
    );
    expect((await ask("Which group failed?")).status).toBe(422);
    expect((await invoke("root_get", {}, t.org.read)).body).toMatchObject({
      reader: "model",
      threads: [{}, {}, {}, {}],
    });
    const spend = await invoke("spend_summary", {});
    expect(spend.body.today.spent_usd).toBeGreaterThan(told.body.usd);
    await invoke("budget_put", { usd_per_day: 0 });
    expect((await ask("And now?")).status).toBe(409);
    expect((await ask("What did we spend?", { reader: "rule" })).body.tier).toBe("deterministic");
    expect(provider.unscripted()).toBe(0);
  },
  {
    get config() {
      return provider.config;
    },
  },
);
