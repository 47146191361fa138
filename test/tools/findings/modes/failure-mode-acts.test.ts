import { expect, it } from "vitest";
import { TaskRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { digestOf } from "../../../../worlds/digest.ts";
import { bothSurfaces, invoker, startApp } from "../../../helpers/app.ts";
import { startProvider } from "../../../helpers/vendors/models.ts";
import { shopIn } from "../../runs/kit.ts";
import { falseNoData, type Session, storeSessions } from "../sessions.ts";

const said = (id: string, tool: string, result: string, answer = "I could not find anything."): Session => ({
  id,
  calls: [{ tool, args: { order_id: `#W${id}` }, result }],
  answer,
});
const sessions = [
  falseNoData("1"),
  said("2", "find_customer", '{"customer_id":"c1"}'),
  said("3", "get_order", "[]"),
  said("4", "get_order", '{"order_id":"#W4"}', "It is open."),
];

bothSurfaces("reported sessions are told apart by what the holding tools answered", async (invoke, t) => {
  const ids = await storeSessions(invoke, sessions);
  const made = await invoke("failure_modes_post", {
    title: "says_none",
    behaviour: "false_no_data",
    target: { tool: "get_order" },
    trace: ids[0],
  });
  const mid = made.body.failure_modes[0].id;
  expect(made.body.failure_modes[0].cites).toMatchObject([{ trace: ids[0], tier: "human" }]);
  const note = (text: string, more: Record<string, unknown>) =>
    invoke("record_feedback", { text, mode: { id: mid }, ...more });
  await note("row 1", { origin: "sheet", fields: { "Session ID": "2", verdict: "bad" } });
  await note("row 2", { about: { kind: "trace", id: ids[2] } });
  await note("row 3", { origin: "sheet", fields: { session: "unknown-9" } });
  const { id: sid } = (await invoke("sources_post", { kind: "upload", external_id: "files" })).body;
  // Finding C14.
  // The same sessions once more, by their other id.
  await note("row 4", { origin: "sheet", fields: { session: "1" } });
  await note("row 5", { about: { kind: "trace", id: ids[1] } });
  const labels = { sid, items: [{ session: "4", polarity: "bad" }], name: "says_none", as_failure_modes: true };
  await invoke("sources_labels", labels);

  const dry = await invoke("failure_mode_classify", { mid, dry_run: true });
  expect(dry.body).toMatchObject({ dry_run: true, estimate: null, sessions: 5 });
  expect((await invoke("failure_modes")).body.failure_modes[0].classified).toBeUndefined();
  const done = await invoke("failure_mode_classify", { mid, by: "ann" }, t.org.push);
  expect(done.body).toMatchObject({
    reader: "rule",
    tier: "deterministic",
    holding: ["get_order"],
    holding_seen_in: 3,
    sessions: 5,
    with_turns: 4,
    counts: { false_no_data: 1, never_looked: 1, no_data: 1, answered: 1, not_stored: 1, tool_failed: 0, too_long: 0 },
  });
  const classes = Object.fromEntries(
    done.body.entries.map((row: { session: string; trace?: string; class: string }) => [
      row.trace ?? row.session,
      row.class,
    ]),
  );
  expect(classes).toMatchObject({
    [ids[0] as string]: "false_no_data",
    [ids[1] as string]: "never_looked",
    "unknown-9": "not_stored",
  });
  expect(done.body.entities).toContainEqual({ entity: "#W1", sessions: 1 });
  expect(done.body.entries).toHaveLength(5);
  expect((await invoke("failure_modes")).body.failure_modes[0].classified).toMatchObject({ reader: "rule", by: "ann" });
  // Held by another tool, another session was wrong.
  const other = await invoke("failure_mode_classify", { mid, holding: ["find_customer"], dry_run: true });
  expect(other.body.counts).toMatchObject({ false_no_data: 1, never_looked: 2 });

  expect((await invoke("failure_mode_classify", { mid }, t.org.read)).status).toBe(403);
  expect((await invoke("failure_mode_classify", { mid: "fm_none" })).status).toBe(404);
  expect((await invoke("failure_mode_classify", { mid, model: "m" })).status).toBe(400);
  expect((await invoke("failure_mode_classify", { mid, reader: "model" })).status).toBeGreaterThanOrEqual(400);
  const loop = (await invoke("failure_modes_post", { title: "Loops", behaviour: "loop" })).body.failure_modes[0].id;
  expect((await invoke("failure_mode_classify", { mid: loop })).status).toBe(409);
  expect((await invoke("failure_mode_rekey", { mid: loop })).status).toBe(409);
});

it("a model reads one session a call, and says beforehand what it costs at most", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const invoke = invoker(app, "mcp", await app.org());
    const [trace] = await storeSessions(invoke, [falseNoData("1")]);
    const mode = { title: "x", behaviour: "false_no_data", trace };
    const mid = (await invoke("failure_modes_post", mode)).body.failure_modes[0].id;
    await invoke("record_feedback", { text: "row", mode: { id: mid }, origin: "sheet", fields: { session: "1" } });
    const dry = await invoke("failure_mode_classify", { mid, reader: "model", dry_run: true });
    expect(dry.body).toMatchObject({ estimate: { calls: 1 }, entries: [], sessions: 1 });
    expect(dry.body.estimate.usd).toBeGreaterThan(0);
    expect(provider.requests).toHaveLength(0);
    provider.say({ text: JSON.stringify({ class: "false_no_data", reason: "get_order answered the order." }) });
    const done = await invoke("failure_mode_classify", { mid, reader: "model" });
    expect(done.body).toMatchObject({ tier: "llm-derived", counts: { false_no_data: 1 }, holding: ["get_order"] });
    expect(provider.requests).toHaveLength(1);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain("Where is my order #W1?");
  } finally {
    await app.close();
    await provider.close();
  }
});

bothSurfaces("keys of a mode's tasks come to reject padded lists, by one revision", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 1);
  const made = await invoke("failure_mode_proposals_post", { text: "It says there is no data. get_order has it." });
  const done = (await invoke("confirm_failure_mode", { pid: made.body.proposal.id, count: 5 })).body;
  const mid = done.mode.id;
  const stands = await invoke("failure_mode_rekey", { mid });
  expect(stands.body).toMatchObject({ rekeyed: [], rekeyed_as: null, model_calls: 0, usd: 0, tier: "deterministic" });
  expect(stands.body.stands.length + stands.body.left.length).toBe(5);

  // Keys as people write them: the facts, and nothing that the answer must not say.
  const store = t.app.service.store.forOrg(t.org.id);
  const tasks = async () => (await store.records.getMany(TaskRecord, done.stored_as)).sort((a, b) => a.index - b.index);
  for (const { id } of await tasks())
    await store.records.update(TaskRecord, id, (doc) => {
      const task = { ...doc.task, checks: doc.task.checks.filter(({ kind }) => kind !== "answer_excludes") };
      return { ...doc, task, digest: digestOf(task) };
    });
  const before = await tasks();
  const dry = await invoke("failure_mode_rekey", { mid, dry_run: true });
  expect(dry.body).toMatchObject({ dry_run: true, rekeyed_as: null });
  expect(dry.body.rekeyed.length).toBeGreaterThan(0);
  expect(await tasks()).toEqual(before);
  expect((await invoke("failure_mode_rekey", { mid }, t.org.read)).status).toBe(403);
  expect((await invoke("failure_mode_rekey", { mid, environment: "env_none" })).status).toBe(404);

  const applied = await invoke("failure_mode_rekey", { mid, by: "ann" });
  expect(applied.body.rekeyed).toEqual(dry.body.rekeyed);
  const after = await tasks();
  for (const { index } of applied.body.rekeyed) {
    const [was, is] = [before, after].map((rows) => rows.find((row) => row.index === index)?.task);
    expect(is?.request).toBe(was?.request);
    expect(is?.script).toEqual(was?.script);
    expect(is?.checks.slice(0, was?.checks.length)).toEqual(was?.checks);
    expect(is?.checks.slice(was?.checks.length).map(({ kind }) => kind)).toContain("answer_excludes");
    expect(after.find((row) => row.index === index)?.status).toBe("certified");
    const { rows } = applied.body.board.find((row: { index: number }) => row.index === index);
    expect(rows).toHaveLength(6);
    for (const row of rows) expect(row.after).toBe(row.right ? "met" : "failed");
    expect(rows.some((row: { right: boolean; before: string }) => !row.right && row.before === "met")).toBe(true);
  }
  const revisions = (await invoke("environment_revisions", { env_id: shop.environment })).body.revisions;
  expect(revisions.map((row: { id: string }) => row.id)).toContain(applied.body.rekeyed_as);
  expect((await invoke("failure_mode_rekey", { mid })).body.rekeyed).toEqual([]);
});
