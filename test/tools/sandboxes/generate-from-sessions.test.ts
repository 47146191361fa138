import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { deskTools, deskTraces, ended, ok } from "./kit.ts";

bothSurfaces("recorded sessions come first, are left out, or are what tasks are to be like", async (invoke) => {
  const traces = deskTraces(24) as { messages?: unknown }[];
  const posted = (await ok(invoke("evidence_post", { surface: "desk", content: traces }))).body;
  await ok(invoke("evidence_post", { surface: "desk", content: deskTools() }));
  const built = await ended(invoke, (await ok(invoke("pipeline_post", { surface: "desk" }))).body.job);
  expect(built.status).toBe("landed");
  const generate = async (args: Record<string, unknown>) => {
    const { body } = await ok(invoke("generate_environments", { surface: "desk", tasks: 8, ...args }));
    const job = await ended(invoke, body.job);
    expect(job.status, job.note).toBe("landed");
    const { tasks } = (await ok(invoke("environment_tasks", { env_id: job.result.environments[0].id }))).body;
    return tasks as { family: string; cell: { operation: string } }[];
  };
  const mined = (tasks: readonly { family: string }[]) => tasks.filter(({ family }) => family === "mined").length;
  expect(mined(await generate({ history: true }))).toBeGreaterThanOrEqual(3);
  expect(mined(await generate({ history: false }))).toBe(0);

  const [id] = posted.ids as string[];
  const named = (deskTools() as { tools: { name: string }[] }).tools.map(({ name }) => name);
  const tools = new Set(named.filter((name) => JSON.stringify(traces[0]).includes(`"${name}"`)));
  expect(tools.size).toBeGreaterThan(0);
  expect(tools.size).toBeLessThan(named.length);
  const like = await generate({ exemplars: [id] });
  expect(like.length).toBeGreaterThan(0);
  expect(mined(like)).toBeLessThanOrEqual(1);
  for (const { cell } of like) expect(tools).toContain(cell.operation);
});
