import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunGroup } from "../../chapters/records/runs/runs.ts";
import { Environment } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { Browser, BrowserPage } from "../helpers/browser.ts";
import { runToEnd } from "../tools/runs/kit.ts";
import { memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
let some: string;
beforeAll(async () => {
  worked = await workedIn();
  const { invoke, environment } = worked;
  const tasks = (await invoke("environment_tasks", { env_id: environment })).body.tasks;
  some = (await runToEnd(invoke, { harness: "null", environment, tasks: [String(tasks[0].index)] })).group;
  ({ browser } = await memberIn(worked, invoke, "ann"));
});
afterAll(() => worked.close());

/** The groups that a page lists, in its order. */
const listed = (page: BrowserPage) =>
  page.root.querySelectorAll("td input[name=g]").map((each) => each.getAttribute("value"));
const get = (query: string) => browser.get(`/console/groups${query}`);

describe("the list of runs", () => {
  // Finding E28, with the next two tests.
  it("is narrowed, ordered and paged by its address alone", async () => {
    const { main, group } = worked;
    expect(listed(await get("?who=built-in"))).toEqual([some, group, main]);
    expect(listed(await get("?who=built-in&sort=oldest"))).toEqual([main, group, some]);
    expect(listed(await get("?who=built-in&sort=best"))[0]).toBe(main);
    expect(listed(await get("?who=built-in&sort=worst")).at(-1)).toBe(main);
    expect(listed(await get("?who=all&q=REFERENCE"))).toEqual([main]);
    expect(listed(await get("?who=all&status=landed&tasks=all"))).toEqual([group, main]);
    expect(listed(await get("?who=all&status=failed"))).toEqual([]);
    expect((await get("?who=all&q=nobody")).text).toContain("No run fits");
    // What is not among the choices asks for nothing.
    expect(listed(await get("?who=all&status=%3Cb%3E&sort=1"))).toHaveLength(3);
  });

  it("marks runs on some of the tasks, and sets built-in players apart", async () => {
    const page = await get("");
    expect(page.text).toContain("Built-in players");
    // One button serves all rows that can be ticked, and stands below them.
    const form = page.root.querySelector("form:has(input[name=g])");
    expect(form?.querySelectorAll("button").map(({ text }) => text)).toEqual(["Compare the ticked"]);
    expect(form?.innerHTML.lastIndexOf("</table>")).toBeLessThan(form?.innerHTML.indexOf("<button") ?? 0);
    // One table, so that its columns line up.
    expect(page.root.querySelectorAll("table")).toHaveLength(1);
    expect(page.root.querySelector("th[scope=rowgroup]")?.text).toContain("Built-in players");
    const row = page.root.querySelectorAll("tr").find((each) => each.innerHTML.includes(some));
    expect(row?.text).toContain("only some tasks");
    const whole = page.root.querySelectorAll("tr").find((each) => each.innerHTML.includes(worked.main));
    expect(whole?.text).not.toContain("only some tasks");
    expect(listed(await get("?who=agent"))).toEqual([]);
    // A rate opens the trials that missed it.
    const missed = page.root.querySelector(`a[href="/console/groups/${worked.group}/trials?end=failed"]`);
    expect(missed?.text).toBe("0 of 4 (0 %)");
  });

  it("leads with the newest run of an agent against the one before it", async () => {
    const { invoke, environment, app, org } = worked;
    // A built-in player's run leads nothing.
    expect((await get("")).root.querySelector(".verdict")).toBeNull();
    const again = (await runToEnd(invoke, { harness: "null", environment })).group;
    const { records } = app.service.store.forOrg(org.id);
    const asAgent = (version: string) => ({ name: "desk", version, harness: null, model: null, agent: "ag_1" });
    const was = await Promise.all([worked.group, again].map((id) => records.get(RunGroup, id)));
    for (const [i, id] of [worked.group, again].entries())
      await records.update(RunGroup, id, (doc) => ({ ...doc, player: { ...doc.player, ...asAgent(String(i + 1)) } }));
    const page = await get("");
    for (const doc of was)
      if (doc) await records.update(RunGroup, doc.id, ({ player: _now, ...of }) => ({ ...of, player: doc.player }));
    expect(page.root.querySelector(".verdict")?.text).toMatch(
      /^The newest run: desk 2 met 0 of \d+ valid trials; before it desk 1 met 0 of \d+ valid trials \(0\.0 points\)\.$/,
    );
    const compared = `/console/compare?a=${worked.group}&b=${again}`;
    const first = page.root.querySelectorAll("main a")[0]?.getAttribute("href");
    expect(first?.replaceAll("&amp;", "&")).toBe(compared);
    await records.update(RunGroup, again, (doc) => ({ ...doc, retired_at: 1 }));
  });

  it("tells of no comparison where no run before the newest is of the same tasks", async () => {
    const { records } = worked.app.service.store.forOrg(worked.org.id);
    const was = await records.get(RunGroup, some);
    const desk = { name: "desk", version: "3", harness: null, agent: "ag_1" };
    await records.update(RunGroup, some, (doc) => ({ ...doc, player: { ...doc.player, ...desk } }));
    const page = await get("");
    if (was) await records.update(RunGroup, some, ({ player: _now, ...of }) => ({ ...of, player: was.player }));
    expect(page.root.querySelector(".verdict")?.text).toBe(
      "The newest run: desk 3 met 0 of 1 valid trial. No earlier run of it is on the same tasks.",
    );
    expect(page.text).toContain("A change is against the run before of the same agent on the same tasks.");
    expect(page.text).not.toContain("the comparison of the two says");
  });

  it("names the one that alone ran a task as the page calls it", async () => {
    const page = await browser.get(`/console/compare?a=${worked.main}&b=${some}`);
    expect(page.text).toContain("Only reference ran it.");
    expect(page.text).not.toContain("Only a ran it.");
  });

  it("compares the two that are ticked, the older one first, and says what to tick otherwise", async () => {
    const { main, group } = worked;
    const picked = await browser.get(`/console/groups/compare?g=${group}&g=${main}`);
    expect(picked.location).toBe(`/console/compare?a=${main}&b=${group}`);
    for (const query of ["", `?g=${main}`, `?g=${main}&g=${main}`]) {
      const refused = await browser.get(`/console/groups/compare${query}`);
      expect([refused.status, refused.text.includes("Tick two to 8 runs to compare them")], query).toEqual([400, true]);
    }
    expect((await browser.get(`/console/groups/compare?g=${main}&g=rg_none`)).status).toBe(303);
  });

  it("keeps its filters on its next page, and escapes what was asked for", async () => {
    const page = await get("?who=all&q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&cursor=0");
    expect(page.html).not.toContain("<script>alert");
    expect((await get("?cursor=x")).status).toBe(400);
    expect((await get("?who=all&cursor=2&sort=oldest")).root.querySelectorAll("td input[name=g]")).toHaveLength(1);
  });

  it("shows nothing of another org", async () => {
    const other = await worked.app.org("other");
    const { invoker } = await import("../helpers/app.ts");
    const theirs = await memberIn(worked, invoker(worked.app, "rest", other), "eve");
    expect(listed(await theirs.browser.get("/console/groups?who=all"))).toEqual([]);
  });
});

describe("the list of systems", () => {
  // Finding E33.
  it("sets sandboxes of one name together, marks those without a task, and is searched", async () => {
    const { records } = worked.app.service.store.forOrg(worked.org.id);
    const first = await records.get(Environment, worked.environment);
    if (!first) throw new Error("no environment");
    const twin = { ...first, id: worked.app.service.id("env"), tasks: 0, created_at: first.created_at + 1 };
    await records.insert(Environment, twin);
    const page = await browser.get("/console/surfaces");
    const rows = page.root.querySelectorAll("main tbody tr");
    expect(rows).toHaveLength(1);
    expect(rows[0]?.text).toContain("no task");
    expect(rows[0]?.text).toContain("1 older one of this name");
    expect(rows[0]?.querySelectorAll("details a")[0]?.getAttribute("href")).toBe(
      `/console/sandboxes/${worked.environment}`,
    );
    expect(rows[0]?.text).not.toContain("not compiled");
    expect((await browser.get("/console/surfaces?q=nobody")).text).toContain("No system fits");
    expect((await browser.get("/console/surfaces?q=SHOP")).root.querySelectorAll("main tbody tr")).toHaveLength(1);
  });
});
