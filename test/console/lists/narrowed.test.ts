import { afterAll, beforeAll, expect, it } from "vitest";
import { BundleRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
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
  // Both lists stand newest first: each ends with what is looked for.
  const { id } = await report("Sought once");
  await invoke("reports_share", { report_id: id, on: true });
  await mode("Sought once");
  for (let i = 0; i < MANY; i += 1) {
    await report(`Report ${i}`);
    await mode(`Mode ${i}`);
  }
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
  for (const path of ["/console/reports", "/console/failure-modes"]) {
    const all = async (sort: string) => {
      const first = await browser.get(`${path}?sort=${sort}`);
      return [...named(first), ...(await rowsOf(next(first)?.replaceAll("&amp;", "&") ?? ""))];
    };
    const newest = await all("newest");
    expect(newest).toHaveLength(MANY + 1);
    expect(await all("oldest")).toEqual(newest.toReversed());
    expect(await all("title")).toEqual(newest.toSorted((a, b) => a.localeCompare(b, "en")));
    expect(await all("%3Cb%3E")).toEqual(newest);
  }
  expect(await rowsOf("/console/reports?link=on&kind=written")).toEqual(["Sought once"]);
  expect(await rowsOf("/console/reports?kind=comparison&kind=%3Cb%3E")).toEqual([]);
  // Pages of what fits are as full as those of the whole, and lead on.
  const fits = await browser.get("/console/failure-modes?q=mode");
  expect(named(fits)).toHaveLength(50);
  expect(await rowsOf(next(fits)?.replaceAll("&amp;", "&") ?? "")).toHaveLength(MANY - 50);
});

it("systems stand in the order that is asked for", async () => {
  const { app, org, invoke } = worked;
  const { records } = app.service.store.forOrg(org.id);
  const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } }];
  for (const name of ["zoo", "ark", "mill"])
    expect((await invoke("surfaces_post", { name, tools })).status).toBeLessThan(300);
  const { surfaces } = (await invoke("surfaces_list")).body;
  const names = async (sort: string) => rowsOf(`/console/surfaces?sort=${sort}`);
  const own = surfaces.map(({ name }: { name: string }) => name);
  expect(own.slice(0, 3)).toEqual(["mill", "ark", "zoo"]);
  expect(await names("")).toEqual(own);
  expect(await names("name")).toEqual(own.toSorted());
  // What was measured stands before what was not, and what answers worst before the rest.
  const measured = surfaces.find(({ bundle }: { bundle?: string }) => bundle !== undefined);
  const world = await records.get(BundleRecord, measured.bundle);
  expect((await names("observed"))[0]).toBe(world?.fidelity ? measured.name : own[0]);
  expect((await names("wrong"))[0]).toBe(world?.fidelity ? measured.name : own[0]);
  expect(await names("none")).toEqual(own);
});
