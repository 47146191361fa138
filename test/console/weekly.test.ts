import { afterAll, beforeAll, expect, it } from "vitest";
import { isoWeek, lastCompleteWeek, weekBounds } from "../../chapters/iso-week.ts";
import { invoker } from "../helpers/app.ts";
import { type Browser, type BrowserPage, carried } from "../helpers/browser.ts";
import { runToEnd } from "../tools/runs/kit.ts";
import { memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const PLACE = "/console/delivery/weekly";
const settings = async () => (await worked.invoke("reports_weekly_delivery_get")).body.delivery;
const main = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";

it("the weekly post is turned on for a channel by a member's own form, and off again", async () => {
  const page = await browser.get(PLACE);
  expect(main(page)).toContain("Nobody gets the weekly page yet: chat and mail are off.");
  // Where no chat tool is connected, it is connected from here.
  const connect = (each: BrowserPage) => each.root.querySelector('main a[href="/console/delivery"]')?.text;
  const other = invoker(worked.app, "rest", await worked.app.org("bare"));
  const bare = await memberIn(worked, other, "bob");
  expect([connect(page), connect(await bare.browser.get(PLACE))]).toEqual([undefined, "Connect chat"]);
  expect(page.root.querySelectorAll("dl.facts")).toHaveLength(0);
  // A week in which nothing happened has no empty part.
  const { root } = await browser.get(`${PLACE}/page?week=2020-W10`);
  expect(root.querySelectorAll("main section").filter((each) => each.text.trim() === "")).toHaveLength(0);
  // What goes out is quoted here, as its own page leads with it.
  const sent = (await browser.get(`${PLACE}/page`)).root.querySelector(".verdict")?.text;
  expect(page.root.querySelector("blockquote")?.text).toBe(sent);
  const ways = (each: BrowserPage) =>
    each.root.querySelectorAll("tbody tr").map((row) =>
      row
        .querySelectorAll("td")
        .map(({ text }) => text.trim())
        .slice(0, 2),
    );
  expect(ways(page)).toEqual([
    ["Chat", "off"],
    ["Mail", "off"],
  ]);
  expect((await browser.get("/console/delivery")).html).toContain(`href="${PLACE}"`);
  const form = carried(page, `${PLACE}/chat`);
  expect((await browser.post(`${PLACE}/chat`, { ...form, channel: "C1", token: "x" })).status).toBe(403);
  expect((await browser.post(`${PLACE}/chat`, { ...form, channel: "general" })).status).toBe(400);
  expect((await browser.post(`${PLACE}/chat`, form)).status).toBe(400);
  expect((await settings()).on).toBe(false);

  const on = await browser.submit(page, `${PLACE}/chat`, { channel: "C1" });
  expect(main(on)).toContain("The weekly page goes out to C1.");
  expect(ways(on)[0]).toEqual(["Chat", "on, C1"]);
  expect(await settings()).toMatchObject({ on: true, channel: "C1", by: "ann" });
  const audit = (await worked.app.service.store.forOrg(worked.org.id).audit.list()).items;
  expect(audit.find(({ act }) => act === "delivery_confirmed")).toMatchObject({ fields: { group: "weekly" } });

  const off = await browser.submit(on, `${PLACE}/chat`);
  expect(main(off)).toContain("Nobody gets the weekly page yet: chat and mail are off.");
  expect(await settings()).toMatchObject({ on: false, channel: "C1" });
});

it("the weekly mail and what it is about are set by forms of their own, each without the other", async () => {
  const { main: before, group } = worked;
  const mailed = await browser.submit(await browser.get(PLACE), `${PLACE}/mail`);
  expect(main(mailed)).toContain("by mail, to each member who takes it");
  const named = await browser.submit(mailed, `${PLACE}/finding`, { a: before, b: group });
  expect(await settings()).toMatchObject({ email: { on: true, finding: { a: before, b: group } } });
  expect(named.root.querySelectorAll("option[selected]").map((each) => each.getAttribute("value"))).toEqual([
    before,
    group,
  ]);
  const { token = "" } = carried(named, `${PLACE}/finding`);
  for (const fields of [
    { a: "rule", b: group },
    { a: before, b: "rule" },
    { a: group, b: group },
  ])
    expect((await browser.post(`${PLACE}/finding`, { token, ...fields })).status).toBe(400);
  expect((await browser.post(`${PLACE}/finding`, { token, a: before, b: "rg_none" })).status).toBe(404);
  const ruled = await browser.submit(named, `${PLACE}/finding`, { a: "rule", b: "rule" });
  expect(await settings()).toMatchObject({ email: { on: true, finding: null } });
  await browser.submit(ruled, `${PLACE}/mail`);
  expect(await settings()).toMatchObject({ email: { on: false } });
});

it("the page of the last week can be seen before it is written, and is written by its form alone", async () => {
  const { invoke } = worked;
  const written = async () =>
    (await invoke("reports_list", {})).body.reports.filter(({ kind }: { kind: string }) => kind === "weekly");
  const place = `${PLACE}/page`;
  expect((await browser.get(PLACE)).html).toContain(`href="${place}"`);
  const page = await browser.get(place);
  expect(main(page)).toMatch(/The week \d{4}-W\d\d[\s\S]*It has not been written yet/);
  expect(main(page)).toContain("it goes out nowhere");
  expect(await written()).toEqual([]);
  const report = await browser.submit(page, place);
  expect(report.root.querySelector("h1")?.text).toMatch(/^The week/);
  const [{ id }, ...more] = await written();
  expect(more).toEqual([]);
  const again = await browser.get(place);
  expect(again.html).toContain(`href="/console/reports/${id}"`);
  await browser.submit(again, place);
  expect(await written()).toHaveLength(1);
});

it("each count of the week stands beside that of the week before, and each of its days in its chart", async () => {
  const { app, org } = worked;
  const { from } = weekBounds(lastCompleteWeek(app.service.now()));
  const { ledger } = app.service.store.forOrg(org.id);
  const spend = { job: "run_1", kind: "run", who: "schedule", note: "" };
  for (const [at, micro_usd] of [
    [from - 86_400, 700_000],
    [from + 86_400, 300_000],
  ] as const)
    await ledger.append({ ...spend, id: app.service.id("lg"), at, micro_usd });
  const page = await browser.get(`${PLACE}/page`);
  expect(page.root.querySelector(".verdict")?.text).toBe("No run ended, yet 1 job spent $0.30, named below.");
  // One kind of work is not told apart.
  expect(page.text).toContain("US dollars per UTC day: $0.30 in all.");
  const tiles = page.root.querySelectorAll("dl.facts > div").map((tile) => tile.structuredText.split("\n"));
  // What is nothing in both weeks is left out.
  expect(tiles.map(([name]) => name)).toEqual(["Spent on model calls"]);
  for (const [name, , how] of tiles) expect(how, name).toMatch(/^the week before: /);
  expect(tiles.at(-1)).toEqual(["Spent on model calls", "$0.30", "the week before: $0.70; 1 call of 1 job"]);
  const days = page.root
    .querySelectorAll("figure tbody tr")
    .map((row) => row.querySelectorAll("td").map(({ text }) => text));
  expect(days.map(([, , usd]) => usd)).toEqual(["0", "0.3", "0", "0", "0", "0", "0"]);
  // Finding of the second rating: what was paid for is named, and a run that is there is a link.
  const { environments } = (await worked.invoke("run_group", { gid: worked.group })).body;
  await ledger.append({
    ...spend,
    id: app.service.id("lg"),
    at: from + 90_000,
    micro_usd: 1,
    job: environments[0].run,
  });
  const paid = (await browser.get(`${PLACE}/page`)).root
    .querySelectorAll("section")
    .find((each) => each.querySelector("h2")?.text === "What was paid for");
  expect(paid?.querySelectorAll("tbody tr")).toHaveLength(2);
  expect(paid?.text).toContain("a run of which no record is kept");
  expect(paid?.querySelector("td a")?.getAttribute("href")).toBe(`/console/groups/${worked.group}`);
});

it("a week leads to the one before and to this one, and a week that is none is refused", async () => {
  const { now } = worked.app.service;
  const last = lastCompleteWeek(now());
  const page = await browser.get(`${PLACE}/page`);
  const way = (each: BrowserPage, rel: string) => each.root.querySelector(`main a[rel=${rel}]`)?.getAttribute("href");
  const before = await browser.get(way(page, "prev") ?? "");
  expect(before.root.querySelector("h1")?.text).toBe(`The week ${isoWeek(weekBounds(last).from - 1)}`);
  // Only the last complete week is written.
  expect(before.root.querySelectorAll(`form[action="${PLACE}/page"]`)).toHaveLength(0);
  expect(way(before, "next")).toBe(`${PLACE}/page?week=${last}`);
  const current = await browser.get(way(page, "next") ?? "");
  expect(main(current)).toContain("This week goes on");
  expect(current.root.querySelector("h1")?.text).toBe(`The week ${isoWeek(now())}`);
  expect(way(current, "next")).toBeUndefined();
  for (const week of ["2026-W99", "soon", "2999-W01"])
    expect((await browser.get(`${PLACE}/page?week=${week}`)).status, week).toBe(400);
});

it("a trial's page leads to every other try of its task, and to its group", async () => {
  const { environment, invoke } = worked;
  const { group } = await runToEnd(invoke, { harness: "null", environment, trials: 3 });
  const page = await browser.get(`/console/groups/${group}`);
  const hrefs = (each: BrowserPage) =>
    each.root.querySelectorAll("main a").map((link) => link.getAttribute("href") ?? "");
  const [first = ""] = hrefs(page).filter((href) => href.startsWith("/console/trials/"));
  const trial = await browser.get(first);
  expect(main(trial)).toContain("Every try of this task");
  const others = hrefs(trial).filter((href) => /^\/console\/trials\/[^/]+\/[^/]+\/\d+$/.test(href));
  const stem = first.slice(0, first.lastIndexOf("/"));
  expect(new Set([first, ...others])).toEqual(new Set([1, 2, 3].map((n) => `${stem}/${n}`)));
  expect(others).not.toContain(first);
  for (const href of others) expect((await browser.get(href)).status).toBe(200);
  expect(hrefs(trial)).toContain(`/console/groups/${group}`);
  const [single = ""] = hrefs(await browser.get(`/console/groups/${worked.group}`)).filter((href) =>
    href.startsWith("/console/trials/"),
  );
  const alone = await browser.get(single);
  expect(main(alone)).toContain("this one alone");
  expect(hrefs(alone)).toContain(`/console/groups/${worked.group}`);
});
