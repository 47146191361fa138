import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { memberIn, type Worked, workedIn } from "../kit.ts";

/** More than a page of a list holds. */
const MANY = 55;

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const named = (page: BrowserPage) => page.root.querySelectorAll("main tbody tr td:first-child").map(({ text }) => text);
const next = (page: BrowserPage) => page.root.querySelector("a[rel=next]")?.getAttribute("href") ?? undefined;
const rowsOf = async (path: string) => named(await browser.get(path));

it("words and filters find a failure mode and a report wherever they stand in a long list", async () => {
  const { invoke } = worked;
  const report = async (title: string) =>
    (await invoke("reports_post", { kind: "written", title, markdown: "x" })).body;
  const mode = async (title: string) => invoke("failure_modes_post", { title, behaviour: "loop", by: "ann" });
  // Reports stand newest first and failure modes oldest first: each list ends with what is looked for.
  const { id } = await report("Sought once");
  await invoke("reports_share", { report_id: id, on: true });
  for (let i = 0; i < MANY; i += 1) {
    await report(`Report ${i}`);
    await mode(`Mode ${i}`);
  }
  await mode("Sought once");
  for (const path of ["/console/reports", "/console/failure-modes"]) {
    const first = await browser.get(path);
    expect(named(first)).toHaveLength(50);
    expect(named(first)).not.toContain("Sought once");
    expect(await rowsOf(next(first)?.replaceAll("&amp;", "&") ?? "")).toHaveLength(MANY + 1 - 50);
    const found = await browser.get(`${path}?q=SOUGHT`);
    expect([named(found), next(found)]).toEqual([["Sought once"], undefined]);
    const none = await browser.get(`${path}?q=nobody`);
    expect([none.status, none.text.includes("None fits")]).toEqual([200, true]);
  }
  expect(await rowsOf("/console/reports?link=on&kind=written")).toEqual(["Sought once"]);
  expect(await rowsOf("/console/reports?kind=comparison&kind=%3Cb%3E")).toEqual([]);
  // Pages of what fits are as full as those of the whole, and lead on.
  const fits = await browser.get("/console/failure-modes?q=mode");
  expect(named(fits)).toHaveLength(50);
  expect(await rowsOf(next(fits)?.replaceAll("&amp;", "&") ?? "")).toHaveLength(MANY - 50);
});
