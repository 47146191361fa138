import { expect, it } from "vitest";
import { afterIngestJob } from "../../../../chapters/automation/after-ingest/after-ingest-pass.ts";
import type { JobCtx } from "../../../../chapters/job.ts";
import { IngestPass } from "../../../../chapters/records/evidence/after-ingest.ts";
import { BundleRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { bothSurfaces, FakeClock, invoker, startApp } from "../../../helpers/app.ts";
import { ctxOf } from "../../../helpers/ctx.ts";
import { fidelityOf, shopSessions } from "../../evidence/kit.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, ok } from "../../sandboxes/kit.ts";

bothSurfaces("new evidence is looked through, and what it calls for is offered once", async (invoke, { app, org }) => {
  const { environment } = await shopIn(app.service, org.id, 1, "shop");
  const { records } = app.service.store.forOrg(org.id);
  const [bundle] = (await records.list(BundleRecord)).items;
  const fidelity = { all: fidelityOf(50), tools: {}, traces: 10, tier: "deterministic" as const };
  await records.update(BundleRecord, bundle?.id ?? "", (row) => ({ ...row, fidelity }));
  const state = async (args = {}) => (await ok(invoke("after_ingest_get", args, org.read))).body;
  const pass = async () => {
    const { body } = await ok(invoke("after_ingest_post", { by: "mei" }, org.push));
    return (await ended(invoke, body.job)).result;
  };
  expect(await state()).toMatchObject({
    ...{ queued: false, running: null, last: null },
    ...{ proposals: [], starters: [] },
  });
  expect((await invoke("after_ingest_post", {}, org.read)).status).toBe(403);

  await ok(invoke("evidence_post", { surface: "shop", format: "tau-bench", content: shopSessions(24) }));
  await ok(invoke("evidence_post", { content: "# Use cases\n- Refunds\n", kind: "document", format: "markdown" }));
  expect((await state()).queued).toBe(true);
  const visit = app.service.now();
  const first = await pass();
  expect(first.counts).toMatchObject({
    evidence: 2,
    traces: 24,
    operations_new: 1,
    values_new: 1,
    offered: 5,
    open: 5,
  });
  const seen = await state({ since: 0 });
  expect(seen).toMatchObject({ queued: false, last: { line: first.line, usd: 0 } });
  expect(seen.first_seen).toMatchObject([{ surface: "shop", operation: "get_order" }]);
  expect((await state({ since: visit })).first_seen).toEqual([]);
  const of = (kind: string, from = seen) => from.proposals.find((row: { kind: string }) => row.kind === kind);
  expect(of("redraw")).toMatchObject({
    measure: { value: 0.25, of: 24, counts: { contradicted: 6, environments: 1, traces: 24 } },
    act: { operation: "surface_world_redraw", body: { reobserve: true } },
    tier: "deterministic",
  });
  expect(of("redraw").act.route).toMatch(new RegExp(`^/v0/orgs/${org.tag}/surfaces/sf_.*/world/redraw$`));
  expect(of("rebuild")).toMatchObject({
    measure: { value: 0.25, threshold: 0.02, of: 24, counts: { alike: 18 } },
    act: { operation: "pipeline_post", body: { surface: "shop" } },
  });
  expect(of("value")).toMatchObject({ measure: { name: "traces", value: 24, threshold: 3 } });
  expect(of("reread")).toMatchObject({ measure: { name: "documents_unread", value: 1 } });
  const reasons = seen.proposals.map((row: { reason: string }) => row.reason);
  expect(reasons).toContain("No certified task has 1 operation that new traces call.");
  expect(reasons).toContain("Not read yet: 1 of 1 document.");
  expect(of("tasks").act.body.selection).toEqual({ operation: ["get_order"] });
  expect(JSON.stringify(seen.proposals.map((row: { reason: string }) => row.reason))).not.toContain("get");

  expect((await pass()).counts).toMatchObject({ evidence: 0, offered: 0, superseded: 0, open: 5 });
  const value = { pid: of("value").id };
  expect((await invoke("after_ingest_dismiss", value, org.read)).status).toBe(403);
  expect((await ok(invoke("after_ingest_dismiss", value, org.push))).body.proposal.state).toBe("dismissed");
  expect((await invoke("after_ingest_accept", value)).status).toBe(409);
  expect((await pass()).counts.offered).toBe(0);
  await ok(invoke("evidence_post", { surface: "shop", format: "tau-bench", content: shopSessions(4, 40) }));
  await pass();
  const again = await state();
  expect(of("value", again)).toMatchObject({ measure: { value: 28 } });
  expect(again.tally.value).toMatchObject({ open: 1, dismissed: 1 });
  expect(again.tally.redraw).toMatchObject({ open: 1, superseded: 1 });
  expect((await invoke("after_ingest_accept", { pid: of("redraw").id })).status).toBe(409);

  const twice = await Promise.all([1, 2].map(() => invoke("after_ingest_accept", { pid: of("value", again).id })));
  expect(twice.map(({ status }) => status).sort()).toEqual([200, 409]);
  const values = (await ok(invoke("dimensions_get"))).body;
  expect(JSON.stringify(values)).toContain('"status":"accepted"');

  const redraw = { pid: of("redraw", again).id };
  expect((await invoke("after_ingest_accept", { ...redraw, model: "none" })).status).toBe(422);
  expect((await state()).proposals.map((row: { id: string }) => row.id)).toContain(redraw.pid);
  const redrawn = await ok(invoke("after_ingest_accept", { ...redraw, reason: "the shop moved on" }, org.push));
  expect(redrawn.body).toMatchObject({ accepted: true, state: "accepted", status: 200, touched: [environment] });
  const changed = (await ok(invoke("org_changes_get", {}, org.read))).body.lines;
  expect(changed.find((line: { id: string }) => line.id === redrawn.body.revision)).toMatchObject({
    page: "home",
    about: { kind: "environment", id: environment },
    undo: `/v0/orgs/${org.tag}/environments/${environment}/revisions/${redrawn.body.revision}/restore`,
  });
  // It observed anew: a version was compiled beside the one that stood.
  expect(changed.filter(({ change }: { change: string }) => change === "version_compiled")).toHaveLength(2);
  const reread = await ok(invoke("after_ingest_accept", { pid: of("reread").id, by: "mei" }));
  expect(reread).toMatchObject({ status: 202, body: { proposal: { closed_by: "mei" } } });
  expect((await ended(invoke, reread.body.job)).status).toBe("landed");
  expect((await invoke("after_ingest_accept", { pid: of("tasks").id, reobserve: true })).body.fields[0].path).toBe(
    "reobserve",
  );
  const other = await app.org("other");
  expect((await invoke("after_ingest_dismiss", { pid: of("tasks").id, orgtag: other.tag }, other.push)).status).toBe(
    404,
  );
});

it("the service looks through what came in by itself, once it has settled", async () => {
  const clock = new FakeClock(1_790_000_000);
  const app = await startApp({ clock });
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const passes = async () => (await app.service.store.forOrg(org.id).jobs.list({ kind: "after_ingest" })).items;
    const tick = async (seconds: number) => {
      clock.advance(seconds);
      await app.service.schedules.tick();
      return passes();
    };
    expect(await tick(900)).toHaveLength(0);
    for (const place of [0, 4]) {
      await ok(invoke("evidence_post", { format: "tau-bench", content: shopSessions(4, place) }));
      expect(await tick(100)).toHaveLength(0);
    }
    const [job] = await tick(20);
    expect((await ended(invoke, job?.id ?? "")).result.counts).toMatchObject({ evidence: 2, traces: 8 });
    expect(await tick(900)).toHaveLength(1);
  } finally {
    await app.close();
  }
});

it("an attempt that died after its pass was written does not write another", async () => {
  const app = await startApp();
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    await ok(invoke("evidence_post", { surface: "shop", format: "tau-bench", content: shopSessions(3) }));
    const attempt = (number: number): JobCtx => ({
      ...ctxOf(app.service, org),
      job: { id: "job_1", attempt: number, state: undefined, checkpoint: async () => {}, audit: async () => {} },
    });
    const first = await afterIngestJob.run(attempt(1), { by: "mei" });
    expect(await afterIngestJob.run(attempt(2), { by: "mei" })).toEqual(first);
    expect((await app.service.store.forOrg(org.id).records.list(IngestPass)).items).toHaveLength(1);
  } finally {
    await app.close();
  }
});
