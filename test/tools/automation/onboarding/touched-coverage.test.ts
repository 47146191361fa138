import { expect } from "vitest";
import { bothSurfaces } from "../../../helpers/app.ts";
import { connect, endOf, runToEnd, shopIn } from "../../runs/kit.ts";

interface Row {
  readonly tool: string;
  readonly how: string;
  readonly tasks: number;
  readonly by_script: number;
  readonly by_trials?: number;
  readonly gap: number;
  readonly plan?: { readonly body: Record<string, unknown>; readonly price: unknown };
}

bothSurfaces(
  "what a change touches is counted over a set before it is run: touched_coverage",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 12);
    const aid = await connect(invoke, shop, "good");
    const calling = (tool: string) => shop.tasks.filter((task) => task.script.calls.some((call) => call.tool === tool));
    const names = ["get_order", "search_orders", "find_customer", "refund_item", "no_such_tool"];

    expect(await invoke("touched_coverage", { aid })).toMatchObject({ status: 409 });
    const read = await invoke("touched_coverage", { aid, tools: names }, org.read);
    expect(read).toMatchObject({
      status: 200,
      body: { agent: aid, version: "1", set: { kind: "live", name: null, tasks: 12, trials: null }, enough: 3 },
    });
    const rows: Row[] = read.body.tools;
    expect(rows.map(({ tool }) => tool)).toEqual([...names].sort());
    for (const row of rows) {
      expect(row).toMatchObject({ how: "named", tasks: calling(row.tool).length, by_script: calling(row.tool).length });
      expect(row.gap).toBe(row.tool === "no_such_tool" ? 0 : Math.max(0, 3 - row.tasks));
      expect(row.by_trials).toBeUndefined();
    }
    expect(new Set(rows.map(({ gap }) => gap)).size).toBeGreaterThan(1);
    // Finding C20.
    expect(rows.find(({ tool }) => tool === "no_such_tool")).toMatchObject({
      surface: null,
      tasks: 0,
      gap: 0,
      unknown: true,
    });
    expect(rows.filter(({ tool }) => tool !== "no_such_tool").some((row) => "unknown" in row)).toBe(false);
    expect(rows.find(({ tool }) => tool === "no_such_tool")?.plan).toBeUndefined();
    // Not measured, and so not said.
    expect(read.body.production).toBeUndefined();
    expect(read.body.price).toEqual({ write_usd: 0, model_calls: 0, tier: "deterministic" });
    expect(read.verdict).toContain(`of ${names.length} touched tools are called by fewer than 3`);
    expect(read.verdict).toContain("1 of the tools that were named nobody has.");
    const nobody = await invoke("touched_coverage", { aid, tools: ["nope"] });
    expect(nobody.verdict).toContain("No surface serves a tool of these names");

    const sampled = await invoke("touched_coverage", { aid, tools: ["get_order"], set: "ci-4" });
    expect(sampled.body.set).toMatchObject({ kind: "selection", name: "ci-4", tasks: 4 });
    expect((await invoke("touched_coverage", { aid, tools: ["x"], set: "some" })).status).toBe(400);
    expect((await invoke("touched_coverage", { aid, tools: ["x"], set: "rg_none" })).status).toBe(404);
    expect((await invoke("touched_coverage", { aid, tools: ["x"], group: "rg_none" })).status).toBe(404);
    expect((await invoke("touched_coverage", { aid, tools: ["x"], version: "9" })).status).toBe(404);

    // The plan's body is what the named operation takes, and it closes the gap.
    const short = rows.find(({ gap, plan }) => gap > 0 && plan !== undefined);
    expect(short?.plan?.price).toMatchObject({ write_usd: 0, model_calls: 0 });
    const made = await invoke("generate_environments", short?.plan?.body);
    expect(made.status).toBe(202);
    expect(await endOf(invoke, made.body.job)).toBe("landed");
    const again = await invoke("touched_coverage", { aid, tools: [short?.tool] });
    expect(again.body.tools[0].tasks).toBeGreaterThan(short?.tasks ?? 0);
  },
);

bothSurfaces(
  "a group's trials, production's calls and a version's own texts count too",
  async (invoke, { app, org }) => {
    const shop = await shopIn(app.service, org.id, 6);
    const aid = await connect(invoke, shop, "good");
    const { group } = await runToEnd(invoke, { agent: aid, environment: shop.environment });
    const call = (i: number, name: string) => ({
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name, arguments: '{"order_id": "W1"}' } }],
    });
    const traj = [
      { role: "user", content: "Where is order W1?" },
      ...["get_order", "get_order", "get_product"].flatMap((name, i) => [
        call(i, name),
        { role: "tool", tool_call_id: `c${i}`, name, content: '{"order_id": "W1"}' },
      ]),
      { role: "assistant", content: "It is open." },
    ];
    const content = [{ task_id: 1, trial: 0, reward: 1, info: {}, traj }];
    const posted = await invoke("evidence_post", { content });
    await invoke("evidence_assign", { eid: posted.body.id, provenance: "production" });

    const { body } = await invoke("touched_coverage", { aid, tools: ["get_order", "update_email"], group });
    expect(body.set).toMatchObject({ kind: "group", tasks: 6, trials: 6 });
    expect(body.production).toEqual({ batches: 1, traces: 1 });
    const [order, email] = body.tools;
    expect(order).toMatchObject({ tool: "get_order", production: { calls: 2, sessions: 1 } });
    expect(email.production).toEqual({ calls: 0, sessions: 0 });
    // The agent plays the scripts, so that trials call what scripts call.
    expect(order.by_trials).toBe(order.by_script);
    expect(order.by_trials).toBeGreaterThan(0);
    // Trials of a command agent cost the service nothing that it wrote down.
    expect(body.price.try_once_usd).toBeUndefined();

    const texts = (version: string, cancel: string) =>
      invoke("agent_version_tool_texts", {
        aid,
        version,
        items: [
          { name: "cancel_order", text: cancel },
          { name: "get_order", text: "Get an order." },
        ],
      });
    await texts("1", "Cancel an order.");
    await invoke("agent_versions_post", { aid, version: "2" });
    await texts("2", "Cancel an order that has not shipped.");
    const changed = await invoke("touched_coverage", { aid });
    expect(changed.body.tools).toMatchObject([{ tool: "cancel_order", how: "described", surface: "shop" }]);
    expect(changed.body.version).toBe("2");
  },
);

bothSurfaces("a tool whose input schema a version declares anew is touched", async (invoke, { app, org }) => {
  const shop = await shopIn(app.service, org.id, 6);
  const { surface } = (await invoke("environment_get", { env_id: shop.environment })).body;
  const made = await invoke("agents_post", { kind: "surface", name: "server", surface });
  const aid = made.body.agent.id;
  const onboarded = await invoke("onboard_agent", {
    aid,
    schema_overrides: { get_order: { type: "object", properties: { order_id: { type: "string" } }, required: [] } },
    description_overrides: { get_product: "Reads a product." },
  });
  expect(onboarded.status).toBe(202);
  const { body } = await invoke("touched_coverage", { aid });
  expect(body.tools).toMatchObject([
    { tool: "get_order", how: "schema" },
    { tool: "get_product", how: "described" },
  ]);
  const again = await invoke("onboard_agent", { aid, description_overrides: { get_product: "Reads a product." } });
  expect(again.body.version).not.toBe(onboarded.body.version);
  await Promise.all([onboarded, again].map((one) => invoke("job_cancel", { job_id: one.body.job })));
});
