import { expect, it } from "vitest";
import { bothSurfaces, invoker, startApp } from "../../../helpers/app.ts";
import { startProvider } from "../../../helpers/vendors/models.ts";
import { connect, endOf, runToEnd, shopIn } from "../../runs/kit.ts";
import { falseNoData, storeSessions } from "../sessions.ts";

const text = "It told us nothing was found for our order although get_order had it. Session: 1";

bothSurfaces("a report becomes a mode that cites what it names and what shows the same", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 3);
  const honest = { ...falseNoData("4"), answer: "It is open." };
  const ids = await storeSessions(invoke, [falseNoData("1"), falseNoData("2"), honest]);
  const report = { text, author: "ann", ticket: "T-9", stats: { sessions: 2, note: "since Monday" } };
  const made = await invoke("investigate_failure", { ...report, session_ids: ["gone-7"] }, t.org.push);
  expect(made).toMatchObject({
    status: 201,
    body: {
      duplicate: false,
      cited: [ids[0]],
      wanted: ["gone-7"],
      trace_state: "not_stored",
      pull: { state: "not_started", job: null },
      generatable: true,
      failure_mode: {
        status: "reported",
        behaviour: "false_no_data",
        target: { tool: "get_order" },
        bucket: shop.environment,
        ticket: "T-9",
        tasks: [],
      },
    },
  });
  expect(text).toContain(made.body.behaviour_words[0]);
  expect(made.body.why_no_tasks).toContain("writes no task");
  expect(made.verdict).toBe("Recorded: false no data; 1 trace cited, not stored.");
  const note = (await invoke("failure_mode_proposals")).body.feedback[0];
  expect(note).toMatchObject({ text, fields: { sessions: "2", note: "since Monday" } });
  expect(await endOf(invoke, made.body.search.job)).toBe("landed");
  const mode = async () => (await invoke("failure_modes")).body.failure_modes[0];
  const cited = (await mode()).cites;
  expect(cited.map(({ trace }: { trace: string }) => trace)).toEqual([ids[0], ids[1]]);
  expect(cited.map(({ tier }: { tier: string }) => tier)).toEqual(["human", "deterministic"]);

  const [late] = await storeSessions(invoke, [falseNoData("gone-7")]);
  const again = await invoke("investigate_failure", report);
  expect(again).toMatchObject({ status: 200, body: { duplicate: true, wanted: [], trace_state: "cited" } });
  expect(again.body.cited).toContain(late);
  expect((await invoke("failure_modes")).body.count).toBe(1);
  await endOf(invoke, again.body.search.job);
  expect((await mode()).cites).toHaveLength(3);

  // The mode goes on to tasks by its own note, and is not made twice.
  const proposed = await invoke("failure_mode_proposals_post", { report: note.id });
  const done = await invoke("confirm_failure_mode", { pid: proposed.body.proposal.id });
  expect(done.body.mode).toMatchObject({ id: made.body.failure_mode.id, status: "confirmed" });
  expect(done.body.mode.tasks).toHaveLength(6);
  expect((await invoke("failure_modes")).body.count).toBe(1);
  expect((await invoke("investigate_failure", report)).body.why_no_tasks).toContain("already");

  expect((await invoke("investigate_failure", { author: "x" })).status).toBe(400);
  expect((await invoke("investigate_failure", { text, report: note.id })).status).toBe(400);
  expect((await invoke("investigate_failure", { report: "fb_none" })).status).toBe(404);
  expect((await invoke("investigate_failure", { text, model: "m" })).status).toBe(400);
  expect((await invoke("investigate_failure", { text, reader: "model" })).status).toBeGreaterThanOrEqual(400);
  expect((await invoke("investigate_failure", { text }, t.org.read)).status).toBe(403);
});

bothSurfaces("failed trials of agents are cited, and a report that says too little says so", async (invoke, t) => {
  const shop = await shopIn(t.app.service, t.org.id, 3);
  const agent = await connect(invoke, shop, "Quiet", "silent");
  await runToEnd(invoke, { agent, environment: shop.environment });
  const made = await invoke("investigate_failure", { text: "It stopped early and never answered." });
  expect(made.body).toMatchObject({ trace_state: "searching", wanted: [], pull: null });
  expect(await endOf(invoke, made.body.search.job)).toBe("landed");
  const [mode] = (await invoke("failure_modes")).body.failure_modes;
  expect(mode.cites.length).toBeGreaterThan(0);
  for (const cite of mode.cites) expect(cite).toMatchObject({ trial: { n: 1 }, tier: "deterministic" });
  const before = (await invoke("failure_modes")).body.count;
  // Finding C22.
  expect(await invoke("investigate_failure", { text: "xyzzy plugh" })).toMatchObject({
    status: 422,
    body: { reason: expect.stringContaining("nothing to look for") },
  });
  expect((await invoke("failure_modes")).body.count).toBe(before);
  const vague = await invoke("investigate_failure", { text: "Something felt off.", tools: ["get_order"] });
  expect(vague.body).toMatchObject({ trace_state: "not_named", search: null, generatable: false, behaviour_words: [] });
  expect(vague.body.failure_mode.behaviour).toBeUndefined();
});

it("a model reads the traces in the window when it is asked to", async () => {
  const provider = await startProvider();
  const app = await startApp({ config: provider.config });
  try {
    const invoke = invoker(app, "mcp", await app.org());
    const ids = await storeSessions(invoke, [falseNoData("1"), falseNoData("2")]);
    provider.say(
      { text: JSON.stringify({ shows: true, reason: "It made the number up." }) },
      { text: JSON.stringify({ shows: false, reason: "It did not." }) },
    );
    const made = await invoke("investigate_failure", { text: "It made up a number.", reader: "model" });
    expect(made.body.failure_mode.behaviour).toBe("invented_value");
    expect(await endOf(invoke, made.body.search.job)).toBe("landed");
    const [mode] = (await invoke("failure_modes")).body.failure_modes;
    expect(mode.cites).toMatchObject([{ trace: ids[0], tier: "llm-derived" }]);
    expect(provider.requests).toHaveLength(2);
  } finally {
    await app.close();
    await provider.close();
  }
});
