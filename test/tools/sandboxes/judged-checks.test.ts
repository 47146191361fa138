import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { openTrials } from "../../../chapters/sandboxes/tasks/compute-tasks.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { onBoth, startApp, type TestApp, type TestOrg } from "../../helpers/app.ts";
import { type FakeProvider, startProvider } from "../../helpers/vendors/models.ts";
import { shop as shopBundle, shopRows } from "../../worlds/fixtures/shop.ts";
import { shopIn } from "../runs/kit.ts";
import { ended, ok } from "./kit.ts";

let provider: FakeProvider;
let app: TestApp;
let org: TestOrg;

beforeAll(async () => {
  provider = await startProvider();
  app = await startApp({ config: provider.config });
  org = await app.org("judged");
});
afterAll(async () => {
  await app.close();
  expect(provider.unscripted()).toBe(0);
  await provider.close();
});

const CRITERION = "The answer tells what was asked for, and nothing was changed.";
const judged = { kind: "judged" as const, criterion: CRITERION };
const says = (met: boolean) => ({
  text: JSON.stringify({ met, reason: met ? "It does." : "It does not." }),
  tokens: [100, 10] as const,
});

describe("judged checks", () => {
  let made: Awaited<ReturnType<typeof shopIn>>;
  const on = (operation: string, args: Record<string, unknown> = {}) =>
    onBoth(app, org)(operation, { env_id: made.environment, ...args });
  let own: Task;
  const trialsOf = async (task: Task) => openTrials.run({ bundle: shopBundle, base: shopRows, task }, {} as never);

  beforeAll(async () => {
    made = await shopIn(app.service, org.id, 4, "judged");
    const lookup = made.tasks.find(({ family }) => family === "lookup")!;
    own = { ...lookup, id: `${lookup.id}j`, tier: "human", request: `${lookup.request} Thanks!`, checks: [judged] };
  });

  // Finding C11.
  it("are certified by what the judge says of the right and the wrong trials, and rehearsed so", async () => {
    const trials = await trialsOf(own);
    expect(trials.filter(({ right }) => right).length).toBeGreaterThan(1);
    expect(trials.filter(({ right }) => !right).length).toBeGreaterThan(5);
    provider.say(...trials.map(({ right }) => says(right)));
    const { body } = await ok(on("environment_tasks_post", { tasks: [own] }));
    expect(body.tasks).toMatchObject([{ index: 4, status: "certified" }]);
    const store = app.service.store.forOrg(org.id).records;
    const { items } = await store.list(TaskRecord, { where: { environment: made.environment, index: 4 }, limit: 1 });
    expect(items[0]?.certificate).toMatchObject({ passed: true, judges: ["openai-compatible/small"] });
    expect(items[0]?.certificate?.verdicts.find(({ name }) => name === "discriminating")?.reason).toMatch(
      /^the judge spared/,
    );
    // What it said once stands while task and world do: a gate without a model keeps the certificate.
    const before = provider.requests.length;
    expect((await ok(on("environment_regate"))).body).toMatchObject({ moved: [], counts: { certified: 5 } });
    expect(provider.requests.length).toBe(before);
    // It is asked over MCP and over REST.
    provider.say(...[...trials, ...trials].map(({ right }) => says(right)));
    const rehearsed = (await ok(on("environment_check_rehearse", { index: 4, n: 0 }))).body;
    expect(rehearsed.tier).toBe("llm-derived");
    for (const { right, verdict } of rehearsed.rows) expect(verdict).toBe(right ? "met" : "not_met");
  });

  it("are refused by the verdict that fails: a judge that meets everything, or spares nothing", async () => {
    const task = { ...own, request: `${own.request} Please.` };
    const n = (await trialsOf(task)).length;
    for (const [met, why] of [
      [true, "the judge met a wrong trial"],
      [false, "the judge rejected a right trial"],
    ] as const) {
      provider.say(...Array.from({ length: n }, () => says(met)));
      const refused = await on("environment_tasks_post", { tasks: [task] });
      expect(refused).toMatchObject({
        status: 422,
        body: {
          fields: [
            {
              path: "tasks.0",
              message: expect.stringContaining(`does not pass: discriminating (${why}: `),
            },
          ],
        },
      });
    }
  });

  it("hold their task while the judge gives no answer, and let it go when it does", async () => {
    const task = { ...own, request: `${own.request} Kindly.` };
    const trials = await trialsOf(task);
    provider.say(...trials.map(() => ({ status: 400 })));
    const { body } = await ok(on("environment_tasks_post", { tasks: [task] }));
    expect(body.tasks).toMatchObject([
      { status: "held", reason: expect.stringContaining("environment_review_rereview") },
    ]);
    provider.say(...trials.map(({ right }) => says(right)));
    const again = await ok(on("environment_review_rereview"));
    await ended(onBoth(app, org), again.body.job);
    const { tasks } = (await ok(on("environment_tasks"))).body;
    expect(tasks.find(({ index }: { index: number }) => index === body.tasks[0].index)).toMatchObject({
      status: "certified",
    });
  });
});
