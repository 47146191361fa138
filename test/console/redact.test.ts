import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser, BrowserPage } from "../helpers/browser.ts";
import { memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
let request: string;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
  const { tasks } = (await worked.invoke("run_group", { gid: worked.main })).body;
  request = tasks.map((task: { request: string }) => task.request).find((text: string) => /#W\d{7}/.test(text));
});
afterAll(() => worked.close());

const preview = (fields: Record<string, string>) =>
  browser.get(`/console/reports/preview?${new URLSearchParams(fields)}`);
const reports = async () => (await worked.invoke("reports_list")).body.reports as { id: string; kind: string }[];
const againOf = (page: BrowserPage) =>
  page.root
    .querySelectorAll("a")
    .find(({ text }) => text.startsWith("Redact it"))
    ?.getAttribute("href");
const cells = (page: BrowserPage) =>
  page.root
    .querySelectorAll("section[aria-label='What is taken out'] tbody tr")
    .map((row) => row.querySelectorAll("td").map((cell) => cell.text));

// Finding E39: seen before the report is made.
it("shows what would be taken out of a page beside what stands there, and keeps nothing until it is made", async () => {
  const { main, group } = worked;
  const before = await reports();
  const from = await browser.get(`/console/compare?a=${main}&b=${group}`);
  const way = from.root.querySelectorAll("a").find((each) => each.text === "See what would be taken out of it");
  const page = await browser.get((way?.getAttribute("href") ?? "").replaceAll("&amp;", "&"));
  expect(page.text).toMatch(/\d+ texts? changes? in the report/);
  const row = cells(page).find(([here]) => here === request);
  expect(row?.[1]).toBe(request.replaceAll(/#W\d{7}/g, "#X0000000"));
  expect(await reports()).toEqual(before);
  // What is taken out is marked, and a text that a plot tells the beginning of stands once.
  const marked = page.root.querySelectorAll("section[aria-label='What is taken out'] del");
  expect(marked.map(({ text }) => text).join(" ")).toMatch(/#W\d{7}/);
  const whole = cells(page).map(([here = ""]) => here);
  const beginnings = whole.filter((here) => here.endsWith("…"));
  for (const each of beginnings)
    expect(whole.filter((here) => here !== each && here.startsWith(each.slice(0, -1)))).toEqual([]);

  const made = await browser.submit(page, "/console/freeze");
  expect(made.text).not.toContain(request);
  expect(made.text).toContain(row?.[1] ?? "no row");
  const [newest] = await reports();
  expect([newest?.kind, (await reports()).length]).toEqual(["comparison", before.length + 1]);
  expect(againOf(made)).toBeUndefined();
});

it("makes a report with names where a member says so after having seen what they are", async () => {
  const page = await preview({ kind: "run_group", id: worked.group });
  const made = await browser.submit(page, "/console/freeze", { whole: "yes" });
  expect(made.text).toContain(request);
  // Nothing was taken out of it, so it alone offers to be made once more without.
  expect((await browser.get((againOf(made) ?? "").replaceAll("&amp;", "&"))).status).toBe(200);
});

it("shows a written report before it is kept, with what is taken out of its lines", async () => {
  const before = (await reports()).length;
  const words = { title: "Seen", markdown: "First line.\n\nAsk ann.lee@example.com about it.", look: "yes" };
  const page = await browser.submit(await browser.get("/console/reports"), "/console/reports", {
    ...words,
    kind: "written",
  });
  expect(cells(page)).toEqual([["Ask ann.lee@example.com about it.", "Ask [removed: mail address] about it."]]);
  expect((await reports()).length).toBe(before);
  const made = await browser.submit(page, "/console/reports");
  expect(made.text).toContain("Ask [removed: mail address] about it.");
  expect((await reports()).length).toBe(before + 1);
});

it("refuses what is no report, and words that come by a link", async () => {
  expect((await preview({ kind: "run_group", id: "rg_none" })).status).toBe(404);
  expect((await preview({ kind: "nothing" })).status).toBe(400);
  expect((await preview({ kind: "written", title: "x", markdown: "y" })).status).toBe(400);
});
