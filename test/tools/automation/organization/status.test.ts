import { expect, it } from "vitest";
import { status } from "../../../../tools/automation/organization/status.ts";
import { bothSurfaces } from "../../../helpers/app.ts";

bothSurfaces("org_status counts what stands and says what to do next", async (invoke, { app, org }) => {
  const empty = await invoke("org_status", {}, org.read);
  expect(empty.file).toContain("| evidence records | 0 |");
  expect(empty.verdict).toMatch(/^0 certified tasks from 0 evidence records; 0 agents/);

  const agent = { kind: "http", name: "bot *bold*", url: "https://agent.example/turn" };
  expect((await invoke("agents_post", agent)).status).toBe(201);
  const { body: gone } = await invoke("agents_post", { ...agent, name: "gone" });
  await invoke("agent_retire", { aid: gone.agent.id, retired: true });
  const tool = { name: "ping", description: "", inputSchema: { type: "object" } };
  const evidence = { content: JSON.stringify({ tools: [tool] }), kind: "tool_listing" };
  expect((await invoke("evidence_post", evidence)).status).toBe(201);

  const named = await invoke("org_status", { names: true });
  expect(named.file).toContain("| agents | 1 |");
  expect(named.file).toContain("| evidence records | 1 |");
  expect(named.file).toContain("- bot \\*bold\\*");
  expect(named.file).not.toContain("gone");
  const data = JSON.parse((await invoke("org_status", { format: "json" })).file ?? "");
  expect(data).toMatchObject({ org: "acme", agents: 1, evidence: 1, tasks: { certified: 0 }, usd_per_day: 10 });
  expect(data).not.toHaveProperty("names");

  // Finding A28.
  const listed = await invoke("org_status");
  expect(listed.verdict).toMatch(/^0 certified tasks from 1 evidence record; 1 agent, 0 run groups/);

  // What another org has is not counted.
  const other = await app.org("other");
  expect((await invoke("org_status", { orgtag: "other" }, other.read)).file).toContain("| agents | 0 |");
});

// Finding A25.
it("org_status names no next step that already runs", () => {
  const [operation] = status.filter(({ name }) => name === "org_status") as unknown as {
    readonly shape?: { next?: (answer: unknown) => string };
  }[];
  const answer = (running: number) => ({
    evidence: 1,
    tasks: { certified: 0 },
    agents: 0,
    jobs: { queued: 0, running, held: 0 },
  });
  expect(operation?.shape?.next?.(answer(0))).toContain("pipeline_post");
  expect(operation?.shape?.next?.(answer(1))).toContain("jobs_list");
});
