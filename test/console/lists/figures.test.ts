import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { buildDesk } from "../../tools/sandboxes/kit.ts";
import { asVersions, memberIn, sectionOf, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  await asVersions(worked);
  await buildDesk(worked.invoke, "desk", 12);
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const heads = (element: BrowserPage["root"]) => element.querySelectorAll("thead th").map(({ text }) => text);
const hrefOf = (element: BrowserPage["root"] | null | undefined) =>
  element?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "/console/no-link";

it("the bars of a run by family stand above counts that open their trials", async () => {
  const page = await browser.get(`/console/groups/${worked.group}`);
  const section = sectionOf(page, "By family");
  expect(section.querySelector("details")?.getAttribute("open")).toBeDefined();
  const links = section.querySelectorAll("td a");
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) {
    const opened = await browser.get(hrefOf(link));
    expect(opened.root.querySelectorAll("main tbody tr").length).toBe(Number(link.text));
  }
  // The way to what played, and to what it was played on.
  const sandbox = page.root.querySelector(`.ways a[href="/console/sandboxes/${worked.environment}"]`);
  expect(sandbox?.text).toMatch(/^Sandbox /);
  expect(page.root.querySelector('.ways a[href="/console/agents/ag_desk"]')?.text).toBe("The agent");
});

it("each count of a comparison opens a trial of its own run, and a name the run", async () => {
  const { main, group } = worked;
  const page = await browser.get(`/console/compare?a=${main}&b=${group}`);
  const links = sectionOf(page, "What flipped").querySelectorAll("tbody tr:first-child a");
  const counts = links.filter(({ text }) => /^\d+ of \d+$/.test(text));
  const opened = await Promise.all(counts.map((link) => browser.get(hrefOf(link))));
  expect(opened.map(({ root }) => root.querySelector("h1")?.text.slice(0, 14))).toEqual([
    "desk agent v1:",
    "desk agent v2:",
  ]);
  const names = sectionOf(page, "Time, calls and cost").querySelectorAll("td a");
  expect(names.map(hrefOf)).toEqual([`/console/groups/${main}`, `/console/groups/${group}`]);
});

it("several runs side by side tell what their trials took", async () => {
  const { invoke, environment, main, group } = worked;
  const { body } = await invoke("start_run", { harness: "null", environment });
  await browser.get(`/console/groups/${body.group}`);
  const page = await browser.get(`/console/groups/compare?g=${main}&g=${group}&g=${body.group}`);
  expect(heads(sectionOf(page, "Runs"))).toContain("Median time");
  const cell = sectionOf(page, "Runs").querySelector("td[data-of='Median time']");
  expect(cell?.text).toMatch(/\d (?:ms|s|min)$/);
  // The oldest is what the others are held against, unless another one is chosen on the page.
  const rows = (of: BrowserPage) => sectionOf(of, "Runs").querySelectorAll("td[data-lead] a").map(hrefOf);
  expect(rows(page)[0]).toBe(`/console/groups/${main}`);
  const options = page.root.querySelectorAll("select[name=base] option").map((each) => each.getAttribute("value"));
  expect(options.toSorted()).toEqual([main, group, body.group].toSorted());
  const chosen = await browser.get(`/console/groups/compare?g=${main}&g=${group}&g=${body.group}&base=${group}`);
  expect(rows(chosen)[0]).toBe(`/console/groups/${group}`);
  const changes = sectionOf(chosen, "Runs").querySelectorAll("td[data-of=Change] a").map(hrefOf);
  for (const href of changes) expect(href).toContain(`a=${group}`);
});

it("two trials side by side lead to their task with its proof, and to every try of it", async () => {
  const { main, group, environment } = worked;
  const compared = await browser.get(`/console/compare?a=${main}&b=${group}`);
  const pair = sectionOf(compared, "What flipped").querySelector("td[data-lead] a");
  const page = await browser.get(hrefOf(pair));
  const ways = page.root.querySelectorAll("main .ways a").map(hrefOf);
  const proof = ways.find((href) => href.startsWith(`/console/sandboxes/${environment}/tasks/`)) ?? "/console/no-link";
  const tries = ways.find((href) => href.startsWith(`/console/tasks/${environment}/`)) ?? "/console/no-link";
  expect((await browser.get(proof)).root.querySelector("h1")?.text).toMatch(/^Task \d/);
  expect((await browser.get(tries)).text).toContain("Two trials side by side");
});

it("the first page's newest runs open their trials, and say when they began and what they took", async () => {
  const page = await browser.get("/console");
  const section = sectionOf(page, "Newest runs");
  const row = section.querySelectorAll("tbody tr").find(({ innerHTML }) => innerHTML.includes(worked.group));
  expect(row?.querySelector("td[data-of=Met] a")?.getAttribute("href")).toContain(`/groups/${worked.group}/trials`);
  expect(row?.querySelector("td[data-of='Started (UTC)']")?.text).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
  expect(row?.querySelector("td[data-of='Median time']")?.text).toMatch(/\d (?:ms|s|min)$/);
});

it("what runs now opens the trials that it counts, and tells of none before the first", async () => {
  const page = await browser.get("/console/live");
  const cells = page.root.querySelectorAll("td[data-of='Met so far']");
  const played = cells.filter(({ text }) => text !== "none yet");
  expect(played.length).toBeGreaterThan(1);
  for (const cell of played) expect(cell.querySelector("a")?.getAttribute("href")).toMatch(/\/trials/);
  expect(cells.map(({ text }) => text)).not.toContain("0 of 0");
});

it("who started a run stands beside when, in one column that a laptop holds", async () => {
  const page = await browser.get("/console/groups?who=all");
  const heads = page.root.querySelectorAll("thead th").map(({ text }) => text.replace(/ [▲▼]$/, ""));
  expect(heads.at(-1)).toBe("Started (UTC)");
  const cell = page.root.querySelector("tbody td[data-of='Started (UTC)']");
  expect(cell?.text).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2} by \S+$/);
});

it("a name of few letters stays on one line where a table has many columns", async () => {
  const page = await browser.get("/console/groups");
  const name = page.root.querySelector("td[data-of='Started (UTC)'] span:last-child");
  expect([name?.text, name?.getAttribute("class")]).toEqual([expect.stringMatching(/^by \S+-/), "t"]);
  const home = sectionOf(await browser.get("/console"), "Newest runs").querySelector("td[data-lead] a");
  expect(home?.getAttribute("class")).toBe("t");
});

it("the operations of an ontology open the traces that call them", async () => {
  const { surfaces } = (await worked.invoke("surfaces_list", {})).body;
  const { id } = surfaces.find(({ name }: { name: string }) => name === "desk");
  const section = sectionOf(await browser.get(`/console/surfaces/${id}/ontology`), "Operations");
  const [first] = section.querySelectorAll("td.n a");
  const traces = await browser.get(hrefOf(first));
  expect(traces.root.querySelectorAll("main tbody tr").length).toBeGreaterThan(0);
});
