import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BaseState } from "../../../worlds/bundle.ts";
import { beginning } from "../../../worlds/starts.ts";
import { changed } from "../../../worlds/tasks/draft.ts";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { grade } from "../../../worlds/tasks/grading/grade.ts";
import type { Task } from "../../../worlds/tasks/schema.ts";
import { playScript } from "../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../worlds/world.ts";
import { type Invoke, invoker, startApp, type TestApp } from "../../helpers/app.ts";
import { shop, shopRows } from "../../worlds/fixtures/shop.ts";
import { connect, placeIn, runToEnd, type ShopOrg } from "./kit.ts";

/** The shop as some sessions found it: everybody had moved to Reno and had more credit, and one product was gone. */
const moved = Object.fromEntries(
  Object.entries(shopRows.tables.customers ?? {}).map(([key, row]) => [
    key,
    {
      ...row,
      credit: Number(row.credit) + 1000.5,
      address: { ...(row.address as object), city: "Reno", zip: "89501" },
    },
  ]),
);
const gone = Object.keys(shopRows.tables.products ?? {})[0] as string;
const base: BaseState = { ...shopRows, others: { moved: { customers: moved, products: { [gone]: null } } } };

let app: TestApp;
let invoke: Invoke;
let place: ShopOrg;
let tasks: Task[];

beforeAll(async () => {
  const here = generateTasks(shop, shopRows, { seed: "1", count: 6 });
  const drawn = createWorld(shop, shopRows);
  const there = generateTasks(shop, beginning(base, "moved"), { seed: "2", count: 80 }).filter(
    (task) => grade(task, playScript(drawn.fork(), task.script), { bundle: shop, base: shopRows }).end !== "met",
  );
  tasks = [...here, ...there.slice(0, 4).map((task) => changed(task, { start: "moved" }))];
  app = await startApp();
  const org = await app.org();
  invoke = invoker(app, "rest", org);
  place = await placeIn(app.service, org.id, "shop", { bundle: shop, base }, tasks);
});
afterAll(() => app.close());

const metOf = async (group: string) => (await invoke("run_group", { gid: group })).body.rates;

describe("tasks that begin with another state than the drawn one", () => {
  it("are there at all", () => expect(tasks).toHaveLength(10));

  it("are met by their scripts, and by an agent over the endpoint of its own world", async () => {
    const reference = await runToEnd(invoke, { harness: "reference", environment: place.environment });
    expect(await metOf(reference.group)).toMatchObject({ met: 10, valid: 10 });
    const agent = await connect(invoke, place, "right");
    const played = await runToEnd(invoke, { agent, environment: place.environment });
    expect(await metOf(played.group)).toMatchObject({ met: 10, valid: 10 });
  });

  it("are checked in a world that was minted for them, and in no other", async () => {
    const index = 6;
    const mint = async (more: object) =>
      (await invoke("worlds_post", { environment: place.environment, ...more })).body as {
        world: string;
        bundle_id: string;
      };
    const [drawn, own] = [await mint({}), await mint({ index })];
    const rows = async ({ world, bundle_id }: typeof own) => {
      const { body } = await invoke("world_state", { world, bundle_id });
      return { cities: JSON.stringify(body.tables.customers), products: JSON.stringify(body.tables.products) };
    };
    expect((await rows(own)).cities).toContain("Reno");
    expect((await rows(own)).products).not.toContain(gone);
    expect((await rows(drawn)).cities).not.toContain("Reno");
    expect((await rows(drawn)).products).toContain(gone);
    const check = async (where: typeof own, n: number) =>
      (await invoke("world_check", { world: where.world, bundle_id: where.bundle_id, index: n })).status;
    expect(await check(own, index)).toBe(200);
    expect(await check(drawn, index)).toBe(409);
    expect(await check(own, 0)).toBe(409);
    expect((await invoke("worlds_post", { environment: place.environment, index: 99 })).status).toBe(404);
  });
});
