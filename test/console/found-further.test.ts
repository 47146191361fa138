import { afterAll, beforeAll, expect, it } from "vitest";
import type { Browser } from "../helpers/browser.ts";
import { runToEnd } from "../tools/runs/kit.ts";
import { memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
let again: string;
beforeAll(async () => {
  worked = await workedIn();
  const { invoke, environment } = worked;
  again = (await runToEnd(invoke, { harness: "null", environment })).group;
  ({ browser } = await memberIn(worked, invoke, "ann"));
});
afterAll(() => worked.close());

it("the list of runs leads to what changed against the run before of the same player", async () => {
  const page = await browser.get("/console/groups?who=built-in");
  const links = page.root.querySelectorAll("td a").map((each) => each.getAttribute("href"));
  expect(links).toContain(`/console/compare?a=${worked.group}&b=${again}`);
  // The reference is another player, and the first run of each has none before it.
  expect(links.filter((href) => href?.includes("/compare"))).toHaveLength(1);
  expect(page.text).toMatch(/0 of \d+ \(0 %\)/);
});

it("compared runs are narrowed to the tasks that changed one way, and turned round", async () => {
  const { main, group } = worked;
  const get = (more: string) => browser.get(`/console/compare?a=${main}&b=${group}${more}`);
  expect((await get("")).text).toContain("All tasks");
  const worse = await get("&change=worse");
  expect(worse.text).toContain("Tasks, worse than before, that both ran");
  expect((await get("&change=better&family=none")).text).toContain("of the family none, better than before");
  const links = worse.root.querySelectorAll("a").map((each) => each.getAttribute("href"));
  expect(links).toContain(`/console/compare?a=${group}&b=${main}`);
});

it("a sandbox lists the runs on it, to be compared", async () => {
  const page = await browser.get(`/console/sandboxes/${worked.environment}`);
  const listed = page.root.querySelectorAll("td input[name=g]").map((each) => each.getAttribute("value"));
  expect(listed).toEqual([again, worked.group, worked.main]);
});

it("a comment is shown as its reader sees it, and as it is sent", async () => {
  const { main, group } = worked;
  const page = await browser.get(`/console/delivery/pr_comment?group=${group}&against=${main}`);
  const shown = page.root.querySelector(".sent");
  expect(shown?.querySelector("table")?.text).toContain("tested");
  expect(shown?.text).not.toMatch(/<!--|\*\*|<sub>/);
  expect(page.root.querySelector("details pre")?.text).toContain("| tested |");
});
