import { expect } from "vitest";
import { bothSurfaces, type Invoke, type TestApp } from "../../../helpers/app.ts";
import { runToEnd, shopIn } from "../kit.ts";

const TASKS = ["10", "11", "12", "13", "14", "15", "16", "17"];

/** A tau2 results file: the tasks whose names are given failed. */
function tau2(llm: string, failed: readonly string[] = [], rest: Record<string, unknown> = {}) {
  return {
    timestamp: "2026-11-01T10:00:00Z",
    info: {
      max_steps: 200,
      max_errors: 10,
      agent_info: { implementation: "llm_agent", llm },
      environment_info: { domain_name: "shop", policy: "Be brief.", tool_defs: null },
    },
    tasks: TASKS.map((id) => ({
      id,
      user_scenario: `do ${id}`,
      evaluation_criteria: { actions: [], reward_basis: ["DB"] },
    })),
    simulations: TASKS.map((task_id) => simulation(task_id, failed.includes(task_id) ? 0 : 1, llm)),
    ...rest,
  };
}

function simulation(task_id: string, reward: number | undefined, by = "m", rest: Record<string, unknown> = {}) {
  return {
    id: `sim-${by}-${task_id}`,
    task_id,
    trial: 0,
    start_time: "2026-11-01T10:00:00Z",
    duration: 12.5,
    termination_reason: "user_stop",
    agent_cost: 0.25,
    reward_info: reward === undefined ? null : { reward, reward_breakdown: { DB: reward } },
    messages: [
      { role: "user", content: `Hello from ${by} about ${task_id}` },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c-${task_id}`, name: "get_order", arguments: { id: task_id }, requestor: "assistant" }],
      },
      { role: "tool", id: `c-${task_id}`, content: '{"status":"open"}', requestor: "assistant", error: reward === 0 },
      {
        role: "assistant",
        content: `Order ${task_id} is open.`,
        usage: { prompt_tokens: 900, completion_tokens: 100 },
      },
    ],
    ...rest,
  };
}

bothSurfaces(
  "tau2 results of two models are imported, read and compared by their own rewards: runs_post",
  async (invoke, t) => {
    const first = await invoke("runs_post", { results: tau2("one") }, t.org.push);
    expect(first).toMatchObject({
      status: 201,
      body: {
        org: "acme",
        environment: "tau2:shop",
        by_state: { met: 8, failed: 0, infra: 0, invalid: 0 },
        trials: 8,
        cost: { usd: 2, trials: 8 },
        meta: { format: "tau2", player: { agent: null, name: "llm_agent", version: "one" }, tasks: 8, tries: 1 },
        tier: "deterministic",
      },
    });
    expect(await invoke("runs_post", { results: tau2("one") })).toMatchObject({
      status: 200,
      body: { id: first.body.id },
    });
    const second = (await invoke("runs_post", { results: tau2("two", TASKS.slice(0, 6)), format: "tau2" })).body;
    const listed = (await invoke("runs_list")).body.runs;
    expect(listed.map((run: { id: string }) => run.id)).toEqual([second.id, first.body.id]);
    expect(listed[0]).toMatchObject({
      status: "landed",
      imported: { format: "tau2" },
      by_state: { met: 2, failed: 6 },
    });

    const compared = await invoke("compare_runs", { a: first.body.group, b: second.group });
    expect(compared.file).toContain("over 8 tasks (75.0 points");
    const run = (await invoke("run_get", { rid: second.id })).body;
    expect(run.trials[0]).toMatchObject({
      end: "failed",
      checks: [{ kind: "tau2_db", verdict: "not_met" }],
      usd: 0.25,
      tokens: { input: 900, output: 100 },
    });
    expect(run.findings[0].text).toBe("Calls of get_order answered with an error in 6 trials.");
    const { tree } = (await invoke("run_trace", { rid: second.id, trial: run.trials[0].trial })).body;
    expect(tree).toMatchObject({
      request: "Hello from two about 10",
      usd: 0.25,
      calls: [{ tool: "get_order", args: { id: "10" }, is_error: true }],
      answers: [{ text: "Order 10 is open." }],
    });
    // What is graded and reviewed elsewhere is neither graded nor counted here.
    expect(await invoke("regrade_group", { gid: second.group })).toMatchObject({ status: 409 });
    expect((await invoke("recount_group", { gid: second.group })).body).toMatchObject({
      counts: [],
      skipped: [{ run: second.id }],
    });
    expect((await invoke("run_group", { gid: second.group })).body).toMatchObject({
      status: "landed",
      rates: { met: 2, valid: 8 },
    });
  },
);

bothSurfaces(
  "terms of foreign results hold: other tasks, checks or limits are refused, and ends keep their causes",
  async (invoke) => {
    const group = async (results: unknown) => {
      const answer = await invoke("runs_post", { results });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      return answer.body;
    };
    const base = await group(tau2("one"));
    const changed = tau2("two");
    const [x, y] = changed.tasks;
    if (x && y) [x.user_scenario, y.evaluation_criteria.actions] = ["another wish", [{ name: "pay" }] as never];
    const other = await group(changed);
    const limits = tau2("three");
    limits.info.max_steps = 30;
    const short = await group(limits);
    const against = async (b: string) =>
      (await invoke("compare_runs", { a: base.group, b, format: "json" })).body ?? {};
    const refusals = async (b: string) => {
      const answer = await invoke("compare_runs", { a: base.group, b });
      return [...(answer.file ?? "").matchAll(/^- shop \d+: (.*)$/gm)].map(([, reason]) => reason);
    };
    await against(other.group);
    expect((await refusals(other.group)).sort()).toEqual(["Its checks were others.", "The task itself was another."]);
    expect(new Set(await refusals(short.group))).toEqual(new Set(["Its limits were others."]));

    const simulations = [
      simulation("10", 0.5),
      simulation("11", undefined),
      simulation("12", undefined, "m", { termination_reason: "infrastructure_error", messages: [] }),
      simulation("13", 0, "m", { termination_reason: "agent_error" }),
      simulation("14", 1),
      simulation("14", 0, "again", { trial: 1 }),
    ];
    const run = await group(tau2("four", [], { simulations }));
    expect(run).toMatchObject({ by_state: { met: 1, failed: 3, infra: 1, invalid: 1 }, meta: { tries: 2 } });
    const { ledger } = (await invoke("run_group", { gid: run.group })).body;
    expect(ledger).toEqual(
      expect.arrayContaining([
        { end: "failed", cause: "checks", trials: 2 },
        { end: "failed", cause: "crash", trials: 1 },
        { end: "infra", cause: "service", trials: 1 },
        { end: "invalid", cause: "undecided", trials: 1 },
      ]),
    );
  },
);

/** The log as Inspect keeps it in an archive: its header, and a file a sample. */
async function evalArchive({ samples, ...header }: { samples: { id: string; epoch: number }[] }, more = {}) {
  const { zipSync } = await import("fflate");
  const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const files = samples.map((one) => [`samples/${one.id}_epoch_${one.epoch}.json`, json(one)]);
  return Buffer.from(zipSync({ ...Object.fromEntries(files), "header.json": json(header), ...more })).toString(
    "base64",
  );
}

bothSurfaces("an Inspect log is imported by its scores, and one that a model graded says so", async (invoke) => {
  const sample = (id: string, epoch: number, value: unknown, rest = {}) => ({
    id,
    epoch,
    input: "What is open?",
    target: "42",
    messages: [
      { role: "user", content: "What is open?" },
      { role: "assistant", content: "42" },
    ],
    scores: { includes: { value, answer: "42" } },
    ...rest,
  });
  const log = {
    version: 2,
    status: "success",
    eval: {
      task: "desk",
      model: "lab/m1",
      created: "2026-11-01T10:00:00Z",
      scorers: [{ name: "includes" }],
      config: {},
    },
    plan: { steps: [{ solver: "use_tools" }, { solver: "generate" }] },
    samples: [
      sample("a", 1, "C"),
      sample("a", 2, "I"),
      sample("b", 1, 1),
      sample("c", 1, "?"),
      sample("d", 1, "C", { error: { message: "x" } }),
    ],
  };
  const { body } = await invoke("runs_post", { results: log });
  expect(body).toMatchObject({
    environment: "inspect:desk",
    by_state: { met: 2, failed: 1, infra: 1, invalid: 1 },
    meta: { player: { name: "generate", version: "lab/m1" }, tries: 2, tasks: 4 },
    tier: "deterministic",
  });
  expect(body.cost).toEqual({ trials: 0 });
  const judged = structuredClone(log);
  judged.eval.scorers = [{ name: "model_graded_qa" }];
  expect((await invoke("runs_post", { results: judged })).body.tier).toBe("llm-derived");

  const other = { ...log, eval: { ...log.eval, model: "lab/m2" } };
  const archive = await evalArchive(other);
  const archived = await invoke("runs_post", { archive });
  expect(archived).toMatchObject({
    status: 201,
    body: {
      environment: "inspect:desk",
      by_state: { met: 2, failed: 1, infra: 1, invalid: 1 },
      meta: { format: "inspect", player: { version: "lab/m2" }, tries: 2, tasks: 4 },
    },
  });
  expect(await invoke("runs_post", { archive })).toMatchObject({ status: 200, body: { id: archived.body.id } });
  const compared = await invoke("compare_runs", { a: body.group, b: archived.body.group });
  expect(compared.file).toMatch(/lab\/m1 met 2 of 3 trials, .*lab\/m2 2 of 3, /);
});

bothSurfaces("an archive that is no evaluation log, is damaged or is given twice is refused", async (invoke) => {
  const log = { version: 2, eval: { task: "desk", model: "m" }, samples: [{ id: "a", epoch: 1, scores: {} }] };
  const good = await evalArchive(log);
  const bytes = Buffer.from(good, "base64");
  const cut = bytes.subarray(0, 40).toString("base64");
  const { zipSync } = await import("fflate");
  const files = { "a.txt": new Uint8Array(9) };
  const broken = await evalArchive(log, { "samples/b_epoch_1.json": new TextEncoder().encode('{"id": ') });
  const cases: [Record<string, unknown>, number][] = [
    [{ archive: Buffer.from("no archive").toString("base64") }, 400],
    [{ archive: "%%%%%%%%" }, 400],
    [{ archive: Buffer.from(zipSync(files)).toString("base64") }, 422],
    [{ archive: cut }, 422],
    [{ archive: broken }, 400],
    [{ archive: good, results: { samples: [] } }, 400],
    [{ archive: good, format: "tau2" }, 400],
  ];
  for (const [args, status] of cases) expect([args, (await invoke("runs_post", args)).status]).toEqual([args, status]);
  expect((await invoke("runs_list")).body.runs).toEqual([]);
});

bothSurfaces("what cannot be taken in whole is refused and leaves nothing", async (invoke) => {
  const refused = async (args: Record<string, unknown>, path: string) => {
    const answer = await invoke("runs_post", args);
    expect(answer.status).toBe(400);
    expect(answer.body.fields[0].path).toBe(path);
  };
  await refused({}, "run_id");
  await refused({ results: { simulation: [] } }, "results");
  await refused({ results: tau2("one"), format: "inspect" }, "format");
  await refused({ format: "tau2" }, "format");
  expect((await invoke("runs_post", { results: { simulations: [] } })).status).toBe(422);
  const key = ["AKIA", "Z7QK3MNP5RST2UVW"].join("");
  const leaking = simulation("10", 1, "m", {
    messages: [
      { role: "user", content: `use aws key ${key} and sk_live_${"a1B2c3D4".repeat(4)}` },
      { role: "assistant", content: "ok" },
    ],
  });
  const secret = await invoke("runs_post", {
    results: tau2("one", [], { simulations: [simulation("11", 1), leaking] }),
  });
  expect(secret.status, JSON.stringify(secret.body)).toBe(422);
  expect(secret.body.reason).toContain("Trial 2");
  expect((await invoke("runs_list")).body.runs).toEqual([]);
});

/** The bundle that an export of the run made. */
async function exported(invoke: Invoke, app: TestApp, admin: string, run: string) {
  const { bundle_digest } = (await invoke("run_reexport", { rid: run })).body;
  const answer = await app.rest("GET", `/v0/orgs/acme/mirror/blob?id=${bundle_digest}`, undefined, admin);
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text);
}

bothSurfaces(
  "a run's bundle comes back as it was, and what people found in it stays: run_reanalyze",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 6);
    const { group } = await runToEnd(invoke, { harness: "null", environment: shop.environment, trials: 2 });
    const [own] = (await invoke("runs_list", { group })).body.runs;
    const bundle = await exported(invoke, app, org.admin, own.id);
    const told = (end: string, cause: string | null, verdict: string) => ({
      ...bundle.trials[0],
      end,
      cause,
      root_cause: null,
      checks: [{ kind: "answer_class", verdict, reason: "" }],
    });
    const note = { text: "It never looks anything up.", tier: "human", trials: [`${bundle.trials[0].task}.1`] };
    bundle.findings.push(note);
    // What the source knows beyond the trials comes along: what was tried again, and what it cost.
    bundle.observations = { attempts: 15 };
    bundle.usage = { ...bundle.usage, usd: 1.25 };
    for (const [change, path] of [
      [{ trials: [] }, "trials"],
      [{ trials: [...bundle.trials, bundle.trials[0]] }, "trials.12.n"],
      [{ trials: [{ ...bundle.trials[0], task: "tk_other" }] }, "trials.0.task"],
      [{ trials: [{ ...bundle.trials[0], n: 3 }] }, "trials.0.n"],
      [{ trials: [{ ...bundle.trials[0], cause: null }] }, "trials.0.cause"],
      // Finding C17.
      [{ trials: [told("met", null, "not_met")] }, "trials.0.checks.0.verdict"],
      [{ trials: [told("met", null, "not_decided")] }, "trials.0.checks.0.verdict"],
      [{ trials: [told("failed", "checks", "met")] }, "trials.0.end"],
      [{ diagnosis: { ...bundle.diagnosis, loop: 1 } }, "diagnosis.loop"],
      [{ observations: { attempts: 1 } }, "observations.attempts"],
      [{ summary: { met: 12 } }, "summary.met"],
    ] as const) {
      const answer = await invoke("runs_post", { ...bundle, ...change });
      expect([answer.status, answer.body.fields?.[0].path]).toEqual([400, path]);
    }
    const first = await invoke("runs_post", bundle);
    expect(first).toMatchObject({
      status: 201,
      body: {
        run_id: own.id,
        by_state: own.by_state,
        trials: 12,
        finding_tiers: { human: 1 },
        meta: { format: "bundle" },
      },
    });
    const run = (await invoke("run_get", { rid: first.body.id })).body;
    const before = (await invoke("run_get", { rid: own.id })).body;
    expect(run.summary).toEqual(before.summary);
    expect(run.diagnosis).toEqual(before.diagnosis);
    expect(first.body.cost).toEqual({ usd: 1.25, trials: 0 });
    expect(run).toMatchObject({ attempts: 15, usage: { usd: 1.25, calls: before.usage.calls } });
    const onward = await exported(invoke, app, org.admin, run.id);
    expect(onward).toMatchObject({ observations: bundle.observations, usage: bundle.usage });
    expect(run.findings).toEqual([note, ...before.findings]);
    const whole = await invoke("compare_runs", { a: group, b: first.body.group });
    expect(whole.file).toContain("0 of 12, over 6 tasks");

    const again = await invoke("run_reanalyze", { rid: first.body.id }, org.push);
    expect(again).toMatchObject({
      status: 200,
      body: {
        run_id: own.id,
        analyst_findings_kept: 1,
        trials_started: 0,
        before: { findings: run.findings.length, failed: 12 },
        after: { findings: run.findings.length, failed: 12 },
        moved: [],
        state_on_disk: { attempts: 12, tries: 12, tasks: 6, tasks_standing: 6 },
        tier: "deterministic",
      },
    });
    expect(again.body.citations).toBe(12);
    expect((await invoke("run_reanalyze", { rid: own.id }, org.read)).status).toBe(403);
    expect((await invoke("run_reanalyze", { rid: "run_none" })).status).toBe(404);
  },
);

bothSurfaces(
  "root causes are read again from the stored trials, and are read everywhere from then on",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 6);
    const { group } = await runToEnd(invoke, { harness: "null", environment: shop.environment });
    const [run] = (await invoke("runs_list", { group })).body.runs;
    const first = (await invoke("run_group", { gid: group })).body.root_causes;
    // As an earlier version of the rules would have left it.
    const store = app.service.store.forOrg(org.id);
    const other = first.map(({ cause }: { cause: string }) => cause).includes("loop") ? "format" : "loop";
    const [row] = (await store.trials.list(run.id, { limit: 1 })).items;
    if (!row) throw new Error("no trial");
    await store.trials.insert({ ...row, attempt: 2, root_cause: other as never });
    const stale = (await invoke("run_group", { gid: group })).body.root_causes;
    expect(stale).toContainEqual({ cause: other, trials: 1 });
    const read = (await invoke("run_reanalyze", { rid: run.id })).body;
    if (other === "loop") {
      expect(read.moved).toEqual([{ task: row.task, n: 1, from: "loop", to: row.root_cause }]);
      expect((await invoke("run_group", { gid: group })).body.root_causes).toEqual(first);
    }
    expect(read.diagnosis).toEqual(
      Object.fromEntries(first.map((one: { cause: string; trials: number }) => [one.cause, one.trials])),
    );
  },
);
