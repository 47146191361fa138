import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { buildDesk, deskTraces, ended, ok } from "./kit.ts";

/** One session that reads the weather: nothing in it can be asked again with another answer. */
const weather = [
  {
    session: "s1",
    messages: [
      { role: "user", content: "How is the weather?" },
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look_outside", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "It rains." }] },
      { role: "assistant", content: "It rains." },
    ],
  },
];
const listing = {
  tools: [
    { name: "look_outside", description: "The weather.", inputSchema: { type: "object", properties: {} } },
    { name: "look_inside", description: "The room.", inputSchema: { type: "object", properties: {} } },
  ],
};

// Finding A47.
bothSurfaces("a pipeline that makes no task fails, says why, and leaves no environment", async (invoke) => {
  const run = async (surface: string, args: Record<string, unknown> = {}) =>
    ended(invoke, (await ok(invoke("pipeline_post", { surface, ...args }))).body.job);
  const environments = async () => {
    const { surfaces } = (await ok(invoke("surfaces_list"))).body;
    return surfaces.flatMap((row: { environments: unknown[] }) => row.environments);
  };
  await ok(invoke("evidence_post", { surface: "weather", content: weather }));
  const job = await run("weather");
  expect(job).toMatchObject({ status: "failed", result: { environments: [], empty: 1 } });
  expect(job.note).toMatch(/^No task was written from 1 trace with 1 tool call/);
  expect(job.note).toMatch(/What would help: more sessions .*, or a database export, or a tool listing\.$/);
  expect(await environments()).toEqual([]);
  // What was compiled stands, and is asked for by its own name.
  expect((await ok(invoke("bundle_manifest", { bundle_id: job.result.bundle }))).body.tool_count).toBe(1);
  const { jobs } = (await ok(invoke("pipeline_get"))).body;
  expect(jobs[0]).toMatchObject({ id: job.id, status: "failed", note: job.note });

  // Run again on the same evidence it says the same, and once for environments that lack the same.
  expect(await run("weather", { k: 2 })).toMatchObject({ status: "failed", note: job.note, result: { empty: 2 } });
  const generated = (await ok(invoke("generate_environments", { surface: "weather", count: 2 }))).body.job;
  expect(await ended(invoke, generated)).toMatchObject({ status: "failed", note: job.note });
  const criteria = ["answer_includes", "state"];
  const { jobs: begun } = (await ok(invoke("environments_for_criteria", { surface: "weather", criteria }))).body;
  expect(begun).toHaveLength(2);
  for (const { job: id } of begun) {
    const { status, note } = await ended(invoke, id);
    expect([status, note]).toEqual(["failed", expect.stringContaining(job.note)]);
  }
  const persona = { personas: [{ value: "Parent" }], draw: true, surface: "weather", n: 3 };
  const { draw } = (await ok(invoke("dimensions_personas_post", persona))).body;
  const pressed = await ended(invoke, draw[0].job);
  expect([pressed.status, pressed.note]).toEqual(["failed", expect.stringContaining(job.note)]);
  expect(await environments()).toEqual([]);

  await ok(invoke("evidence_post", { surface: "weather", content: listing }));
  const listed = await run("weather");
  expect(listed.note).toContain("its world cannot answer");
  expect(listed.note).toContain("look_inside");
  expect(listed.note).not.toContain("a tool listing");
});

bothSurfaces("a pipeline whose tasks count, or wait to be admitted, has nothing to explain", async (invoke) => {
  const { environments } = await buildDesk(invoke, "desk", 24);
  expect(environments[0].certified).toBeGreaterThan(0);
  expect(environments[0]).not.toHaveProperty("note");
  const { jobs } = (await ok(invoke("pipeline_get"))).body;
  expect(jobs[0].note).toBeNull();
  await ok(invoke("evidence_post", { surface: "waits", content: deskTraces(24) }));
  const { body } = await ok(invoke("pipeline_post", { surface: "waits", admit: false }));
  const held = await ended(invoke, body.job);
  expect(held).toMatchObject({ note: null, result: { environments: [{ certified: 0 }] } });
});

bothSurfaces(
  "a plan of traces that gets no task fails with the reason, and leaves neither plan nor environment",
  async (invoke) => {
    const content = Array.from({ length: 6 }, (_, i) => ({ ...weather[0], session: `s${i + 1}` }));
    const eid = (await ok(invoke("evidence_post", { surface: "weather", content }))).body.id as string;
    await ended(invoke, (await ok(invoke("pipeline_post", { surface: "weather" }))).body.job);
    const begun = (await ok(invoke("worldplan_post", { eid }))).body;
    const job = await ended(invoke, begun.job);
    expect([job.status, job.note]).toEqual(["failed", expect.stringMatching(/^No task was written from 6 traces/)]);
    expect((await invoke("worldplan_get", { wid: begun.id })).status).toBe(404);
    const { surfaces } = (await ok(invoke("surfaces_list"))).body;
    expect(surfaces.flatMap((row: { environments: unknown[] }) => row.environments)).toEqual([]);
  },
);
