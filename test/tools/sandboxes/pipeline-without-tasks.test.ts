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
bothSurfaces("a pipeline that lands without a certified task says why, and what would help", async (invoke) => {
  const run = async (surface: string, args: Record<string, unknown> = {}) =>
    ended(invoke, (await ok(invoke("pipeline_post", { surface, ...args }))).body.job);
  await ok(invoke("evidence_post", { surface: "weather", content: weather }));
  const job = await run("weather");
  expect(job).toMatchObject({ status: "landed", result: { environments: [{ certified: 0, held: 0 }] } });
  const [environment] = job.result.environments;
  expect(job.note).toMatch(/^(?:No task was written|None of the \d+ tasks? written) from 1 trace with 1 tool call/);
  expect(job.note).toMatch(/What would help: more sessions .*, or a database export, or a tool listing\.$/);
  expect(environment.note).toBe(job.note);
  const { jobs } = (await ok(invoke("pipeline_get"))).body;
  expect(jobs[0]).toMatchObject({ id: job.id, note: job.note });
  const { caveat } = (await ok(invoke("environment_tasks", { env_id: environment.id }))).body;
  expect(caveat).toBe(`No task of this environment counts in a run. ${job.note}`);

  // Run again on the same evidence it says the same, and once for environments that lack the same.
  expect((await run("weather", { k: 2 })).note).toBe(job.note);

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
