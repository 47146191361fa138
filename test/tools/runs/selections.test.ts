import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { playScript } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { shop, shopRows } from "../../worlds/fixtures/shop.ts";
import { runToEnd, shopIn } from "./kit.ts";

bothSurfaces(
  "start_run takes tasks by name, samples, held ones and what failed last, and says what it cannot take",
  async (invoke, { app, org }) => {
    const { environment } = await shopIn(app.service, org.id, 10);
    const other = await shopIn(app.service, org.id, 4, "second");
    const { records } = app.service.store.forOrg(org.id);
    const rows = (await records.list(TaskRecord, { where: { environment }, order: "oldest", limit: 50 })).items;
    const set = (index: number, status: "held" | "refused") =>
      records.update(TaskRecord, rows[index]?.id ?? "", (row) => ({ ...row, status }));
    await set(0, "held");
    await set(1, "refused");
    const refusal = async (args: Record<string, unknown>) => {
      const { status, body } = await invoke("start_run", { harness: "null", ...args });
      return { status, names: body.details?.names, path: body.fields?.[0]?.path };
    };
    expect(await refusal({ environment, tasks: ["0"] })).toMatchObject({ status: 409, names: ['"0"'] });
    expect(await refusal({ environment, tasks: ["1"], include_held: true })).toMatchObject({
      status: 409,
      names: ['"1"'],
    });
    expect(await refusal({ environment, tasks: ["99"] })).toMatchObject({ status: 404, names: ['"99"'] });
    expect(await refusal({ environment: "env_unknown" })).toMatchObject({ status: 404 });
    expect(await refusal({ environment, agent: "x" })).toMatchObject({ status: 400, path: "harness" });
    expect(await refusal({ environment, selection: "some" })).toMatchObject({ status: 400, path: "selection" });
    expect(await refusal({ environment, selection: "failed_last" })).toMatchObject({ status: 409 });
    expect(await refusal({ tasks: ["2"] })).toMatchObject({ status: 400, path: "environment" });
    expect(await refusal({ environment, tasks: ["2"], selection: "ci-1" })).toMatchObject({
      status: 400,
      path: "tasks",
    });
    expect(await refusal({ environment, agent_version: "1" })).toMatchObject({ status: 400, path: "harness" });
    expect(await refusal({ environment, control: "react" })).toMatchObject({ status: 409 });
    expect((await invoke("run_groups_list")).body.groups).toEqual([]);
    const tasksOf = async (args: Record<string, unknown>) =>
      (await runToEnd(invoke, { harness: "rule", ...args })).started.body.tasks;
    expect(await tasksOf({ environment })).toBe(8);
    expect(await tasksOf({ environment, include_held: true })).toBe(9);
    expect(await tasksOf({ environment, tasks: ["0", rows[2]?.id], include_held: true })).toBe(2);
    expect(await tasksOf({ environment, selection: "ci-3" })).toBe(3);
    const both = await runToEnd(invoke, {
      harness: "null",
      tasks_by_environment: { [environment]: ["2", "3"], [other.environment]: ["0"] },
    });
    expect(both.started.body).toMatchObject({
      environment: null,
      environments: [environment, other.environment],
      tasks: 3,
    });
    expect((await invoke("run_group", { gid: both.group })).body.by_environment).toHaveLength(2);
    expect((await runToEnd(invoke, { harness: "null" })).started.body.tasks).toBe(12);
    const surface = (await invoke("environment_get", { env_id: other.environment })).body.surface;
    await invoke("surface_retire", { surface });
    expect((await runToEnd(invoke, { harness: "null" })).started.body.environments).toEqual([environment]);
    const last = await runToEnd(invoke, { harness: "null", environment, selection: "failed_last" });
    expect(last.started.body.tasks).toBe(8);
  },
);

bothSurfaces(
  "replay plays the stored trace that asked the same; a task that no trace asked is invalid, not failed",
  async (invoke, { app, org }) => {
    const { environment, tasks } = await shopIn(app.service, org.id, 8);
    const store = app.service.store.forOrg(org.id);
    const id = app.service.id("ev");
    await store.records.insert(Evidence, {
      id,
      created_at: 1,
      by: "test",
      kind: "traces",
      format: "jsonl",
      provenance: "synthetic",
      provenance_detected: false,
      data_access: "full",
      digest: "0".repeat(64),
      surface: "shop",
      stats: { traces: 3, calls: 0, tools: 0, bytes: 0, refused: 0, losses: {}, stripped_credentials: 0 },
      refused: [],
      detected: "",
      method: "test",
      tier: "deterministic",
    });
    const world = createWorld(shop, shopRows, { seed: "1" });
    await store.traces.append(
      tasks.slice(0, 3).map((task, position) => {
        const played = playScript(world.fork(), task.script);
        const calls = played.calls.map(({ tool, args, answer, answer_class, is_error }) => ({
          tool,
          args,
          result: answer,
          answer_class,
          is_error,
        }));
        const final = played.answers.at(-1)?.text ?? "";
        const trace = {
          v: 1 as const,
          session: `s${position}`,
          request: task.request,
          turns: [],
          calls,
          final_answer: final,
          final_answer_class: "answered" as const,
          labels: {},
        };
        return { id: app.service.id("tr"), evidence: id, position, trace };
      }),
    );
    const { group } = await runToEnd(invoke, { harness: "replay", environment });
    const { body } = await invoke("run_group", { gid: group });
    expect(body.rates).toMatchObject({ met: 3, failed: 0, invalid: 5, infra: 0 });
    expect(body.ledger).toContainEqual({ end: "invalid", cause: "task", trials: 5 });
  },
);

bothSurfaces(
  "an http agent is called per turn, and what it answers with is its own",
  async (invoke, { app, org }) => {
    const { environment } = await shopIn(app.service, org.id, 4);
    let status = 200;
    const seen: { text: string; trial_mcp_url: string; trial_mcp_token: string }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        seen.push(JSON.parse(body));
        response
          .writeHead(status, { "content-type": "application/json" })
          .end(JSON.stringify({ answer: "I do not know." }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const { agent } = (await invoke("agents_post", { kind: "http", name: "web", url })).body;
      const first = await runToEnd(invoke, { agent: agent.id, environment });
      const { rates } = (await invoke("run_group", { gid: first.group })).body;
      expect(rates.valid + rates.invalid).toBe(4);
      expect(seen[0]?.trial_mcp_url).toContain(`${app.url}/worlds/`);
      const revoked = await fetch(seen[0]?.trial_mcp_url ?? "", {
        method: "POST",
        headers: { authorization: `Bearer ${seen[0]?.trial_mcp_token}` },
      });
      expect(revoked.status).toBe(401);
      status = 503;
      const second = await runToEnd(invoke, { agent: agent.id, environment, selection: "ci-1" });
      expect((await invoke("run_group", { gid: second.group })).body.ledger).toEqual([
        { end: "failed", cause: "crash", trials: 1 },
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
  { config: { privateAddressesAllowed: true } },
);
