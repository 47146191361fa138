import { describe, expect, it, vi } from "vitest";
import { retentionJob } from "../../chapters/automation/organization/retention.ts";
import { readRecords } from "../../chapters/evidence/documents/contents.ts";
import type { JobCtx } from "../../chapters/job.ts";
import { Evidence } from "../../chapters/records/evidence/evidence.ts";
import { Label } from "../../chapters/records/evidence/label.ts";
import { SourceLabel } from "../../chapters/records/sources/sources.ts";
import { inputsDigest } from "../../chapters/sandboxes/surfaces/surface-evidence.ts";
import { FakeClock, invoker } from "../helpers/app.ts";
import { ctxOf } from "../helpers/ctx.ts";
import { inFiles } from "../helpers/stores/data-folder.ts";
import { operatorTests } from "./kit.ts";

const DAY = 86_400;
const { start, act } = operatorTests();

/** A conversation in which a person says something. */
const trace = (text: string, at?: number) => ({
  ...(at === undefined ? {} : { created: at }),
  messages: [
    { role: "user", content: text },
    { role: "assistant", content: "done" },
  ],
});

/** What a schedule's judge said of a trace. */
const verdict = (id: string, note: string) => ({
  id: `sl_${id}`,
  created_at: 1,
  by: "schedule sch_1",
  source: "sch_1",
  name: "judged: polite",
  session: id,
  trace: id,
  polarity: "bad" as const,
  note,
  failure_mode: false,
  tier: "llm-derived" as const,
});

describe("erasing", () => {
  it("takes one trace out of every table and file", async () => {
    const app = await start();
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const content = [trace("zqfirstmarker"), trace("zqsecondmarker")].map((one) => JSON.stringify(one)).join("\n");
    const { body } = await invoke("evidence_post", { content, kind: "traces" });
    const [first] = body.ids;
    expect(inFiles(app.dataDir, ["zqfirstmarker"])).not.toEqual([]);
    const correction = "It should have called quarterlabel.";
    await invoke("labels_post", { trace: first, polarity: "positive", correction });
    const { records } = app.service.store.forOrg(org.id);
    expect(await records.count(Label)).toBe(1);
    for (const id of body.ids) await records.insert(SourceLabel, verdict(id, `It said quartervolt${id.slice(-4)}.`));
    const gone = await act("DELETE", `/orgs/acme/traces/${first}`);
    expect(await records.count(Label)).toBe(0);
    expect((await records.list(SourceLabel)).items.map((label) => label.trace)).toEqual([body.ids[1]]);
    expect(inFiles(app.dataDir, ["quarterlabel", `quartervolt${first.slice(-4)}`])).toEqual([]);
    expect(gone).toMatchObject({ status: 200, body: { erased: first, evidence: body.id, scrubbed: true } });
    expect(inFiles(app.dataDir, ["zqfirstmarker"])).toEqual([]);
    expect(inFiles(app.dataDir, ["zqsecondmarker"])).not.toEqual([]);
    expect(await app.service.store.forOrg(org.id).traces.count(body.id)).toBe(1);
    expect((await act("DELETE", `/orgs/acme/traces/${first}`)).status).toBe(404);
    expect((await act("DELETE", `/orgs/nobody/traces/${first}`)).status).toBe(404);
    await app.org("beta");
    expect((await act("DELETE", `/orgs/beta/traces/${body.ids[1]}`)).status).toBe(404);
    const [line] = (await app.service.store.forOrg(org.id).audit.list()).items;
    expect(line).toMatchObject({ act: "trace_erased", by: "operator", fields: { trace: first, evidence: body.id } });
  });

  it("takes a person's traces and documents, and names what else still holds them", async () => {
    const app = await start();
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const content = [trace("I am Zoë Quarterstaff"), trace("I am somebody else")]
      .map((one) => JSON.stringify(one))
      .join("\n");
    const traces = (await invoke("evidence_post", { content, kind: "traces" })).body;
    await invoke("evidence_post", { content: "# Notes\n\nCall ZOË QUARTERSTAFF first.", kind: "document" });
    const people = {
      people: [
        { id: "1", name: "Zoë Quarterstaff" },
        { id: "2", name: "Somebody Else" },
      ],
    };
    const rows = { content: JSON.stringify(people), kind: "document", format: "records" };
    const { body: export_ } = await invoke("evidence_post", rows);
    const ctx = ctxOf(app.service, org, { kind: "operator" });
    const evidence = async (id: string) => {
      const doc = await ctx.store.records.get(Evidence, id);
      if (!doc) throw new Error("no evidence");
      return doc;
    };
    const digest = inputsDigest([await evidence(traces.id)]);
    const member = (await invoke("members_post", { email: "zoe@example.com", name: "Zoë Quarterstaff" })).body;
    for (const values of [[], ["abc"], "Zoë Quarterstaff"])
      expect((await act("POST", "/orgs/acme/erase-person", { values })).status).toBe(400);
    const gone = await act("POST", "/orgs/acme/erase-person", { values: ["zoë quarterstaff", "zoe@example.com"] });
    expect(gone).toMatchObject({ status: 200, body: { traces: 1, parts: 2, scrubbed: true, remaining_total: 1 } });
    expect(gone.body.remaining).toEqual([{ place: "member", id: member.id }]);
    const store = app.service.store.forOrg(org.id);
    expect(await store.traces.count(traces.id)).toBe(1);
    await invoke("members_delete", { mid: member.id });
    const again = await act("POST", "/orgs/acme/erase-person", { values: ["zoë quarterstaff", "zoe@example.com"] });
    expect(again.body).toMatchObject({ traces: 0, parts: 0, remaining: [] });
    expect((await readRecords(ctx, await evidence(export_.id))).people).toEqual([{ id: "2", name: "Somebody Else" }]);
    expect(await evidence(traces.id)).toMatchObject({ erased: 1, stats: { traces: 2 } });
    // What would be compiled of it is another thing now.
    expect(inputsDigest([await evidence(traces.id)])).not.toBe(digest);
    expect(inFiles(app.dataDir, ["Quarterstaff"])).toEqual([]);
    const lines = JSON.stringify((await store.audit.list()).items);
    expect(lines).toContain("person_erased");
    expect(lines).not.toMatch(/quarterstaff|zoe@/i);

    // What the logs hold is named too: nobody takes a line out of them, so a person has to know.
    const who = "Zoë Quarterstaff";
    await store.ledger.append({ id: "lg_1", at: 1, job: null, kind: "call", who, micro_usd: 0, note: "" });
    const sent = {
      id: "dl_1",
      at: 1,
      by: who,
      channel: "email",
      group: "rg_1",
      target: "zoe@example.com",
      reference: {},
    };
    await store.deliveries.append(sent);
    await store.audit.append(1, who, "by_hand", {});
    const logged = await act("POST", "/orgs/acme/erase-person", { values: [who] });
    expect(logged.body.remaining.map(({ place }: { place: string }) => place)).toEqual([
      "delivery",
      "ledger",
      "audit line",
    ]);
  });

  it("goes by itself once a retention is set", async () => {
    const clock = new FakeClock();
    const app = await start({ clock, jobs: true });
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const store = app.service.store.forOrg(org.id);
    const post = async (text: string) =>
      (await invoke("evidence_post", { content: JSON.stringify(trace(text)), kind: "traces" })).body.id as string;
    const old = await post("zqoldmarker");
    clock.advance(20 * DAY);
    const young = await post("zqyoungmarker");
    for (const [evidence, correction] of [
      [old, "zqoldmarker was wrong"],
      [young, "stays"],
    ] as const) {
      const [head] = (await store.traces.heads(evidence)).items;
      await invoke("labels_post", { trace: head?.id, polarity: "negative", correction });
    }
    for (const days of [0, 1.5, "x"]) expect((await act("PUT", "/orgs/acme/retention", { days })).status).toBe(400);
    const set = await act("PUT", "/orgs/acme/retention", { days: 10 });
    expect(set.body).toEqual({ org: "acme", days: 10, cleared: false });
    await expect.poll(() => store.traces.count(old)).toBe(0);
    await expect.poll(() => inFiles(app.dataDir, ["zqoldmarker"])).toEqual([]);
    expect(await store.traces.count(young)).toBe(1);
    expect((await invoke("labels_get")).body.labels).toHaveLength(1);
    clock.advance(11 * DAY);
    // A tick while the day before is still being erased finds that job; the next one starts the new day's.
    const ticked = async () => {
      await app.service.schedules.tick();
      return store.traces.count(young);
    };
    await expect.poll(ticked).toBe(0);
    const acts = async () => (await store.audit.list()).items.filter(({ act: name }) => name === "traces_expired");
    await expect.poll(async () => (await acts()).length).toBe(2);
    // Once a day, however often it is looked at.
    await app.service.schedules.tick();
    const jobs = (await store.jobs.list({ kind: "retention" })).items;
    expect(jobs).toHaveLength(2);
    expect((await act("PUT", "/orgs/acme/retention", { days: null })).body.cleared).toBe(true);
    const kept = await post("kept");
    clock.advance(100 * DAY);
    await app.service.schedules.tick();
    expect(await store.traces.count(kept)).toBe(1);
  });

  it("tells of what an attempt deleted that ended before it could", async () => {
    const clock = new FakeClock();
    const app = await start({ clock, jobs: false });
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const post = async (text: string) => {
      const { body } = await invoke("evidence_post", { content: JSON.stringify(trace(text)), kind: "traces" });
      await invoke("labels_post", { trace: body.ids[0], polarity: "negative", correction: `${text} was wrong` });
      await app.service.store.forOrg(org.id).records.insert(SourceLabel, verdict(body.ids[0], `It said ${text}.`));
      return body.id as string;
    };
    const ids = [await post("zqone"), await post("zqtwo")];
    clock.advance(20 * DAY);
    await act("PUT", "/orgs/acme/retention", { days: 10 });
    let state: unknown;
    const ctx = (): JobCtx => ({
      ...ctxOf(app.service, org, { kind: "operator" }),
      account: { job: "job_1", kind: "retention" },
      job: {
        id: "job_1",
        attempt: 1,
        state,
        checkpoint: async (made) => {
          state = made;
        },
        audit: async () => {},
      },
    });
    const killed = ctx();
    const deleteBefore = killed.store.traces.deleteBefore.bind(killed.store.traces);
    let deletions = 0;
    vi.spyOn(killed.store.traces, "deleteBefore").mockImplementation(async (...given) => {
      const gone = await deleteBefore(...given);
      deletions += 1;
      if (deletions === 2) throw new Error("killed");
      return gone;
    });
    await expect(retentionJob.run(killed, {})).rejects.toThrow("killed");
    expect(await retentionJob.run(ctx(), {})).toEqual({ erased: 2, evidence: 2 });
    const { records, audit } = app.service.store.forOrg(org.id);
    for (const id of ids) expect((await records.get(Evidence, id))?.erased).toBe(1);
    expect([await records.count(Label), await records.count(SourceLabel)]).toEqual([0, 0]);
    const lines = (await audit.list()).items.filter(({ act: name }) => name === "traces_expired");
    expect(lines.map(({ fields }) => fields)).toEqual([{ traces: 2, evidence: 2, days: 10 }]);
    expect(inFiles(app.dataDir, ["zqone", "zqtwo"])).toEqual([]);
  });
});
