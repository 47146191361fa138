import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fillRoute, routeParams } from "../../../src/http/routes.ts";
import { chapters } from "../../../tools/index.ts";
import type { RestAnswer } from "../../helpers/app.ts";
import { type ShopOrg, shopIn } from "../runs/kit.ts";
import { buildDesk, ended, ok, sharedApp } from "./kit.ts";

const shared = sharedApp();
const { org, invoke } = shared.over();
const operations = chapters.flatMap((chapter) => chapter.operations);

/** Calls an operation over its route, and asks for the answer later. */
async function later(tool: string, args: Record<string, unknown>, token = org.push): Promise<RestAnswer> {
  const { route } = operations.find(({ name }) => name === tool)!;
  const all = { ...(route.includes("{orgtag}") ? { orgtag: org.tag } : {}), ...args };
  const body = Object.fromEntries(Object.entries(all).filter(([name]) => !routeParams(route).includes(name)));
  const method = route.split(" ")[0]!;
  return shared.app.rest(method, fillRoute(route, all), body, token, { prefer: "respond-async" });
}

/** The answer that a call had as a job, which the call itself only said to poll for. */
async function deferred(tool: string, args: Record<string, unknown>): Promise<{ status: number; body: unknown }> {
  const begun = await later(tool, args);
  expect(begun).toMatchObject({ status: 202, body: { status: "queued", deduplicated: false } });
  expect(begun.headers.get("location")).toBe(begun.body.poll);
  const job = await ended(invoke, begun.body.job);
  expect(job.status).toBe(job.result.status < 400 ? "landed" : "failed");
  return job.result;
}

// Finding S8.
describe("acts that may take long, as jobs", () => {
  let made: ShopOrg;
  let n = 0;
  beforeEach(async () => {
    made = await shopIn(shared.app.service, org.id, 6, `deferred ${++n}`);
  });
  const on = (rest: Record<string, unknown> = {}) => ({ env_id: made.environment, ...rest });

  it("are these six, and each refuses a token that may only read before it begins anything", async () => {
    const names = operations.filter(({ deferrable }) => deferrable).map(({ name }) => name);
    expect(names.sort()).toEqual([
      "environment_regate",
      "environment_scripts_dry_run",
      "environment_tasks_post",
      "environment_world_refresh",
      "sandbox_delete",
      "surface_rebuild",
    ]);
    const ids = { env_id: made.environment, sid: made.environment, surface: `deferred ${n}` };
    for (const name of names) expect((await later(name, ids, org.read)).status, name).toBe(403);
  });

  it("environment_regate and environment_scripts_dry_run answer what they answer at once", async () => {
    const { script } = made.tasks[0]!;
    for (const [tool, args] of [
      ["environment_regate", on()],
      ["environment_scripts_dry_run", on({ script, index: 0 })],
    ] as const) {
      const { status, body } = await ok(invoke(tool, args, org.push));
      expect(await deferred(tool, args), tool).toEqual({ status, body });
      const unknown = await deferred(tool, { ...args, env_id: "env_none" });
      expect(unknown, tool).toEqual({ status: 404, body: (await invoke(tool, { ...args, env_id: "env_none" })).body });
    }
  });

  it("environment_world_refresh refreshes once", async () => {
    const refreshed = await deferred("environment_world_refresh", on({ by: "ann" }));
    expect(refreshed).toMatchObject({ status: 200, body: { refreshed: true, revision: { by: "ann" } } });
    const idle = await ok(invoke("environment_world_refresh", on()));
    expect(idle.body).toMatchObject({ refreshed: false, revision: null });
    expect(await deferred("environment_world_refresh", on())).toEqual({ status: 200, body: idle.body });
    expect(await deferred("environment_world_refresh", { env_id: "env_none" })).toMatchObject({ status: 404 });
  });

  it("environment_tasks_post stores all or names the bad one, and the same again is refused", async () => {
    const good = made.tasks.find((task) => task.checks.some((check) => check.kind === "answer_includes"))!;
    const mine = { ...good, id: "mine", tier: "human" as const, request: `${good.request} Thanks!` };
    const weak = { ...mine, id: "weak", checks: [{ kind: "max_calls" as const, n: 50 }] };
    expect(await deferred("environment_tasks_post", on({ tasks: [weak] }))).toMatchObject({
      status: 422,
      body: {
        error: "unprocessable",
        fields: [
          {
            path: "tasks.0",
            message: expect.stringMatching(/^does not pass: discriminating \(.*declines in words alone/),
          },
        ],
      },
    });
    const posted = await deferred("environment_tasks_post", on({ tasks: [mine] }));
    expect(posted).toMatchObject({ status: 201, body: { tasks: [{ index: 6, status: "certified" }] } });
    expect(await deferred("environment_tasks_post", on({ tasks: [mine] }))).toMatchObject({ status: 409 });
    expect((await ok(invoke("environment_get", on()))).body.tasks).toBe(7);
    expect((await later("environment_tasks_post", on({ tasks: [{ ...mine, family: "poem" }] }))).status).toBe(400);
  });

  it("sandbox_delete deletes once, and tells of one that is not there", async () => {
    const sid = made.environment;
    expect(await deferred("sandbox_delete", { sid, by: "ann" })).toEqual({
      status: 200,
      body: { deleted: sid, by: "ann", worlds_ended: 0, runs_kept: 0 },
    });
    expect((await invoke("sandbox_get", { sid })).status).toBe(404);
    expect(await deferred("sandbox_delete", { sid })).toMatchObject({ status: 404, body: { error: "not_found" } });
  });
});

describe("surface_rebuild as a job", () => {
  beforeAll(async () => {
    await buildDesk(invoke, "desk", 24);
  });

  it("answers what it answers at once, a refusal too", async () => {
    const { status, body } = await ok(invoke("surface_rebuild", { surface: "desk", mode: "check" }));
    expect(await deferred("surface_rebuild", { surface: "desk", mode: "check" })).toEqual({ status, body });
    await shopIn(shared.app.service, org.id, 1, "bare");
    expect(await deferred("surface_rebuild", { surface: "bare" })).toMatchObject({
      status: 422,
      body: {
        reason: "Evidence that this version was compiled from is gone; run the pipeline instead. See pipeline_post.",
      },
    });
  });
});
