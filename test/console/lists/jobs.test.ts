import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { jobRow } from "../../helpers/rows.ts";
import { runToEnd } from "../../tools/runs/kit.ts";
import { asVersions, memberIn, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let member: Browser;
beforeAll(async () => {
  worked = await workedIn();
  await asVersions(worked);
  member = (await memberIn(worked, worked.invoke, "bo")).browser;
});
afterAll(() => worked.close());

const hrefs = (page: BrowserPage, inside = "main a") =>
  page.root.querySelectorAll(inside).map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"));

it("background jobs are listed, those that have not ended alone, and each opens", async () => {
  const { app, org, group } = worked;
  const job = jobRow(org.id, { kind: "ontology_compile", status: "running" });
  await app.service.store.forOrg(org.id).jobs.start(job);
  // The first page tells of it where runs are told of, and leads to the whole list.
  const home = await member.get("/console");
  expect(hrefs(home)).toEqual(expect.arrayContaining([`/console/jobs/${job.id}`, "/console/jobs"]));
  const all = await member.get("/console/jobs");
  expect(hrefs(all)).toEqual(expect.arrayContaining([`/console/jobs/${job.id}`, `/console/groups/${group}/live`]));
  const live = await member.get("/console/jobs?live=yes");
  expect(hrefs(live, "td a")).toEqual([`/console/jobs/${job.id}`]);
  for (const href of hrefs(all, "td a")) expect((await member.get(href)).status, href).toBe(200);
  await app.service.store.forOrg(org.id).jobs.update(job.id, { status: "landed", ended_at: app.service.now() });
  expect(hrefs(await member.get("/console"))).not.toContain(`/console/jobs/${job.id}`);
  expect((await member.get("/console/jobs?live=yes")).text).toContain("Nothing works or waits now.");
});

it("the first page says what could have shown, and its counts, families and causes open trials", async () => {
  const home = await member.get("/console");
  const changed = home.root
    .querySelectorAll("section")
    .find((each) => each.querySelector("h2")?.text === "What changed");
  const [row] = changed?.querySelectorAll("tbody tr") ?? [];
  const links =
    row?.querySelectorAll("a").map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&")) ?? [];
  expect(links.map((href) => href.replace(/\?.*|(?<=trials)\/.*/, ""))).toEqual([
    "/console/pair",
    "/console/trials",
    "/console/trials",
    `/console/groups/${worked.group}/trials`,
    `/console/groups/${worked.group}/trials`,
  ]);
  for (const href of links) expect((await member.get(href)).status, href).toBe(200);
});

it("a first page that shows no difference says what could have shown, and how many tasks that takes", async () => {
  const { invoke, environment } = worked;
  const again = (await runToEnd(invoke, { harness: "reference", environment })).group;
  await asVersions({ ...worked, main: worked.main, group: again });
  const home = await member.get("/console");
  expect(home.text).toMatch(/So many tasks show a difference of 5\.0 points .* takes \d+ tasks/);
});

it("the figures over time are a file", async () => {
  const page = await member.get("/console/trends");
  const file = hrefs(page).find((href) => href.startsWith("/console/trends/file")) ?? "";
  const [head, ...rows] = (await member.get(file)).html.trim().split("\n");
  expect(head).toMatch(/^"agent","on","version","newest_run"/);
  expect(rows.map((line) => line.split(",").filter((_, i) => [0, 2, 7].includes(i)))).toEqual([
    ['"desk agent"', '"v1"', "1"],
    ['"desk agent"', '"v2"', "0.5"],
  ]);
});

it("a browser that asks for the icon is told that there is none, and no error", async () => {
  const answer = await fetch(`${worked.app.url}/favicon.ico`);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([204, "public, max-age=86400"]);
});
