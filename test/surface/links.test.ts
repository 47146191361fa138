import { describe, expect, it } from "vitest";
import { routeParams } from "../../src/http/routes.ts";
import { fittedAnswer, Links } from "../../src/mcp/answer.ts";
import { ToolLists } from "../../src/mcp/tool-lists.ts";
import { chapters } from "../../tools/index.ts";
import { Registry } from "../../tools/kernel/registry.ts";

const registry = new Registry(chapters);
const lists = new ToolLists(registry);
const links = new Links(registry);
const all = lists.of(new URLSearchParams(), true);
const core = lists.of(new URLSearchParams("toolset=core"), true);

describe("what an answer leads to", () => {
  // Finding E48.
  it("is a call beside each route", () => {
    const body = {
      job: "job_1",
      poll: "/v0/jobs/job_1",
      changes: [{ undo: "/v0/orgs/acme/environments/env_1/revisions/rev_1/restore" }, { undo: null }],
      elsewhere: { poll: "/v0/nowhere" },
    };
    expect(links.withCalls(body, all)).toEqual({
      job: "job_1",
      poll: "/v0/jobs/job_1",
      poll_call: { tool: "job_status", arguments: { job_id: "job_1" } },
      changes: [
        {
          undo: "/v0/orgs/acme/environments/env_1/revisions/rev_1/restore",
          undo_call: { tool: "environment_revision_restore", arguments: { env_id: "env_1", rev: "rev_1" } },
        },
        { undo: null },
      ],
      elsewhere: { poll: "/v0/nowhere" },
    });
  });

  it("is the operation's own call, for the route of each that reads", () => {
    const routed = registry.operations.filter(({ op }) => op.effect === "read" && op.route.startsWith("GET /v0/"));
    expect(routed.length).toBeGreaterThanOrEqual(140);
    for (const { op } of routed) {
      const params = Object.fromEntries(routeParams(op.route).map((name) => [name, `${name}_1`]));
      const path = op.route.slice("GET ".length).replace(/\{(\w+)(?::path)?\}/g, (_, name) => params[name] ?? "");
      const { orgtag: _own, ...args } = params;
      expect(links.withCalls({ poll: path }, all)).toEqual({
        poll: path,
        poll_call: { tool: op.name, arguments: args },
      });
    }
    const others = { route: "/v0/orgs/{orgtag}/pipeline", args: { path: "/v0/jobs/1" }, poll: "/v1/jobs/1" };
    expect(links.withCalls(others, all)).toEqual(others);
  });

  it("takes what stands beside a route where the call cannot do without it", () => {
    const body = { environment: "env_1", run_link: "/v0/orgs/acme/runs/start", by: "ann" };
    expect(links.withCalls(body, all)).toMatchObject({
      run_link_call: { tool: "start_run", arguments: { environment: "env_1" } },
    });
  });

  it("is that of an act that is offered with its route, its method and its body", () => {
    const act = {
      operation: "pipeline_post",
      method: "POST",
      route: "/v0/orgs/acme/pipeline",
      body: { surface: "desk" },
    };
    expect(links.withCalls({ act }, core)).toEqual({
      act: { ...act, route_call: { tool: "pipeline_post", arguments: { surface: "desk" } } },
    });
    const accept = { method: "POST", route: "/v0/orgs/acme/dimensions/values/dv_1/accept", body: {} };
    expect(links.withCalls(accept, core)).toMatchObject({
      route_call: {
        tool: "call_operation",
        arguments: { name: "dimension_value_accept", arguments: { value_id: "dv_1" } },
      },
    });
    const template = { method: "POST", route: "/v0/orgs/{orgtag}/pipeline" };
    expect(links.withCalls(template, core)).not.toHaveProperty("route_call");
  });

  it("is the call that the words of Next name, by the tool that the list has for it", () => {
    const words = "watch_job with job_id job_1 until it has ended, then run_group with gid rg_1";
    expect(links.next(words, all, {})).toEqual({ tool: "watch_job", arguments: { job_id: "job_1" } });
    const pair = "compare_runs with a rg_1 and b rg_2";
    expect(links.next(pair, core, {})).toEqual({ tool: "compare_runs", arguments: { a: "rg_1", b: "rg_2" } });
    expect(links.next("delivery_log lists what was sent", core, {})).toEqual({
      tool: "read_operation",
      arguments: { name: "delivery_log", arguments: {} },
    });
    expect(links.next("nothing", all, {})).toBeUndefined();
  });

  it("takes what the call before was given, and is none where something needed is not known", () => {
    const given = { env_id: "env_1", limit: 3 };
    const tasks = { tool: "environment_tasks", arguments: { env_id: "env_1" } };
    expect(links.next("environment_tasks lists the tasks.", all, given)).toEqual(tasks);
    expect(links.next("environment_tasks lists the tasks.", all, {})).toBeUndefined();
    expect(links.next("compare_runs with another group", all, { gid: "rg_1" })).toBeUndefined();
  });

  it("is the rest of a list that was cut", () => {
    const op = registry.get("environment_tasks")?.op;
    if (!op) throw new Error("no environment_tasks");
    const tasks = Array.from({ length: 50 }, (_, i) => ({ id: i, text: "x".repeat(80) }));
    const told = (args: Record<string, unknown>, view: object) =>
      fittedAnswer({ op, args, view: { where: [], ...view }, list: all, links }, { tasks }, 1200);
    const first = told({ env_id: "e" }, {});
    const shown = (first.body as { tasks: unknown[] }).tasks.length;
    expect(first.cut).toMatchObject({
      rows: `1 to ${shown} of 50 (tasks)`,
      more: { tool: "environment_tasks", arguments: { env_id: "e", cursor: String(shown) } },
    });
    const second = told({ env_id: "e", cursor: String(shown) }, { from: shown });
    expect((second.body as { tasks: { id: number }[] }).tasks[0]?.id).toBe(shown);
    const whole = told({ env_id: "e", limit: 40 }, { limit: 40 });
    expect((whole.body as { tasks: unknown[] }).tasks).toHaveLength(40);
    expect(whole.cut).toMatchObject({ rows: "1 to 40 of 50 (tasks)" });
    expect(told({ env_id: "e", limit: 50 }, { limit: 50 }).cut).toBeUndefined();
  });
});
