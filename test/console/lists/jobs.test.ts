import { afterAll, beforeAll, expect, it } from "vitest";
import { Environment, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
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

it("a run stands once in the list of jobs, each says in words what it is and on what, and kind and status narrow it", async () => {
  const { app, org, group, environment } = worked;
  const { jobs, records } = app.service.store.forOrg(org.id);
  const system = (await records.get(Environment, environment))?.surface ?? "";
  const name = (await records.get(Surface, system))?.name ?? "";
  const build = jobRow(org.id, { kind: "pipeline", status: "failed", ended_at: 2000, input: { surface: name } });
  const review = jobRow(org.id, { kind: "rereview", status: "landed", ended_at: 2000, input: { environment } });
  for (const row of [build, review]) await jobs.start(row);
  const all = await member.get("/console/jobs");
  const runs = (await jobs.list({ kind: "run", limit: 10 })).items;
  expect(runs.length).toBeGreaterThan(0);
  for (const { id } of runs) expect(all.html).not.toContain(id);
  const rowOf = (page: BrowserPage, href: string) =>
    page.root
      .querySelectorAll("tbody tr")
      .filter((each) => each.querySelector("a")?.getAttribute("href") === href)
      .map((each) => [each.querySelector("a")?.text, each.querySelectorAll("a").map((a) => a.getAttribute("href"))]);
  const sandbox = `/console/sandboxes/${environment}`;
  const [run, ...twice] = rowOf(all, `/console/groups/${group}/live`);
  expect([run?.[0], run?.[1]?.includes(sandbox), twice]).toEqual(["run", true, []]);
  const [of, on] = [`/console/jobs/${build.id}`, `/console/jobs/${review.id}`];
  expect(rowOf(all, of)).toEqual([["build of a world", [of, `/console/surfaces/${system}/fidelity`]]]);
  expect(rowOf(all, on)).toEqual([["review of tasks once more", [on, sandbox]]]);
  for (const href of hrefs(all, "td a")) expect((await member.get(href)).status, href).toBe(200);
  const firsts = (page: BrowserPage) =>
    page.root.querySelectorAll("tbody tr").map((each) => each.querySelector("a")?.getAttribute("href"));
  expect(firsts(await member.get("/console/jobs?kind=rereview"))).toEqual([on]);
  const failed = firsts(await member.get("/console/jobs?status=failed"));
  expect([failed.includes(of), failed.includes(on)]).toEqual([true, false]);
  expect((await member.get("/console/jobs?kind=rereview&status=failed")).text).toContain("No job fits.");
  const file = hrefs(all).find((href) => href.startsWith("/console/jobs/file")) ?? "";
  expect((await member.get(file)).html).toContain(`"${review.id}","rereview"`);
});

it("a list of jobs goes on where parts of runs stand between them", async () => {
  const { app, org } = worked;
  const { jobs } = app.service.store.forOrg(org.id);
  const ids: string[] = [];
  for (let i = 0; i < 120; i += 1) {
    const row = jobRow(org.id, { kind: "source_sync", status: "landed", ended_at: 2000 });
    await jobs.start(row);
    ids.push(row.id);
    await jobs.start(jobRow(org.id, { kind: "run", parent: "job_none", status: "landed", ended_at: 2000 }));
  }
  const seen: string[] = [];
  for (let href = "/console/jobs?kind=&status=landed", pages = 0; href !== "" && pages < 20; pages += 1) {
    const page = await member.get(href);
    seen.push(...hrefs(page, "td:first-child a").map((each) => each.split("/").at(-1) ?? ""));
    href = page.root.querySelector("a[rel=next]")?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "";
  }
  expect(seen.filter((id) => ids.includes(id))).toEqual(ids.toReversed());
});

it("the job of a run's part leads to the run, and every job says what happened to it, folded", async () => {
  const { app, org, group } = worked;
  const { jobs } = app.service.store.forOrg(org.id);
  const [part] = (await jobs.list({ parent: group, limit: 1 })).items;
  expect((await member.get(`/console/jobs/${part?.id}`)).location).toBe(`/console/groups/${group}/live`);
  const logOf = (page: BrowserPage) =>
    page.root
      .querySelectorAll("details.folded")
      .find((each) => each.querySelector("summary")?.text.startsWith("What happened"));
  const run = logOf(await member.get(`/console/groups/${group}/live`));
  const trials = (run?.querySelectorAll("a") ?? []).map((each) => each.getAttribute("href") ?? "");
  expect(trials.length).toBeGreaterThan(0);
  for (const href of trials) expect((await member.get(href)).status, href).toBe(200);
  const job = jobRow(org.id, { kind: "review", status: "landed", ended_at: 2000 });
  await jobs.start(job);
  await jobs.event(job.id, 1_800_000_000, "stop_asked", { by: "ann" });
  const log = logOf(await member.get(`/console/jobs/${job.id}`));
  expect(log?.querySelectorAll("tbody td").map(({ text }) => text)).toEqual([
    "2027-01-15 08:00:00",
    "stop asked",
    "by ann",
  ]);
  expect(log?.hasAttribute("open")).toBe(false);
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
