import { expect } from "vitest";
import { Environment, TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { canonicalJson } from "../../../../worlds/digest.ts";
import { bothSurfaces } from "../../../helpers/app.ts";
import { shopRows } from "../../../worlds/fixtures/shop.ts";
import { answerKey, connect, endOf, runToEnd, shopIn } from "../../runs/kit.ts";

const text = "It said it could not find order #W2906906 although get_order shows it. session: sess-77";

bothSurfaces("a report is read by rule into one proposal, and confirmed into a mode with tasks", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 2);
  const made = await invoke("failure_mode_proposals_post", { text, author: "ann", ticket: "T-1" }, t.org.push);
  expect(made).toMatchObject({
    status: 201,
    body: {
      duplicate: false,
      tier: "deterministic",
      proposal: {
        state: "proposed",
        text,
        author: "ann",
        behaviour: "false_no_data",
        target: { tool: "get_order" },
        bucket: shop.environment,
        named: ["sess-77"],
        generatable: true,
      },
    },
  });
  const [words] = made.body.proposal.behaviour_words;
  expect(text).toContain(words);
  const pid = made.body.proposal.id;
  const twice = await invoke("failure_mode_proposals_post", { text, ticket: "T-1" });
  expect(twice).toMatchObject({ status: 200, body: { duplicate: true, proposal: { id: pid, author: "ann" } } });
  expect((await invoke("failure_modes")).body.count).toBe(0);
  expect((await invoke("failure_mode_proposals_post", { text, report: "fb_none" })).status).toBe(404);
  expect((await invoke("failure_mode_proposals_post", {})).status).toBe(400);
  expect((await invoke("failure_mode_proposals_post", { text }, t.org.read)).status).toBe(403);

  const confirm = (more: Record<string, unknown> = {}) => invoke("confirm_failure_mode", { pid, ...more });
  expect((await confirm({ count: 4 })).status).toBe(400);
  expect((await confirm({ bucket: "env_none" })).body.fields).toMatchObject([{ path: "bucket" }]);
  expect((await confirm({ target_tool: "fly" })).body.fields).toMatchObject([{ path: "target_tool" }]);
  expect((await invoke("confirm_failure_mode", { pid: "fmp_none" })).status).toBe(404);
  const done = await confirm({ by: "bea", count: 5 });
  expect(done).toMatchObject({
    status: 201,
    body: {
      already: false,
      job: null,
      environment: shop.environment,
      tier: "human",
      mode: {
        status: "confirmed",
        behaviour: "false_no_data",
        bucket: shop.environment,
        by: "bea",
        reported: ["sess-77"],
      },
    },
  });
  expect(done.body.stored_as).toHaveLength(5);
  expect(done.body.mode.tasks.map(({ task }: { task: string }) => task)).toEqual(done.body.stored_as);
  expect(done.verdict).toBe("Confirmed, with 5 tasks.");
  const { tasks } = (await invoke("environment_tasks", { env_id: shop.environment })).body;
  const own = tasks.filter((row: { id: string }) => done.body.stored_as.includes(row.id));
  expect(own).toHaveLength(5);
  for (const row of own) expect(row).toMatchObject({ status: "certified", family: "regression" });
  for (const row of own) expect(row.tools).toContain("get_order");

  const again = await confirm({ by: "cy" });
  expect(again).toMatchObject({ status: 200, body: { already: true, stored_as: done.body.stored_as } });
  expect((await invoke("environment_tasks", { env_id: shop.environment })).body.tasks).toHaveLength(7);
  expect((await invoke("failure_mode_proposals_dismiss", { pid })).status).toBe(409);
  const list = (await invoke("failure_mode_proposals_list", { state: "confirmed" }, t.org.read)).body;
  expect(list).toMatchObject({ count: 1, buckets: [{ id: shop.environment }] });
  expect(list.proposals[0].confirmed).toMatchObject({ by: "bea", mode: done.body.mode.id });
  expect((await invoke("failure_mode_proposals_list", { origin: "chat" })).body.count).toBe(0);
  expect((await invoke("failure_mode_proposals_list", { state: "open" })).status).toBe(400);
});

bothSurfaces("a mode that writes gets its tasks from a job; a dismissed proposal stays so", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 2);
  const note = await invoke("record_feedback", {
    text: "It cancels orders without checking them.",
    polarity: "negative",
  });
  const report = note.body.feedback.id;
  const made = await invoke("failure_mode_proposals_post", { report, tools: ["cancel_order"] });
  expect(made.body.proposal).toMatchObject({ behaviour: "unverified_write", report, target: { tool: "cancel_order" } });
  const seen = (await invoke("failure_mode_proposals")).body.feedback[0];
  expect(seen).toMatchObject({ flag: "could_be_mode", proposal: { id: made.body.proposal.id, state: "proposed" } });
  const done = await invoke("confirm_failure_mode", { pid: made.body.proposal.id });
  expect(done).toMatchObject({ status: 202, body: { already: false, stored_as: [] } });
  expect(await endOf(invoke, done.body.job)).toBe("landed");
  const mode = (await invoke("failure_modes")).body.failure_modes[0];
  expect(mode.note).toBe(report);
  expect(mode.tasks).toHaveLength(6);
  expect(mode.tasks[0].environment).toBe(shop.environment);
  expect((await invoke("failure_mode_proposals")).body.feedback[0]).toMatchObject({
    flag: "mode",
    mode: { id: mode.id },
  });
  expect(await invoke("confirm_failure_mode", { pid: made.body.proposal.id })).toMatchObject({
    status: 200,
    body: { already: true, job: done.body.job },
  });

  // Finding C23.
  const vague = await invoke("failure_mode_proposals_post", { text: "It felt off." });
  expect(vague.body.proposal.behaviour).toBeUndefined();
  expect(vague.body.note).toContain("a confirm needs its behaviour named");
  const french = await invoke("failure_mode_proposals_post", { text: "L'agent a donné un faux montant au client." });
  expect(french.body.proposal.behaviour).toBeUndefined();
  expect(french.body.note).toContain("a confirm needs its behaviour named");
  const praise = await invoke("failure_mode_proposals_post", { text: "Everything is great, thanks!" });
  expect([praise.status, praise.body.reason]).toEqual([422, expect.stringContaining("tells of no failure")]);
  for (const [words, behaviour] of [
    ["It told a wrong refund amount that is in no system.", "invented_value"],
    ["It charged the wrong amount.", "wrong_argument"],
    ["Great, thanks, but it never answered.", "stopped_early"],
  ])
    expect((await invoke("failure_mode_proposals_post", { text: words })).body.proposal.behaviour).toBe(behaviour);
  const pid = vague.body.proposal.id;
  expect((await invoke("confirm_failure_mode", { pid })).body.fields).toMatchObject([{ path: "behaviour" }]);
  const dismissed = await invoke("failure_mode_proposals_dismiss", { pid, by: "ann" });
  expect(dismissed.body.proposal).toMatchObject({ state: "dismissed", dismissed_by: "ann" });
  const again = await invoke("failure_mode_proposals_dismiss", { pid, by: "bea" });
  expect(again.body.proposal.dismissed_by).toBe("ann");
  expect((await invoke("confirm_failure_mode", { pid, behaviour: "loop" })).status).toBe(409);
});

bothSurfaces("a mode that rules write no task for is confirmed without", async (invoke) => {
  const made = await invoke("failure_mode_proposals_post", { text: "The agent crashed again." });
  const done = await invoke("confirm_failure_mode", { pid: made.body.proposal.id });
  expect(done).toMatchObject({ status: 201, body: { job: null, stored_as: [], environment: null } });
  expect(done.body.mode).toMatchObject({ status: "confirmed", behaviour: "crash", generatable: false });
  expect(done.body.note).toContain("no task");
  expect((await invoke("confirm_failure_mode", { pid: made.body.proposal.id })).status).toBe(200);
});

bothSurfaces(
  "a mode is reproduced in the version that shows it and fixed in the one that meets its tasks",
  async (invoke, t) => {
    const shop = await shopIn(t.app.service, t.org.id, 1);
    const made = await invoke("failure_mode_proposals_post", { text: "It gave up on refunds and never answered." });
    const done = await invoke("confirm_failure_mode", { pid: made.body.proposal.id, behaviour: "stopped_early" });
    expect(await endOf(invoke, done.body.job)).toBe("landed");
    const mid = done.body.mode.id;
    const store = t.app.service.store.forOrg(t.org.id);
    const rows = (await store.records.list(TaskRecord, { where: { environment: shop.environment }, limit: 50 })).items;
    const tasks = rows.map(({ task }) => task);
    const agent = await connect(invoke, { ...shop, key: answerKey(tasks) }, "Desk", "silent");
    const mode = async () =>
      (await invoke("failure_modes")).body.failure_modes.find((row: { id: string }) => row.id === mid);
    // A harness that does nothing is no agent of the org's.
    await runToEnd(invoke, { harness: "null", environment: shop.environment });
    expect(await mode()).toMatchObject({ status: "confirmed" });
    const first = await runToEnd(invoke, { agent, environment: shop.environment });
    const before = (await invoke("agents_get", { aid: agent })).body.agent.versions.at(-1).version;
    expect(await mode()).toMatchObject({
      status: "reproduced",
      reproduced: { agent, version: before, group: first.group },
      line: expect.stringContaining(`Reproduced in version ${before}`),
    });
    expect((await mode()).cites[0]).toMatchObject({ trial: { n: 1 }, tier: "deterministic" });
    const mended = await invoke("agents_patch", {
      aid: agent,
      env: { KEY: answerKey(tasks), FAULT: "" },
      version: "mended",
    });
    expect(mended.status).toBe(200);
    const second = await runToEnd(invoke, { agent, environment: shop.environment });
    expect(await mode()).toMatchObject({
      status: "fixed",
      fixed: { agent, version: "mended", group: second.group },
      line: `Fixed in version mended, after version ${before} showed it.`,
      history: [{ status: "confirmed" }, { status: "reproduced" }, { status: "fixed", group: second.group }],
    });
    await invoke("agents_patch", { aid: agent, env: { KEY: answerKey(tasks), FAULT: "silent" }, version: "broken" });
    await runToEnd(invoke, { agent, environment: shop.environment });
    const back = await mode();
    expect(back).toMatchObject({ status: "reproduced", reproduced: { version: "broken" } });
    expect(back.fixed).toBeUndefined();
  },
);

// Finding C19.
bothSurfaces("a mode of writes needs a tool that writes; a job that writes no task says why", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 2);
  const made = await invoke("failure_mode_proposals_post", { text: "It changes orders without checking get_order." });
  const pid = made.body.proposal.id;
  expect(made.body.proposal).toMatchObject({ behaviour: "unverified_write", target: { tool: "get_order" } });
  expect(await invoke("confirm_failure_mode", { pid })).toMatchObject({
    status: 400,
    body: { fields: [{ path: "target_tool", message: expect.stringContaining("only reads") }] },
  });
  expect((await invoke("failure_modes")).body.count).toBe(0);
  const done = await invoke("confirm_failure_mode", { pid, target_tool: "cancel_order", count: 5 });
  expect(await endOf(invoke, done.body.job)).toBe("landed");
  const { result } = (await invoke("job_status", { job_id: done.body.job })).body;
  expect(result.tasks).toHaveLength(5);
  expect(result).toMatchObject({ wanted: 5, note: null });

  // On a world without rows there is nothing that a task could be about.
  const store = t.app.service.store.forOrg(t.org.id);
  const base = { tables: {}, drawn: {} };
  const base_blob = await store.blobs.put(new TextEncoder().encode(canonicalJson({ ...shopRows, ...base })));
  await store.records.update(Environment, shop.environment, (row) => ({ ...row, base_blob }));
  const other = (await invoke("failure_mode_proposals_post", { text: "It gave up halfway." })).body.proposal.id;
  const empty = await invoke("confirm_failure_mode", { pid: other, count: 5 });
  expect(await endOf(invoke, empty.body.job)).toBe("landed");
  const none = (await invoke("job_status", { job_id: empty.body.job })).body.result;
  expect(none).toMatchObject({
    tasks: [],
    wanted: 5,
    note: expect.stringContaining("0 of 5 tasks were written: no task"),
  });
});
