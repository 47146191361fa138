import { expect } from "vitest";
import { bothSurfaces, FakeClock, invoker } from "../../../helpers/app.ts";

bothSurfaces(
  "notes are kept word for word, listed by what they are about, and retired",
  async (invoke, { app, org }) => {
    const text = "It booked **twice**.\nSee @ann <script>";
    const about = { kind: "run", id: "run_1" };
    const made = await invoke(
      "record_feedback",
      { text, author: "ann", about, polarity: "negative", origin: "chat" },
      org.push,
    );
    expect(made).toMatchObject({
      status: 201,
      body: {
        feedback: { text, author: "ann", about, flag: "could_be_mode", read: false },
        flag: "could_be_mode",
        count: 1,
        source: "chat",
      },
    });
    expect(made.verdict).toContain("could become a failure mode");
    expect((await invoke("record_feedback", { text: "x" }, org.read)).status).toBe(403);
    expect((await invoke("record_feedback", { text: "" })).status).toBe(400);
    expect((await invoke("record_feedback", { text: "x", about: { kind: "planet", id: "1" } })).status).toBe(400);
    await invoke("record_feedback", {
      text: "Nice report.",
      about: { kind: "report", id: "rep_1", index: 2 },
      polarity: "positive",
    });
    expect((await invoke("record_feedback", { text: "x", visibility: "staff" })).status).toBe(400);
    const forStaff = { text: "for staff", visibility: "staff", orgtag: "acme" };
    const hidden = (await invoke("record_feedback", forStaff, app.operator)).body.feedback.id;
    // By no other door, either.
    expect((await invoke("org_record_get", { kind: "feedback", rid: hidden })).status).toBe(404);
    expect((await invoke("feedback_retire", { fid: hidden })).status).toBe(404);
    const raw = { kind: "feedback", rid: hidden, orgtag: "acme" };
    expect((await invoke("org_record_get", raw, app.operator)).body.record.text).toBe("for staff");

    const list = (await invoke("failure_mode_proposals", {}, org.read)).body;
    expect(list.feedback.map((row: { text: string }) => row.text)).toEqual([text, "Nice report."]);
    expect(list).toMatchObject({
      flags: { mode: 0, could_be_mode: 1, remark: 1 },
      polarities: { negative: 1, positive: 1 },
      audience: "customer",
    });
    const narrowed = async (args: Record<string, unknown>) => (await invoke("failure_mode_proposals", args)).body.count;
    expect(await narrowed({ kind: "run" })).toBe(1);
    expect(await narrowed({ id: "rep_1" })).toBe(1);
    expect(await narrowed({ id: "rep_1", index: 3 })).toBe(0);
    expect(await narrowed({ audience: "staff" })).toBe(2);
    const staff = await invoke("failure_mode_proposals", { audience: "staff", orgtag: "acme" }, app.operator);
    expect(staff.body.count).toBe(3);

    const { id } = made.body.feedback;
    expect((await invoke("feedback_retire", { fid: id }, org.push)).status).toBe(403);
    const retired = await invoke("feedback_retire", { fid: id, by: "ann" });
    expect(retired.body).toMatchObject({ id, retired: true, already: false, retired_by: "ann" });
    expect((await invoke("feedback_retire", { fid: id })).body).toMatchObject({
      already: true,
      retired_at: retired.body.retired_at,
    });
    expect((await invoke("feedback_retire", { fid: "fb_none" })).status).toBe(404);
    expect(await narrowed({})).toBe(1);
  },
);

bothSurfaces(
  "a note becomes a failure mode on the same route, whichever tool says so",
  async (invoke, { app, org }) => {
    const note = {
      text: "Says there is no data when there is.\nOften.",
      target: { tool: "search" },
      mode: { behaviour: "false_no_data" },
    };
    const made = await invoke("make_failure_modes", { ...note, make_mode: true });
    expect(made).toMatchObject({
      status: 201,
      body: {
        flag: "mode",
        label: "Says there is no data when there is.",
        feedback: { mode: { status: "reported", behaviour: "false_no_data", target: { tool: "search" } } },
      },
    });
    // Over REST the route is that of record_feedback, too, and `make_mode` says which of them is asked.
    const overMcp = invoker(app, "mcp", org);
    expect((await overMcp("make_failure_modes", note)).body.flag).toBe("mode");
    expect((await overMcp("make_failure_modes", { ...note, make_mode: false })).status).toBe(400);
    expect(
      (await invoke("record_feedback", { text: "named", make_mode: true, mode: { title: "Named" } })).body.label,
    ).toBe("Named");
    expect((await invoke("record_feedback", note)).status).toBe(400);
    expect((await invoke("failure_mode_proposals")).body.flags.mode).toBe(3);
  },
);

bothSurfaces(
  "the ledger counts notes, what waits and what is older than the org keeps",
  async (invoke, { app, org }) => {
    expect((await invoke("reports_ledger")).body).toMatchObject({
      reports: 0,
      waiting: 0,
      line: "No note is on record.",
    });
    await invoke("record_feedback", { text: "one" });
    const ledger = (await invoke("reports_ledger", {}, org.read)).body;
    expect(ledger).toMatchObject({ reports: 1, read: 0, waiting: 1, past_retention: 0 });
    expect(ledger.oldest_waiting_at).toBeGreaterThan(0);
    expect(ledger.undated).toBe(0);
    expect(ledger.retention_days).toBeUndefined();
    expect(ledger.leaves_retention_on).toBeUndefined();
    const kept = await app.rest("PUT", `/v0/operator/orgs/${org.tag}/retention`, { days: 10 }, app.operator);
    expect(kept.status).toBe(200);
    const bound = (await invoke("reports_ledger")).body;
    expect(bound.retention_days).toBe(10);
    expect(bound.leaves_retention_on).toBeCloseTo(ledger.oldest_waiting_at + 10 * 86_400, 3);
  },
);

const clock = new FakeClock();
// Finding A18.
bothSurfaces(
  "the ledger tells notes without a date and notes about what is gone",
  async (invoke, { app, org }) => {
    const { body: record } = await invoke("evidence_post", { content: "# Returns\n\nWithin 30 days." });
    const notes = [
      { text: "One", about: { kind: "evidence", id: record.id } },
      { text: "Two", origin: "sheet", fields: { reported_at: "2026-01-02" } },
      { text: "Three", origin: "sheet", fields: { who: "Ann" } },
    ];
    for (const note of notes) expect((await invoke("record_feedback", note)).status).toBe(201);
    expect((await invoke("reports_ledger")).body).toMatchObject({
      reports: 3,
      undated: 1,
      undated_bound_past: 0,
      unreachable: 0,
    });
    const gone = { text: "Four", about: { kind: "trace", id: "tr_00000000000000000000000000" } };
    expect((await invoke("record_feedback", gone)).status).toBe(201);
    await app.rest("PUT", `/v0/operator/orgs/${org.tag}/retention`, { days: 10 }, app.operator);
    const { body } = await invoke("reports_ledger");
    expect(body).toMatchObject({ reports: 4, undated: 1, undated_bound_past: 0, unreachable: 1 });
    expect(body.undated_leave_by - app.service.now()).toBeGreaterThan(9 * 86_400);
    clock.advance(11 * 86_400);
    // Nothing is swept while the clock is held, so that the note is still there, past its time.
    expect((await invoke("reports_ledger")).body).toMatchObject({ undated: 1, undated_bound_past: 1, unreachable: 1 });
  },
  { clock },
);
