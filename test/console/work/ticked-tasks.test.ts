import { afterAll, beforeAll, expect, it } from "vitest";
import { Run, RunGroup } from "../../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { type Browser, type BrowserPage, carried } from "../../helpers/browser.ts";
import { jobRow } from "../../helpers/rows.ts";
import { hrefs, memberIn, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann", "admin"));
});
afterAll(() => worked.close());

const told = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const store = () => worked.app.service.store.forOrg(worked.org.id);

it("a task whose sandbox is worked on names and links the work, folds what would be refused, and a refusal links it", async () => {
  const { environment } = worked;
  const place = `/console/sandboxes/${environment}/tasks/0`;
  const before = await browser.get(place);
  const action = `${place}/turns`;
  const fields = { ...carried(before, action), turns: "And then?" };
  const id = await heldAudit(environment);
  const page = await browser.get(place);
  const notice = page.root.querySelector("p[role=status]");
  expect(notice?.text).toContain("held");
  expect(notice?.text).toContain("The budget of today is spent");
  expect(notice?.querySelector("a")?.getAttribute("href")).toBe(`/console/jobs/${id}`);
  expect(page.root.querySelector(`form[action='${action}']`)).toBeNull();
  const refused = await browser.post(action, fields, { referer: `${worked.app.url}${place}` });
  expect(refused.status).toBe(409);
  expect(refused.text).not.toContain(`"${id}"`);
  expect(refused.root.querySelector("main")?.innerHTML).toMatch(new RegExp(`href="/console/jobs/${id}">the job<`));
  await store().jobs.update(id, { status: "stopped", ended_at: worked.app.service.now() });
});

it("the tasks that are ticked are run: the plan names them and counts no others", async () => {
  const { environment } = worked;
  const list = await browser.get("/console/review");
  const numbers = list.root.querySelectorAll("tbody input[name=t]").map((each) => each.getAttribute("value"));
  expect(numbers).toContain(`${environment}/2`);
  const sent = { ...carried(list, "/console/review/ticked"), do: "run", t: `${environment}/2` };
  const start = await browser.follow(await browser.post("/console/review/ticked", sent));
  expect(hrefs(start)).toContain(`/console/sandboxes/${environment}/tasks/2`);
  expect(start.root.querySelector("select[name=selection]")).toBeNull();
  const picked = `${environment}/2,${environment}/1`;
  const plan = await browser.get(`/console/start?${new URLSearchParams({ picked, player: "harness:reference" })}`);
  expect(told(plan)).toContain("2 tasks: 2 trials");
  const live = await browser.submit(plan, "/console/start", {});
  const [newest] = (await store().records.list(Run, { limit: 1 })).items;
  expect(newest?.tasks).toHaveLength(2);
  expect(live.status).toBe(200);
});

it("a run of which a task no longer counts offers the rest of it, by who played, in its tries and time", async () => {
  const start = `/console/start?group=${worked.main}`;
  await store().records.update(RunGroup, worked.main, (row) => ({ ...row, trials: 2, timeout_seconds: 45 }));
  const whole = await browser.get(start);
  expect(told(whole)).toContain("reference on 4 tasks: 8 trials");
  const way = (page: BrowserPage) => hrefs(page).find((href) => href.includes("picked="));
  expect(way(whole)).toBeUndefined();
  const { items } = await store().records.list(TaskRecord, { where: { environment: worked.environment }, limit: 10 });
  const held = items.find(({ index }) => index === 1)!;
  await store().records.update(TaskRecord, held.id, (row) => ({ ...row, status: "held" as const, held_by: "person" }));
  const refused = await browser.get(start);
  expect(told(refused)).toMatch(/This cannot start\..*Run the 3 tasks of it that count now, without the other 1/);
  const rest = await browser.get(way(refused)!);
  expect(told(rest)).toContain("reference on 3 tasks: 6 trials");
  await browser.submit(rest, "/console/start", {});
  const [newest] = (await store().records.list(Run, { limit: 1 })).items;
  const ids = newest?.tasks.map(({ id }) => id);
  expect([ids?.length, ids?.includes(held.id)]).toEqual([3, false]);
  expect(newest).toMatchObject({ player: { harness: "reference" }, trials: 2, timeout_seconds: 45 });
  // Of a run of nobody's, and of one that is not there, nothing is offered.
  expect(way(await browser.get("/console/start?group=rg_none"))).toBeUndefined();
  await store().records.update(TaskRecord, held.id, () => held);
});

it("tasks are in order by what they were met, each with who played, and who wrote them", async () => {
  const list = await browser.get("/console/review?sort=least");
  expect(list.root.querySelector("caption")?.text).toContain("met least first");
  const rows = list.root.querySelectorAll("tbody tr");
  const met = (row: (typeof rows)[number]) => row.querySelector("[data-of=Met]")?.text ?? "";
  expect(met(rows[0]!)).toMatch(/^\d+ of \d+ \S/);
  const shares = rows.map(met).flatMap((text) => {
    const [, a, b] = /^(\d+) of (\d+)/.exec(text) ?? [];
    return a === undefined ? [] : [Number(a) / Number(b)];
  });
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  expect(rows[0]?.querySelector("[data-of=Written]")?.text).toContain("by rule");
});

/** An audit of the sandbox that is held. */
async function heldAudit(environment: string): Promise<string> {
  const id = worked.app.service.id("job");
  const note = "The budget of today is spent.";
  await store().jobs.start(
    jobRow(worked.org.id, { id, key: id, kind: "audit_environment", input: { environment }, status: "held", note }),
  );
  return id;
}
