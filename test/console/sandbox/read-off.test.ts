import { afterAll, beforeAll, expect, it } from "vitest";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import type { Browser } from "../../helpers/browser.ts";
import { buildDesk } from "../../tools/sandboxes/kit.ts";
import { hrefs, memberIn, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let ann: Browser;
let env = "";
beforeAll(async () => {
  worked = await workedIn();
  ({ browser: ann } = await memberIn(worked, worked.invoke, "ann"));
  env = (await buildDesk(worked.invoke, "desk", 12)).environments[0].id;
});
afterAll(() => worked.close());

const store = () => worked.app.service.store.forOrg(worked.org.id);

/** The first task of the sandbox as one that was read off so many sessions which said this. */
async function readOff(request: string, runs: number): Promise<string> {
  const { records } = store();
  const { items } = await records.list(TaskRecord, { where: { environment: env, index: 0 } });
  await records.update(TaskRecord, items[0]?.id ?? "", (row) => {
    const { start: _start, ...task } = row.task;
    return { ...row, task: { ...task, request, rests_on: { runs, rewarded: false } } };
  });
  return `/console/sandboxes/${env}/tasks/0/sessions`;
}

it("a task that was read off a session leads to that session, one of several to all that say its words", async () => {
  const { items } = await store().records.list(Evidence, { where: { kind: "traces" } });
  const [sent] = items.filter(({ stats }) => stats.traces > 1);
  const stored = await store().traces.at(
    sent?.id ?? "",
    Array.from({ length: sent?.stats.traces ?? 0 }, (_, i) => i),
  );
  const requests = stored.map(({ trace }) => trace.request);
  const times = Map.groupBy(requests, (request) => request);
  const [once = ""] = [...times].find(([, of]) => of.length === 1) ?? [];
  const way = await readOff(once, 1);
  for (const list of [`/console/sandboxes/${env}/tasks/0`, `/console/review?env=${env}`])
    expect(hrefs(await ann.get(list)), list).toContain(way);
  const { location = "" } = await ann.get(way);
  expect(location).toMatch(/^\/console\/evidence\/[^/]+\/traces\/[^/]+$/);
  expect((await ann.get(location)).text).toContain(once);
  const several = (await ann.get(await readOff("order", 2))).location ?? "";
  expect(several).toMatch(/^\/console\/traces\?q=/);
  expect((await ann.get(several)).root.querySelectorAll("main tbody tr").length).toBeGreaterThan(1);
  expect((await ann.get(`/console/sandboxes/${env}/tasks/none/sessions`)).status).toBe(404);
});
