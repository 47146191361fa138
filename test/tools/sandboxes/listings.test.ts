import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { deskTools, deskTraces, ended, ok } from "./kit.ts";

const tool = (name: string, description = `Does ${name}.`) => ({
  name,
  description,
  inputSchema: { type: "object", properties: { number: { type: "string" } } },
});

/** A call and its result, as tau2 writes them of either side. */
const called = (requestor: "assistant" | "user", id: string, name: string) => [
  { role: requestor, content: null, tool_calls: [{ id, name, arguments: { number: "0711" }, requestor }] },
  { id, role: "tool", content: '{"number":"0711","roaming":true}', requestor, error: false },
];
const simulations = Array.from({ length: 3 }, (_, n) => ({
  id: `sim-${n}`,
  task_id: String(n),
  trial: 0,
  termination_reason: "user_stop",
  reward_info: { reward: 1 },
  messages: [
    { role: "user", content: `My line ${n} is dead`, tool_calls: null },
    ...called("assistant", `a${n}`, "restart_line"),
    ...called("user", `u${n}`, "look_at_phone"),
    { role: "assistant", content: "It works.", tool_calls: null },
  ],
}));
const info = { agent_info: { llm: "m" }, environment_info: { domain_name: "lines" } };
const tau2 = { timestamp: "t", info, tasks: simulations.map(({ task_id: id }) => ({ id })), simulations };

// Finding B14 (a) and (c).
bothSurfaces("tools of the user's side are told apart, and no agent is shown them", async (invoke) => {
  await ok(invoke("evidence_post", { surface: "lines", content: tau2 }));
  await ok(invoke("evidence_post", { surface: "lines", content: { tools: [tool("restart_line")] } }));
  const { body } = await ok(invoke("pipeline_post", { surface: "lines" }));
  const { result } = await ended(invoke, body.job);
  const manifest = (await ok(invoke("bundle_manifest", { bundle_id: result.bundle }))).body;
  expect(manifest).toMatchObject({ tool_count: 1, tools: [{ name: "restart_line" }], user_tools: ["look_at_phone"] });
  // What nobody looked at before and after it is not said to change nothing.
  expect(manifest.readonly_tools).toEqual([]);
  expect(manifest.effects.restart_line.effect).not.toBe("none");
  const listed = (await ok(invoke("environment_tools", { env_id: result.environments[0].id }))).body;
  expect(listed.tools.map(({ name }: { name: string }) => name)).toEqual(["restart_line"]);
});

// Finding B14 (b).
bothSurfaces("several listings of one surface are told and compared, and none is silently replaced", async (invoke) => {
  const { tools } = deskTools() as { tools: { name: string; description: string }[] };
  const [first, ...others] = tools as [(typeof tools)[number], ...typeof tools];
  const half = Math.ceil(others.length / 2);
  const older = [first, ...others.slice(0, half)];
  const newer = [{ ...first, description: "Anew." }, ...others.slice(half)];
  const post = async (content: unknown) => (await ok(invoke("evidence_post", { surface: "desk", content }))).body;
  await post(deskTraces(60));
  expect(await post({ tools: older })).not.toHaveProperty("warnings");
  const { id, warnings } = await post({ tools: newer });
  const words = `2 tool listings stand on this surface: ${half} tools only in an earlier one, still served (`;
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(words);
  expect(warnings[0]).toContain(`${first.name}: description`);
  expect(warnings[0]).toContain("evidence_assign (superseded_by)");

  const run = async () => ended(invoke, (await ok(invoke("pipeline_post", { surface: "desk" }))).body.job);
  const both = await run();
  expect(both.note).toContain(words);
  const manifest = (await ok(invoke("bundle_manifest", { bundle_id: both.result.bundle }))).body;
  expect(manifest.tool_count).toBe(tools.length);
  expect(manifest.listings).toEqual({
    listings: 2,
    only_earlier: older
      .slice(1)
      .map(({ name }) => name)
      .sort(),
    only_newest: newer
      .slice(1)
      .map(({ name }) => name)
      .sort(),
    changed: [{ tool: first.name, parts: ["description"] }],
  });
  expect(both.result.listings).toEqual(manifest.listings);
  expect(manifest.tools.find(({ name }: { name: string }) => name === first.name).description).toBe("Anew.");

  // What a person says replaces the other is no second listing; the tools of the old one that no trace calls are gone.
  const { evidence } = (await ok(invoke("evidence_list", { surface: "desk" }))).body;
  const old = evidence.find((row: { id: string; kind: string }) => row.kind === "tool_listing" && row.id !== id);
  await ok(invoke("evidence_assign", { eid: old.id, superseded_by: id }));
  const one = await run();
  expect(one.result).not.toHaveProperty("listings");
  expect((await ok(invoke("bundle_manifest", { bundle_id: one.result.bundle }))).body).not.toHaveProperty("listings");
});
