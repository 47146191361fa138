import { afterAll, beforeAll, expect, it } from "vitest";
import { Evidence } from "../../chapters/records/evidence/evidence.ts";
import { invoker } from "../helpers/app.ts";
import { type Browser, carried } from "../helpers/browser.ts";
import { deskTraces, ended } from "../tools/sandboxes/kit.ts";
import { asVersions, hrefs, memberIn, sectionOf, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

it("a run's tasks are filtered and ordered on its page, with what each took and no column of zeros", async () => {
  const { group, main } = worked;
  const tasks = async (gid: string, query = "") =>
    sectionOf(await browser.get(`/console/groups/${gid}${query}`), "Tasks");
  const all = await tasks(main);
  const heads = all.querySelectorAll("thead th").map(({ text }) => text);
  expect(heads).toEqual(["Request", "Met", "Time", "Calls", "Family"]);
  const rows = all.querySelectorAll("tbody tr");
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(row.querySelectorAll("td")[2]?.text).toMatch(/ (s|ms|min)$/);
  expect((await tasks(main, "?end=failed")).text).toContain("No task fits");
  expect((await tasks(group, "?end=failed")).querySelectorAll("tbody tr")).toHaveLength(rows.length);
  const family = rows[0]?.querySelectorAll("td").at(-1)?.text ?? "";
  const like = rows.filter((row) => row.querySelectorAll("td").at(-1)?.text === family);
  expect((await tasks(main, `?family=${family}`)).querySelectorAll("tbody tr")).toHaveLength(like.length);
  const [word = ""] = /[a-z]{6,}/.exec(rows[0]?.querySelector("td")?.text ?? "") ?? [];
  const found = (await tasks(main, `?q=${word.toUpperCase()}`)).querySelectorAll("tbody tr");
  expect(found.length).toBeGreaterThan(0);
  for (const row of found) expect(row.text).toContain(word);
});

// Before the runs become those of an agent that is not registered: what is sent of its runs asks for it.
it("every link of a run, of a comparison and of coverage leads to a page", async () => {
  const { main, group } = worked;
  const seen = new Set<string>();
  const starts = [`/console/groups/${group}`, `/console/compare?a=${main}&b=${group}`, "/console/coverage"];
  for (const start of starts)
    for (const href of new Set(hrefs(await browser.get(start)).filter((each) => each.startsWith("/console"))))
      seen.add(href);
  const some = [...seen].filter((_, i) => i % 5 === 0);
  for (const href of some) expect((await browser.get(href)).status, href).toBe(200);
  expect(some.length).toBeGreaterThan(5);
});

it("a trial marks what was searched for, and leads to another version's trial of its task", async () => {
  await asVersions(worked);
  const { group, main } = worked;
  const [first] = sectionOf(await browser.get(`/console/groups/${group}`), "Tasks").querySelectorAll("td a");
  const path = first?.getAttribute("href") ?? "";
  const page = await browser.get(path);
  expect(page.root.querySelectorAll("mark")).toHaveLength(0);
  const said = page.root.querySelector("ol.timeline .said")?.text ?? "";
  const [word = ""] = /[a-z]{5,}/.exec(said) ?? [];
  const marks = (await browser.get(`${path}?q=${word.toUpperCase()}+(`)).root.querySelectorAll("mark");
  // What is looked for is text: a bracket is no pattern, and a step has to hold it too.
  expect(marks.length).toBe(0);
  const hits = (await browser.get(`${path}?q=${word.toUpperCase()}`)).root.querySelectorAll("ol.timeline mark");
  expect(hits.length).toBeGreaterThan(0);
  for (const hit of hits) expect(hit.text).toBe(word);
  const other = page.root.querySelectorAll("p.ways a").find(({ text }) => text.includes("desk agent v1"));
  expect(other?.text).toBe("Beside desk agent v1 (met)");
  const pair = await browser.get(other?.getAttribute("href")?.replace("&amp;", "&") ?? "");
  expect(pair.status).toBe(200);
  const own = sectionOf(await browser.get(`/console/groups/${main}`), "Tasks").querySelectorAll("td a");
  const runs = new Set(own.map((each) => each.getAttribute("href")?.split("/")[3]));
  expect([...runs].some((run) => run !== undefined && pair.html.includes(run))).toBe(true);
});

it("a workspace without evidence says how it gets some, takes it from the page, and builds of it", async () => {
  const { app } = worked;
  const org = await app.org("empty");
  const invoke = invoker(app, "rest", org);
  const { browser: bo } = await memberIn(worked, invoke, "bo", "admin");
  for (const path of ["", "/groups", "/start", "/traces", "/label", "/surfaces", "/review"]) {
    const page = await bo.get(`/console${path}`);
    expect(page.text, path).toContain("svc push FILES");
    expect(page.root.querySelector("form[action='/console/traces/send']"), path).not.toBeNull();
  }
  const page = await bo.get("/console/traces");
  const sent = await bo.submit(page, "/console/traces/send", {
    content: JSON.stringify(deskTraces(48)),
    surface: "desk",
  });
  expect(sent.status).toBe(200);
  const { records } = app.service.store.forOrg(org.id);
  const [record] = (await records.list(Evidence)).items;
  expect([record?.surface, record?.by]).toEqual(["desk", "bo"]);
  const evidence = await bo.get(`/console/evidence/${record?.id}`);
  expect((await bo.get("/console/traces")).text).not.toContain("svc push FILES");
  const build = `/console/evidence/${record?.id}/build`;
  const built = await bo.post(build, carried(evidence, build));
  const job = /\/jobs\/(.+)$/.exec(built.location ?? "")?.[1] ?? "";
  expect((await ended(invoke, job)).result.environments.length).toBeGreaterThan(0);
});

it("a failure mode is reported from their list, and waits to be confirmed", async () => {
  const page = await browser.get("/console/failure-modes");
  await browser.submit(page, "/console/failure-modes", { text: "It refunds twice when it is asked twice." });
  expect((await browser.get("/console/proposals")).text).toContain("It refunds twice");
});
