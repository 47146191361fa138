import { afterAll, beforeAll, expect, it } from "vitest";
import { Run } from "../../../chapters/records/runs/runs.ts";
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
