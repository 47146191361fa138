import { afterAll, beforeAll, expect, it } from "vitest";
import { invoker } from "../helpers/app.ts";
import type { Browser, BrowserPage } from "../helpers/browser.ts";
import { buildDesk } from "../tools/sandboxes/kit.ts";
import { asVersions, memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const told = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const sectionOf = (page: BrowserPage, heading: string) =>
  page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === heading);
const modeNamed = async (title: string, behaviour: string): Promise<string> => {
  const { failure_modes: made } = (await worked.invoke("failure_modes_post", { title, behaviour, by: "ann" })).body;
  return made[0].id;
};

it("a failure mode counts the trials of agents that failed for its behaviour, though nobody noted one", async () => {
  await asVersions(worked);
  const { root_causes: causes } = (await worked.invoke("run_group", { gid: worked.group })).body;
  const [{ cause, trials }] = causes;
  expect(trials).toBeGreaterThan(1);
  const page = await browser.get(`/console/failure-modes/${await modeNamed("It stops", cause)}`);
  expect(told(page)).not.toMatch(/no trial has shown it/i);
  expect(told(page)).not.toContain("and note it on the page of one that shows it");
  const rows = sectionOf(page, "Trials")?.querySelectorAll("tbody tr") ?? [];
  expect(rows).toHaveLength(trials);
  for (const row of rows) expect(row.text).toContain("desk agent v2");
  const list = await browser.get("/console/failure-modes");
  expect(list.root.querySelectorAll("table tbody td").map(({ text }) => text)[3]).toBe(String(trials));
});

it("a failure mode that rules write no tasks for offers no other behaviour in its stead", async () => {
  const page = await browser.get(`/console/failure-modes/${await modeNamed("Ignores errors", "tool_error_unhandled")}`);
  expect(told(page)).toContain("No trial has shown it");
  expect(told(page)).toContain("Rules write no tasks for “tool error unhandled”.");
  expect(page.root.querySelector("select[name=behaviour]")).toBeNull();
});

it("a proposal says for which behaviours tasks are written, and what was made of it once it is confirmed", async () => {
  const report = "It ignored the error of the tool.";
  const { proposal } = (await worked.invoke("failure_mode_proposals_post", { text: report, author: "bea" })).body;
  const page = await browser.get("/console/proposals");
  const texts = page.root.querySelectorAll("select[name=behaviour] option").map(({ text }) => text);
  expect(texts).toContain("suggested: tool error unhandled (no tasks by rule)");
  expect(texts).toContain("false no data");
  const done = await browser.submit(page, `/console/proposals/modes/${proposal.id}/confirm`, { title: "Errors" });
  const status = done.root.querySelector("[role=status]");
  expect(status?.text).toContain("Confirmed: Errors. Rules write no task for this behaviour");
  const way = status?.querySelector("a")?.getAttribute("href") ?? "";
  expect((await browser.get(way)).root.querySelector("h1")?.text).toBe("Errors");
});

it("a job that a person marked and that no value names opens from its gap", async () => {
  const personas = [{ value: "shop assistant", jobs: ["refund after ninety days"] }];
  const marked = await worked.invoke("dimensions_personas_post", { personas });
  expect(marked.status).toBeLessThan(300);
  const page = await browser.get("/console/coverage");
  const way = sectionOf(page, "Gaps")?.querySelector("a")?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "";
  const cell = await browser.get(way);
  expect([cell.status, told(cell).includes("No certified task covers this job.")]).toEqual([200, true]);
  const surface = cell.root.querySelector("select[name=surface] option")?.getAttribute("value") ?? "";
  const made = await browser.submit(cell, "/console/coverage/cell", { surface, tasks: "10" });
  expect(made.status, told(made)).toBe(200);
});

it("where nothing is stored, the first page and coverage lead to what can be done", async () => {
  const { browser: eve } = await memberIn(worked, invoker(worked.app, "rest", await worked.app.org("empty")), "eve");
  const [home, coverage] = [await eve.get("/console"), await eve.get("/console/coverage")];
  const main = (page: BrowserPage) => page.root.querySelectorAll("main a").map(({ text }) => text);
  for (const none of ["Start a run", "Label traces"]) expect(main(home)).not.toContain(none);
  expect(main(await browser.get("/console"))).toContain("Start a run");
  expect(coverage.root.querySelector("form[action='/console/traces/send']")).not.toBeNull();
  expect(main(coverage)).toContain("All tasks");
});

it("the list of tasks tells of a rate only where a run has one", async () => {
  const invoke = invoker(worked.app, "rest", await worked.app.org("fresh"));
  await buildDesk(invoke, "desk", 12);
  const { browser: eve } = await memberIn(worked, invoke, "eva");
  const caption = async (of: Browser) => (await of.get("/console/review")).root.querySelector("caption")?.text;
  expect(await caption(eve)).toMatch(/ A request opens its task\.$/);
  expect(await caption(browser)).toMatch(/; a rate, a trial of the newest run that played it, with who played\.$/);
});
