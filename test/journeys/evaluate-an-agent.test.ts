import { expect } from "vitest";
import { sample } from "../../src/evaluate/sample.ts";
import { type Answer, bothSurfaces } from "../helpers/app.ts";
import { deskLines, deskTools, deskTraces, ended, ok } from "../tools/sandboxes/kit.ts";

bothSurfaces(
  "with a push token alone: push traces, build, poll, generate, run, watch, compare, read the verdict",
  async (invoke, { app, org }) => {
    const call = (tool: string, args: Record<string, unknown> = {}): Promise<Answer> =>
      ok(invoke(tool, args, org.push));

    // Which org is this, and what does it hold?
    expect((await call("whoami")).body).toMatchObject({ org: "acme", scope: "push" });
    expect((await call("surfaces_list")).body.surfaces).toEqual([]);

    // Traces in, and the listing that the agent saw.
    const pushed = await call("evidence_post", { surface: "desk", content: deskLines(12) });
    expect(pushed.body).toMatchObject({ kind: "traces", admitted: deskTraces(12).length, surface: "desk" });
    expect((await call("evidence_post", { surface: "desk", content: deskTools() })).body.kind).toBe("tool_listing");

    // The pipeline, as a job that is polled.
    const started = await call("pipeline_post", { surface: "desk" });
    expect(started).toMatchObject({ status: 202, body: { surface: "desk", deduplicated: false } });
    const pipeline = await ended(invoke, started.body.job, org.push);
    expect(pipeline).toMatchObject({ status: "landed", kind: "pipeline" });
    const environment: string = pipeline.result.environments[0].id;

    // What there is to test, and whether it can be trusted.
    const listed = await call("environment_tasks", { env_id: environment });
    const { review_counts: counts, coverage, tasks } = listed.body;
    expect(counts.certified).toBeGreaterThanOrEqual(10);
    expect(counts.certified + counts.refused + counts.held + counts.draft).toBe(tasks.length);
    expect(Object.keys(coverage).length).toBeGreaterThanOrEqual(4);
    const { body: faithful } = await call("environment_fidelity", { env_id: environment });
    expect(faithful.fidelity.all.calls).toBeGreaterThan(0);
    expect(faithful.fidelity.all.identical_volatile).toBeGreaterThan(
      faithful.fidelity.all.recording.identical_volatile,
    );

    // More of one kind.
    const more = await call("generate_environments", {
      surface: "desk",
      tasks: 6,
      selection: { family: ["lookup"] },
      label: "lookups",
    });
    expect(more).toMatchObject({ status: 202, body: { surface: "desk", count: 1, tasks: 6 } });
    const generated = await ended(invoke, more.body.job, org.push);
    expect(generated.status).toBe("landed");
    const lookups = (await call("environment_tasks", { env_id: generated.result.environments[0].id })).body;
    expect(lookups.tasks.length).toBeGreaterThan(0);
    expect(new Set(lookups.tasks.map((task: { family: string }) => task.family))).toEqual(new Set(["lookup"]));
    const { surfaces } = (await call("surfaces_list")).body;
    expect(surfaces).toHaveLength(1);
    expect(surfaces[0].environments.map((row: { id: string }) => row.id).sort()).toEqual(
      [environment, lookups.environment].sort(),
    );

    // The bounds of what a run can say.
    const run = async (args: Record<string, unknown>) => {
      const { body, status } = await call("start_run", { environment, ...args });
      expect(status).toBe(202);
      const seen = (await call("watch_job", { job_id: body.job })).body;
      expect(seen.of).toBe(body.trials);
      expect((await ended(invoke, body.job, org.push)).status).toBe("landed");
      expect((await call("watch_job", { job_id: body.job })).body).toMatchObject({ n: body.trials, status: "landed" });
      return (await call("run_group", { gid: body.group })).body;
    };
    const reference = await run({ harness: "reference" });
    expect(reference.rates).toMatchObject({ met: counts.certified, valid: counts.certified, infra: 0, invalid: 0 });
    const nothing = await run({ harness: "null" });
    expect(nothing.rates).toMatchObject({ met: 0, valid: counts.certified });
    const rule = await run({ harness: "rule" });
    expect(rule.rates.valid + rule.rates.invalid).toBe(counts.certified);
    expect(rule.rates.met).toBeGreaterThan(0);

    // Two versions of a real agent process that speaks MCP to its world.
    const [first, second] = sample().agent.versions.map(({ name: _name, ...version }) => version);
    const { body: connected } = await call("agents_post", { kind: "command", name: "desk agent", ...first });
    const agent: string = connected.agent.id;
    await call("agents_patch", { aid: agent, ...second });
    const few = { agent, selection: "ci-8" };
    const before = await run({ ...few, agent_version: "1" });
    const after = await run({ ...few, agent_version: "2" });
    for (const group of [before, after]) {
      expect(group.rates.infra).toBe(0);
      expect(group.rates.met + group.rates.failed).toBe(8);
    }

    // The verdict, with its counts, and the same as a file.
    const compared = await call("compare_runs", { a: before.group, b: after.group });
    expect(compared.file).toContain("# Comparison");
    const asJson = await call("compare_runs", { a: before.group, b: after.group, format: "json" });
    const comparison = JSON.parse(asJson.file ?? "");
    expect(comparison.tasks).toHaveLength(8);
    expect(comparison.refused).toEqual([]);
    expect(comparison.confidence).toBeGreaterThanOrEqual(0);
    expect(comparison.verdict).toContain(`${after.rates.met} of 8`);
    expect(compared.file).toContain(comparison.verdict);
    expect(compared.verdict).toBe(comparison.verdict);

    // Against the bounds a difference is shown, whatever the agent.
    const bound = JSON.parse(
      (await call("compare_runs", { a: reference.group, b: nothing.group, format: "json" })).file ?? "",
    );
    expect(bound).toMatchObject({ worse: "b", words: "shown" });

    // A push token is no admin's.
    expect((await invoke("org_tokens_list", {}, org.push)).status).toBe(403);
    expect((await app.rest("GET", "/v0/orgs/acme/runs/groups", undefined, org.read)).body.groups.length).toBe(5);
  },
);
