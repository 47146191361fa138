import { afterAll, beforeAll, expect, it } from "vitest";
import { labelledBy, withIds } from "../../../tools/kernel/call.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { ctxOf } from "../../helpers/ctx.ts";
import { shopIn } from "../runs/kit.ts";
import { ok } from "../sandboxes/kit.ts";

let app: TestApp;
let org: TestOrg;
let invoke: Invoke;
const ids: Record<string, string> = {};
const LABELS: Readonly<Record<string, string>> = {
  environment: "corner shop",
  sandbox: "corner shop",
  source: "desk feed",
  schedule: "every Friday",
  "failure mode": "Refunds nobody asked for",
  member: "ada@example.com",
};
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  invoke = invoker(app, "rest", org);
  ids.environment = (await shopIn(app.service, org.id, 3, "corner shop")).environment;
  ids.sandbox = ids.environment;
  const source = { kind: "upload", external_id: "x", label: LABELS.source };
  ids.source = (await ok(invoke("sources_post", source))).body.id;
  const schedule = { kind: "weekly", cadence: "weekly", label: LABELS.schedule };
  ids.schedule = (await ok(invoke("schedules_post", schedule))).body.id;
  ids.member = (await ok(invoke("members_post", { email: LABELS.member, name: "Ada" }))).body.id;
  const mode = { title: LABELS["failure mode"], description: "It refunds without a request." };
  ids["failure mode"] = (await ok(invoke("failure_modes_post", mode))).body.failure_modes[0].id;
});
afterAll(() => app.close());

it("every operation takes the label of what its field is the id of, and leaves ids and unknown texts as they are", async () => {
  const ctx = ctxOf(app.service, org);
  const walked = app.service.registry.operations.flatMap(({ op }) =>
    Object.keys(op.input.shape).flatMap((field) => {
      const what = labelledBy(op, field);
      return what === undefined || LABELS[what] === undefined ? [] : [{ op, field, what }];
    }),
  );
  expect(walked.length).toBeGreaterThanOrEqual(75);
  for (const { op, field, what } of walked) {
    const told = async (text: string) => (await withIds(ctx, op, { [field]: text }))[field];
    expect(await told(LABELS[what] ?? ""), `${op.name} ${field}`).toBe(ids[what]);
    expect(await told(ids[what] ?? "")).toBe(ids[what]);
    expect(await told("nothing is called so")).toBe("nothing is called so");
  }
});

it.each(["mcp", "rest"] as const)(
  "over %s a label finds what its id finds, and one of several is refused with their ids",
  async (surface) => {
    const call = invoker(app, surface, org);
    for (const [tool, field, what] of [
      ["environment_get", "env_id", "environment"],
      ["sources_get", "sid", "source"],
      ["schedules_get", "sid", "schedule"],
    ] as const) {
      const [byLabel, byId] = [await call(tool, { [field]: LABELS[what] }), await call(tool, { [field]: ids[what] })];
      expect(byId.status).toBe(200);
      expect([byLabel.status, JSON.stringify(byLabel.body)]).toEqual([200, expect.stringContaining(ids[what] ?? "")]);
    }
    const label = `twice ${surface}`;
    const pair = [1, 2].map((n) => ok(invoke("sources_post", { kind: "upload", external_id: `${label} ${n}`, label })));
    const [first, second] = (await Promise.all(pair)).map(({ body }) => body.id);
    const refused = await call("sources_get", { sid: label });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(first);
    expect(JSON.stringify(refused.body)).toContain(second);
    expect((await call("sources_get", { sid: "nothing is called so" })).status).toBe(404);
  },
);
