import { beforeAll, describe, expect, it } from "vitest";
import { invoker } from "../../helpers/app.ts";
import { buildDesk, deskTools, deskTraces, ended, ok, sendDesk, sharedApp } from "./kit.ts";

const shared = sharedApp();

const EVERY = 12;
/** Enough to compile and to write tasks from. */
const FEW = 24;
const toolNames = (deskTools() as { tools: { name: string }[] }).tools.map((tool) => tool.name).sort();

describe("the pipeline", () => {
  const { org, invoke } = shared.over();
  // biome-ignore lint/suspicious/noExplicitAny: a job's result.
  let built: any;
  beforeAll(async () => {
    built = await buildDesk(invoke, "desk", EVERY, org.push);
  });
  const rerun = async (args: Record<string, unknown> = {}) => {
    const { body } = await ok(invoke("pipeline_post", { surface: "desk", ...args }, org.push));
    return ended(invoke, body.job);
  };

  it("surfaces_list shows what was built: the served version, its evidence, its environments", async () => {
    const { body } = await ok(invoke("surfaces_list", {}, org.read));
    const [desk] = body.surfaces;
    expect(desk).toMatchObject({ name: "desk", bundle: built.bundle });
    expect(desk.versions.map((row: { bundle: string }) => row.bundle)).toEqual([built.bundle]);
    expect(desk.evidence).toHaveLength(2);
    expect(desk.environments).toMatchObject([{ id: built.environments[0].id, tasks: built.environments[0].tasks }]);
  });

  it("bundles_list and bundle_manifest answer what was compiled, and what an agent sees of it", async () => {
    const { bundles } = (await ok(invoke("bundles_list", {}, org.read))).body;
    const bundle = bundles.find((row: { id: string }) => row.id === built.bundle);
    expect(bundle.tools).toBe(toolNames.length);
    expect(Object.values<number>(bundle.tables).some((rows) => rows > 0)).toBe(true);
    expect(bundle.fidelity).toMatchObject({ tier: "deterministic" });
    expect(bundle.fidelity.all.calls).toBe(
      Object.values<{ calls: number }>(bundle.fidelity.tools).reduce((sum, tool) => sum + tool.calls, 0),
    );
    expect(bundle).not.toHaveProperty("bundle_blob");
    const manifest = (await ok(invoke("bundle_manifest", { bundle_id: built.bundle }, org.read))).body;
    expect(manifest.tools.map((tool: { name: string }) => tool.name).sort()).toEqual(toolNames);
    expect(manifest).toMatchObject({ bundle_id: built.bundle, tool_count: toolNames.length });
    for (const name of manifest.readonly_tools) expect(toolNames).toContain(name);
    expect(manifest.readonly_tools.length).toBeLessThan(toolNames.length);
    expect((await invoke("bundle_manifest", { bundle_id: "bd_none" })).status).toBe(404);
  });

  it("surface_representation counts its parts, and answers the rows of one by pages", async () => {
    const head = (await ok(invoke("surface_representation", { surface: "desk" }, org.read))).body;
    expect(head).toMatchObject({
      surface: "desk",
      version: built.bundle,
      counts: { tools: toolNames.length, evidence: 2 },
    });
    expect(head).not.toHaveProperty("rows");
    for (const [part, total] of Object.entries<number>(head.counts)) {
      const { body } = await ok(invoke("surface_representation", { surface: "desk", part, limit: 500 }));
      expect(body.rows, part).toHaveLength(Math.min(total, 500));
      expect(body.total, part).toBe(total);
    }
    const all = (await ok(invoke("surface_representation", { surface: "desk", part: "behaviours", limit: 500 }))).body;
    for (const row of all.rows) {
      expect(toolNames).toContain(row.tool);
      expect(typeof row.line).toBe("string");
    }
    const page = await ok(
      invoke("surface_representation", { surface: "desk", part: "behaviours", limit: 2, offset: 1 }),
    );
    expect(page.body.rows).toEqual(all.rows.slice(1, 3));
    const counted = await ok(invoke("surface_representation", { surface: "desk", part: "tools", count: true }));
    expect(counted.body).not.toHaveProperty("rows");
    expect((await invoke("surface_representation", { surface: "desk", part: "soul" })).status).toBe(400);
    expect((await invoke("surface_representation", { surface: "desk", version: "bd_none" })).status).toBe(404);
    expect((await invoke("surface_representation", { surface: "nothing" })).status).toBe(404);
  });

  it("environment_fidelity stands beside a plain recording, per tool", async () => {
    const { body, verdict } = await ok(invoke("environment_fidelity", { env_id: built.environments[0].id }, org.read));
    expect(body).not.toHaveProperty("wrong");
    const [tool = ""] = Object.entries<{ calls: number; identical_volatile: number }>(body.fidelity.tools).flatMap(
      ([name, { calls, identical_volatile }]) => (identical_volatile < calls ? [name] : []),
    );
    const asked = { env_id: built.environments[0].id, wrong_of: tool };
    const [wrong] = (await ok(invoke("environment_fidelity", asked, org.read))).body.wrong;
    expect(wrong.observed.answer).not.toEqual(wrong.answered);
    const misspelled = await invoke("environment_fidelity", { ...asked, wrong_of: `${tool}x` }, org.read);
    expect(misspelled.status).toBe(400);
    expect(misspelled.body.fields).toMatchObject([{ path: "wrong_of", message: expect.stringContaining(tool) }]);
    const { all, tools } = body.fidelity;
    expect(all.identical).toBeLessThanOrEqual(all.identical_volatile);
    expect(all.identical_volatile).toBeLessThanOrEqual(all.calls);
    expect(all.identical_volatile + all.not_served + all.wrong_answer).toBe(all.calls);
    expect(all.floor.identical_volatile + all.floor.not_served + all.floor.wrong_answer).toBe(all.calls);
    expect(all.identical_volatile).toBeGreaterThan(0);
    expect(all.recording.identical).toBeLessThanOrEqual(all.recording.identical_volatile);
    for (const tool of Object.keys(tools)) expect(toolNames).toContain(tool);
    expect(verdict).toContain(`${all.wrong_success} wrong successes`);
  });

  it("pipeline_post on unchanged evidence makes nothing again; pipelines are listed newest first", async () => {
    const again = await rerun();
    const reused = ["compile", "ontology", "dimensions", `tasks ${built.environments[0].id}`];
    expect(again.result).toEqual({ ...built, dimensions: 0, reused });
    const { jobs } = (await ok(invoke("pipeline_get", {}, org.read))).body;
    expect(jobs[0].id).toBe(again.id);
    expect(jobs.length).toBeGreaterThanOrEqual(2);
    expect((await invoke("pipeline_post", { surface: "desk" }, org.read)).status).toBe(403);
    expect((await invoke("pipeline_post", { surface: "desk", k: 0 })).body.fields[0].path).toBe("k");
  });

  it("augment draws another environment beside, of the same bundle", async () => {
    const { result } = await rerun({ augment: true });
    expect(result).toMatchObject({ bundle: built.bundle, reused: ["compile", "ontology", "dimensions"] });
    const [drawn] = result.environments;
    expect(drawn.id).not.toBe(built.environments[0].id);
    const environment = (await ok(invoke("environment_get", { env_id: drawn.id }))).body;
    expect(environment.hypothesis).toBe("fitted");
    const rows = Object.values<{ rows: number; drawn: number }>(environment.rows);
    expect(rows.reduce((sum, table) => sum + table.drawn, 0)).toBeGreaterThan(0);
  });

  it("a surface with nothing to compile from fails with a sentence, and makes no environment", async () => {
    const failed = await rerun({ surface: "empty" });
    expect(failed).toMatchObject({ status: "failed" });
    expect(failed.note).toContain("no traces and no tool listing");
    expect(await invoke("generate_environments", { surface: "empty" })).toMatchObject({
      status: 409,
      body: { reason: expect.stringContaining("has not been compiled") },
    });
    expect((await invoke("surface_representation", { surface: "empty" })).status).toBe(409);
  });
});

/** What takes several compiles is seen over one surface; the operations answer over both above and in the tests of jobs. */
const { invoke } = shared.over();
/** Calls in an org of a test's own: what is compiled there has the same name, and so the same content, as elsewhere. */
const inOrg = async (tag: string) => {
  const own = await shared.app.org(tag);
  const call = invoker(shared.app, "rest", own);
  const pipeline = async (args: Record<string, unknown>) =>
    ended(call, (await ok(call("pipeline_post", args, own.push))).body.job);
  return { invoke: call, push: own.push, pipeline };
};

describe("the pipeline", () => {
  it("without admit what passes review is held; admitting it later makes it count", async () => {
    const { invoke, pipeline } = await inOrg("waits");
    await sendDesk(invoke, "desk", FEW);
    const held = await pipeline({ surface: "desk", admit: false });
    const [first] = held.result.environments;
    expect(first.certified).toBe(0);
    expect(first.held).toBeGreaterThan(0);
    const index = (await ok(invoke("environment_tasks", { env_id: first.id }))).body.tasks.find(
      (task: { status: string }) => task.status === "held",
    ).index;
    await ok(invoke("environment_review_hold", { env_id: first.id, index, reason: "Mine" }));
    const admitted = await pipeline({ surface: "desk" });
    expect(admitted.result.environments).toMatchObject([{ id: first.id, certified: first.held - 1, held: 1 }]);
  });

  it("new evidence compiles a new version; taking it away serves the one before again", async () => {
    const { invoke, pipeline } = await inOrg("moves");
    const first = await ok(invoke("evidence_post", { surface: "waits", content: deskTraces(FEW) }));
    const one = (await pipeline({ surface: "waits" })).result;
    const more = await ok(invoke("evidence_post", { surface: "waits", content: deskTraces(FEW + 2) }));
    const two = (await pipeline({ surface: "waits" })).result;
    expect(two.bundle).not.toBe(one.bundle);
    const served = async () =>
      (await ok(invoke("surfaces_list"))).body.surfaces.find((row: { name: string }) => row.name === "waits");
    expect(await served()).toMatchObject({
      bundle: two.bundle,
      versions: [{ bundle: one.bundle }, { bundle: two.bundle }],
    });
    await ok(invoke("evidence_assign", { eid: more.body.id, superseded_by: first.body.id }));
    const three = (await pipeline({ surface: "waits" })).result;
    expect(three).toMatchObject({ bundle: one.bundle, environments: one.environments });
    expect(three.reused).toContain("compile");
    expect((await served()).bundle).toBe(one.bundle);
  });

  it("a second call while one runs is followed by one more run, a third by none", async () => {
    await ok(invoke("evidence_post", { surface: "busy", content: deskTraces(60) }));
    const first = (await ok(invoke("pipeline_post", { surface: "busy" }))).body;
    expect(first.deduplicated).toBe(false);
    for (;;) {
      const { status } = (await ok(invoke("job_status", { job_id: first.job }))).body;
      if (status === "running") break;
      expect(status).toBe("queued");
    }
    const second = (await ok(invoke("pipeline_post", { surface: "busy" }))).body;
    const third = (await ok(invoke("pipeline_post", { surface: "busy" }))).body;
    expect(second.job).not.toBe(first.job);
    expect(second.deduplicated).toBe(false);
    expect(third).toMatchObject({ job: second.job, deduplicated: true });
    const [a, b] = [await ended(invoke, first.job), await ended(invoke, second.job)];
    expect([a.status, b.status]).toEqual(["landed", "landed"]);
    expect(b.started_at).toBeGreaterThanOrEqual(a.ended_at);
    expect(b.result.reused).toContain("compile");
  });

  it("job_cancel ends a pipeline; the next one goes on", async () => {
    const { invoke, push, pipeline } = await inOrg("stops");
    await ok(invoke("evidence_post", { surface: "waits", content: deskTraces(FEW) }));
    const { job } = (await ok(invoke("pipeline_post", { surface: "waits", k: 5 }))).body;
    expect((await invoke("job_stop", { job_id: job })).status).toBe(409);
    await ok(invoke("job_cancel", { job_id: job }, push));
    expect((await ended(invoke, job)).status).toBe("cancelled");
    const next = await pipeline({ surface: "waits" });
    expect(next.status).toBe("landed");
    expect(next.result.environments[0].certified).toBeGreaterThan(0);
  });
});
