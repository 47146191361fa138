import { afterAll, beforeAll, expect, it } from "vitest";
import { BundleRecord, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { Browser, type BrowserPage } from "../../helpers/browser.ts";
import { buildDesk } from "../../tools/sandboxes/kit.ts";
import { hrefs, memberIn, sectionOf, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann", "admin"));
});
afterAll(() => worked.close());

const told = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const DAY = 86_400;

it("spend is of a period that is chosen, by purpose too, and no amount leads to the page itself", async () => {
  const { app, org } = worked;
  const { ledger } = app.service.store.forOrg(org.id);
  const row = { job: "job_1", kind: "judged_review", who: "ann", note: "", micro_usd: 2_500_000 };
  await ledger.append({ ...row, id: app.service.id("lg"), at: app.service.now() - 60 * DAY } as never);
  const built = { ...row, job: "job_2", kind: "pipeline", micro_usd: 1_000_000 };
  await ledger.append({ ...built, id: app.service.id("lg"), at: app.service.now() - 60 * DAY } as never);
  const month = await browser.get("/console/spend");
  expect(told(month)).toContain("No model call was paid for in the last 30 days.");
  const quarter = await browser.get("/console/spend?days=90");
  const cells = sectionOf(quarter, "By purpose")
    .querySelectorAll("td")
    .map(({ text }) => text);
  // As the list of jobs calls them.
  expect(cells).toEqual(["judged review", "$2.50", "1", "build of a world", "$1.00", "1"]);
  expect(hrefs(quarter, "main table")).not.toContain("/console/spend");
  expect(hrefs(quarter)).toContain("/console/spend/file?days=90");
  expect((await browser.get("/console/spend/file?days=90")).text).toContain("judged_review");
});

it("a tool says how many of its wrong answers are kept, shows them by kind, and leads to a call by hand", async () => {
  await buildDesk(worked.invoke, "desk", 12);
  const { surfaces } = (await worked.invoke("surfaces_list")).body;
  const surface = surfaces.find(({ name }: { name: string }) => name === "desk");
  const { fidelity } = (await worked.invoke("environment_fidelity", { env_id: surface.environments[0].id })).body;
  type Counts = { calls: number; identical_volatile: number };
  const wrong = Object.entries<Counts>(fidelity.tools).find(([, of]) => of.calls > of.identical_volatile);
  const tool = wrong?.[0] ?? Object.keys(fidelity.tools)[0] ?? "";
  const place = `/console/surfaces/${surface.id}/tools/${tool}`;
  const page = await browser.get(place);
  expect(hrefs(page).some((each) => each.endsWith(`/try?tool=${tool}`))).toBe(true);
  if (wrong === undefined)
    return expect(told(page)).toContain("Every call that was kept aside was answered as observed");
  const heading = "Calls that were not answered as observed";
  const n = wrong[1].calls - wrong[1].identical_volatile;
  expect(sectionOf(page, heading).structuredText).toMatch(new RegExp(`${Math.min(10, n)} of ${n} shown`));
  const kinds = sectionOf(page, heading).querySelectorAll("select[name=kind] option").length;
  expect(kinds).toBeGreaterThan(2);
  const none = await browser.get(`${place}?kind=same_class`);
  expect(none.status).toBe(200);
  // As of a version that had more of them than it keeps.
  const { records } = worked.app.service.store.forOrg(worked.org.id);
  const { bundle = "" } = (await records.get(Surface, surface.id)) ?? {};
  await records.update(BundleRecord, bundle, (doc) => {
    const counts = doc.fidelity?.tools[tool];
    if (doc.fidelity === undefined || counts === undefined) throw new Error("nothing was measured");
    const more = { ...counts, calls: counts.calls + 27 };
    return { ...doc, fidelity: { ...doc.fidelity, tools: { ...doc.fidelity.tools, [tool]: more } } };
  });
  const kept = Math.min(10, n);
  expect(told(await browser.get(place))).toContain(
    `${kept} of ${n + 27} shown: a version keeps the first ${kept} of a tool`,
  );
});

it("a shared report promises no links that it does not have", async () => {
  const { main, group } = worked;
  const { id } = (await worked.invoke("reports_post", { kind: "comparison", id: group, against: main })).body;
  const { link } = (await worked.invoke("reports_share", { report_id: id, on: true })).body;
  const own = await browser.get(`/console/reports/${id}`);
  expect(told(own)).toMatch(/\bopens?\b/);
  const reader = await new Browser(worked.app.url).get(new URL(link).pathname);
  const ways = reader.root.querySelectorAll("main a").map((each) => each.getAttribute("href") ?? "");
  expect(ways.filter((href) => reader.root.querySelector(`[id="${href.slice(1)}"]`) === null)).toEqual([]);
  for (const caption of reader.root.querySelectorAll("caption")) expect(caption.text).not.toMatch(/\bopens?\b/);
});
