import { describe, expect, it } from "vitest";
import { BundleRecord } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import type { Task } from "../../../../worlds/tasks/schema.ts";
import { connect, runToEnd, shopIn } from "../../runs/kit.ts";
import { buildDesk, ended, ok, sharedApp, shopEachTest } from "../kit.ts";

const shared = sharedApp({ config: { commandsAllowed: true } });

/** A task's golden path. */
function pathOf({ cell, script, checks }: Task): string {
  const asks = checks.some(({ kind }) => kind === "asks");
  return `${cell.use_case}${script.class === "refused" ? " (to be refused)" : asks ? " (to be asked about)" : ""}`;
}

describe("surfaces' life", () => {
  const { org, invoke, made } = shopEachTest(shared, 8, "life");
  const names = async (args: Record<string, unknown> = {}) =>
    (await ok(invoke("surfaces_list", { limit: 500, ...args }))).body.surfaces.map((row: { name: string }) => row.name);

  it("surface_supersede takes a surface off the lists by default, surface_unsupersede puts it back", async () => {
    await shopIn(shared.app.service, org.id, 1, `${made.label} next`);
    expect((await invoke("surface_supersede", { surface: made.label }, org.read)).status).toBe(403);
    expect((await invoke("surface_supersede", { surface: "nothing" })).status).toBe(404);
    expect(
      (await invoke("surface_supersede", { surface: made.label, superseded_by: made.label })).body.fields[0].path,
    ).toBe("superseded_by");
    expect((await invoke("surface_unsupersede", { surface: made.label })).status).toBe(409);
    const next = `${made.label} next`;
    const { body } = await ok(
      invoke("surface_supersede", { surface: made.label, superseded_by: next, reason: "New" }, org.push),
    );
    expect(body.superseded).toMatchObject({
      name: made.label,
      superseded_reason: "New",
      superseded_at: expect.any(Number),
    });
    expect(body.superseded.superseded_by).not.toBe(body.superseded.id);
    expect(await names()).not.toContain(made.label);
    expect(await names({ superseded: true })).toContain(made.label);
    const { previous, agent_door, hero } = (await ok(invoke("surfaces_list"))).body;
    expect(previous).toContainEqual({
      id: body.superseded.id,
      name: made.label,
      superseded_by: body.superseded.superseded_by,
    });
    expect([agent_door, hero]).toEqual([null, []]);
    expect((await invoke("surface_supersede", { surface: next, superseded_by: made.label })).status).toBe(409);
    const back = await ok(invoke("surface_unsupersede", { surface: made.label }, org.push));
    expect(back.body.restored).not.toHaveProperty("superseded_by");
    expect(back.body.restored).not.toHaveProperty("superseded_reason");
    expect(await names()).toContain(made.label);
  });

  it("org_retired lists what was taken off, with who and why, until it is restored", async () => {
    const retired = async () => (await ok(invoke("org_retired", {}, org.read))).body;
    await ok(invoke("environment_retire", { env_id: made.environment, by: "ann", reason: "Old" }));
    const { environments } = await retired();
    expect(environments[0]).toMatchObject({
      kind: "environment",
      id: made.environment,
      surface: made.label,
      tasks: 8,
      retired_by: "ann",
      retired_reason: "Old",
    });
    await ok(invoke("surface_retire", { surface: made.label, by: "bob" }));
    expect((await retired()).surfaces[0]).toMatchObject({ kind: "surface", name: made.label, retired_by: "bob" });
    await ok(invoke("surface_restore", { surface: made.label }));
    await ok(invoke("environment_restore", { env_id: made.environment }));
    const after = await retired();
    expect(JSON.stringify(after)).not.toContain(made.environment);
    expect(after.surfaces.map((row: { name: string }) => row.name)).not.toContain(made.label);
  });

  it("surface_progress tells per golden path how each version did, and where a failure mode stopped", async () => {
    const none = await ok(invoke("surface_progress", { surface: made.label }, org.read));
    expect(none.body).toMatchObject({ versions: [], failure_modes: [] });
    expect(none.verdict).toContain("No agent version");
    const faulty = await connect(invoke, made, `${made.label} faulty`, "skip");
    const good = await connect(invoke, made, `${made.label} good`);
    await runToEnd(invoke, { agent: faulty, environment: made.environment });
    await runToEnd(invoke, { agent: good, environment: made.environment });
    await runToEnd(invoke, { harness: "null", environment: made.environment });
    const { body, verdict } = await ok(invoke("surface_progress", { surface: made.label }));
    const paths = new Set(made.tasks.map(pathOf));
    expect(body.paths.map((row: { path: string }) => row.path)).toEqual([...paths].sort());
    expect(body.versions.map((row: { agent: string }) => row.agent)).toEqual([faulty, good]);
    const [before, after] = body.versions;
    expect(new Set(Object.values(after.paths))).toEqual(new Set(["met"]));
    const writes = new Set(
      made.tasks
        .filter((task) => task.checks.some((check) => check.kind === "state"))
        .map((task) => task.cell.use_case),
    );
    expect(writes.size).toBeGreaterThan(0);
    for (const path of writes) {
      expect(before.paths[path!]).toBe("not_met");
      expect(body.paths.find((row: { path: string }) => row.path === path).first_met).toMatchObject({ agent: good });
    }
    expect(after.changed.gained.sort()).toEqual([...writes].sort());
    expect(after.changed.lost).toEqual([]);
    expect(body.failure_modes.length).toBeGreaterThan(0);
    for (const mode of body.failure_modes) {
      expect(mode.reproduced_in).toMatchObject([{ agent: faulty }]);
      expect(mode.stopped_at).toMatchObject({ agent: good });
    }
    expect(body.failure_modes).toMatchObject(
      body.failure_modes.map(() => ({ mode: null, title: null, status: null, told_by: "root_cause" })),
    );
    const [cause] = body.failure_modes;
    const failing = body.versions[0].runs[0];
    const { body: run } = await ok(invoke("run_get", { rid: failing }));
    const task = run.trials.find((row: { root_cause: string | null }) => row.root_cause === cause.behaviour).task;
    const other = body.failure_modes.length;
    await ok(invoke("failure_modes_post", { title: "Skips it", behaviour: cause.behaviour, tasks: [task], by: "ann" }));
    await ok(invoke("failure_modes_post", { title: "Elsewhere", behaviour: cause.behaviour, by: "ann" }));
    const known = (await ok(invoke("surface_progress", { surface: made.label }))).body.failure_modes;
    expect(known).toHaveLength(other);
    expect(known[0]).toMatchObject({
      mode: expect.stringMatching(/^fm_/),
      title: "Skips it",
      behaviour: cause.behaviour,
      told_by: "tasks",
      reproduced_in: [{ agent: faulty, trials: 1 }],
      stopped_at: { agent: good },
    });
    expect(verdict).toContain(`meets ${paths.size} of ${paths.size} golden paths`);
    expect((await invoke("surface_progress", { surface: "nothing" })).status).toBe(404);
  });

  // Finding B22.
  it("surface_progress does not take a refusal for a write: what is to be refused is a path of its own", async () => {
    const refusals = made.tasks.filter(({ script }) => script.class === "refused");
    expect(refusals.length).toBeGreaterThan(0);
    const says = JSON.stringify({ answer: "I cannot help with that.", class: "refused" });
    const code = `require("node:readline").createInterface({ input: process.stdin }).on("line", () => console.log(${JSON.stringify(says)}))`;
    const command = [process.execPath, "-e", code];
    const { body } = await ok(invoke("agents_post", { kind: "command", name: `${made.label} refuses`, command }));
    await runToEnd(invoke, { agent: body.agent.id, environment: made.environment });
    const progress = (await ok(invoke("surface_progress", { surface: made.label }))).body;
    const states = progress.versions.find((row: { agent: string }) => row.agent === body.agent.id).paths;
    for (const task of refusals) {
      expect(states[task.cell.use_case ?? ""]).not.toBe("met");
      expect(states[`${task.cell.use_case} (to be refused)`]).toBe("met");
    }
    for (const task of made.tasks.filter(({ checks }) => checks.some(({ kind }) => kind === "state")))
      expect(states[task.cell.use_case ?? ""]).toBe("not_met");
  });

  it("surface_rebuild refuses what has no evidence to compile again", async () => {
    expect((await invoke("surface_rebuild", { surface: made.label }, org.read)).status).toBe(403);
    expect((await invoke("surface_rebuild", { surface: made.label, mode: "x" })).body.fields[0].path).toBe("mode");
    expect((await invoke("surface_rebuild", { surface: made.label })).status).toBe(422);
  });
});

/** Whether a compile comes to the same again is seen on one that is computed again. */
const { org, invoke, store } = sharedApp({ anew: true }).over();
it("surface_rebuild serves the version of now in the place of one that an older compiler made, and leaves a same one be", async () => {
  const built = await buildDesk(invoke, "desk", 48);
  const same = (await ok(invoke("surface_rebuild", { surface: "desk" }, org.push))).body;
  expect(same).toMatchObject({ code: "unchanged", error: null, version: { was: built.bundle, is: built.bundle } });
  const before = (await ok(invoke("surface_representation", { surface: "desk" }))).body;
  // The pipeline that built the surface has compiled its ontology once.
  expect(before.ontology_version).toBe(1);
  const compiling = (await ok(invoke("ontology_compile", { surface: "desk" }))).body.job;
  expect((await ended(invoke, compiling)).status).toBe("landed");
  const { ontology_version } = (await ok(invoke("surface_representation", { surface: "desk" }))).body;
  // Finding B11: it was always null.
  expect(ontology_version).toBe((await ok(invoke("ontology_get", { surface: "desk", part: "head" }))).body.revision);
  const records = store().records;
  await records.update(BundleRecord, built.bundle, (row) => ({ ...row, digest: "of an older compiler" }));
  const check = (await ok(invoke("surface_rebuild", { surface: "desk", mode: "check" }))).body;
  expect(check).toMatchObject({ code: "would_change", version: { is: built.bundle } });
  const { body } = await ok(invoke("surface_rebuild", { surface: "desk", reason: "New compiler" }));
  expect(body).toMatchObject({ code: "rebuilt", error: null });
  expect(body.version.is).not.toBe(built.bundle);
  expect(body.measured.is).toEqual(body.measured.was);
  const served = (await ok(invoke("surface_representation", { surface: "desk" }))).body;
  expect(served.version).toBe(body.version.is);
  const { surfaces } = (await ok(invoke("surfaces_list"))).body;
  const desk = surfaces.find((row: { name: string }) => row.name === "desk");
  expect(desk.rebuilt).toMatchObject([{ was: built.bundle, is: body.version.is, reason: "New compiler" }]);
  const env_id = built.environments[0].id;
  expect((await ok(invoke("environment_get", { env_id }))).body.bundle).toBe(built.bundle);
  await records.update(BundleRecord, body.version.is, (row) => ({
    ...row,
    digest: "better",
    fidelity: { ...row.fidelity!, all: { ...row.fidelity!.all, identical_volatile: row.fidelity!.all.calls + 1 } },
  }));
  const refused = (await ok(invoke("surface_rebuild", { surface: "desk" }))).body;
  expect(refused).toMatchObject({
    code: "refused",
    error: expect.stringContaining("worse"),
    version: body.version.is && { is: body.version.is },
  });
});
