import { afterAll, beforeAll, expect, it } from "vitest";
import { ProviderComparison } from "../../chapters/records/runs/provider.ts";
import { Run, RunGroup } from "../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { Browser, BrowserPage } from "../helpers/browser.ts";
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

it("compared models name each task, open its trials, and tell those apart that they did not meet alike", async () => {
  const { app, org, main, group, environment } = worked;
  const { records } = app.service.store.forOrg(org.id);
  const id = app.service.id(ProviderComparison.prefix);
  const pins = [
    { pin: "pin_good", label: "good", model: "m/good", group: main },
    { pin: "pin_bad", label: "bad", model: "m/bad", group },
  ];
  const { tasks } = (await worked.invoke("run_group", { gid: main })).body;
  const doc = {
    id,
    created_at: app.service.now(),
    by: "test",
    environment,
    label: "shop",
    tasks: tasks.length,
    trials: 1,
  };
  await records.insert(ProviderComparison, { ...doc, pins });
  const path = `/console/providers/${id}`;
  const page = await browser.get(path);
  const table = page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "Tasks");
  expect(table?.querySelectorAll("tbody tr")).toHaveLength(tasks.length);
  expect(table?.text).toContain(tasks[0].request);
  const links = table?.querySelectorAll("a").map((each) => each.getAttribute("href")) ?? [];
  expect(links.filter((href) => href?.startsWith(`/console/tasks/${environment}/`))).toHaveLength(tasks.length);
  expect(links.filter((href) => href?.startsWith("/console/trials/"))).toHaveLength(2 * tasks.length);
  for (const href of links.slice(0, 3)) expect((await browser.get(href ?? "")).status, href).toBe(200);
  const compared = page.root.querySelectorAll("a").map((each) => each.getAttribute("href")?.replace("&amp;", "&"));
  expect(compared).toContain(`/console/compare?a=${main}&b=${group}`);
  for (const run of [main, group])
    expect(compared.some((href) => href?.startsWith(`/console/groups/${run}`))).toBe(true);
  const ways = page.root
    .querySelectorAll(".ways a")
    .map((each) => each.getAttribute("href")?.replace("&amp;", "&") ?? "");
  expect(ways).toContain(`/console/start?environment=${environment}`);
  for (const href of ways) expect((await browser.get(href)).status, href).toBe(200);
  expect((await browser.get(`${path}?tasks=differ`)).text).toContain("Tasks that the models did not meet alike");
  // Each can be what the others are held against, with the tasks that are shown; the file has these tasks too.
  const rows = (shown: BrowserPage) =>
    shown.root
      .querySelectorAll("section")
      .find((each) => each.querySelector("h2")?.text === "Models")
      ?.querySelectorAll("tbody tr");
  const turned = await browser.get(`${path}?base=pin_bad&tasks=failed`);
  expect(turned.text).toContain("how it stands against bad");
  const held = (shown: BrowserPage) =>
    rows(shown)?.map((row) => row.querySelector("td.w a")?.getAttribute("href") ?? row.querySelector("td.w")?.text);
  expect(held(turned)).toEqual([`/console/compare?a=${group}&b=${main}`, "the others are held against it"]);
  expect(held(page)).toEqual(["met most", `/console/compare?a=${main}&b=${group}`]);
  expect(turned.root.querySelectorAll(`form[action="${path}"]`)).toHaveLength(2);
  expect(turned.root.querySelector("select[name=base] option[selected]")?.getAttribute("value")).toBe("pin_bad");
  expect(turned.root.querySelectorAll("input[type=hidden][name=base], input[type=hidden][name=tasks]")).toHaveLength(2);
  const file = (await browser.get(`${path}/file?tasks=failed`)).html.replaceAll(`"`, "").trim().split("\n");
  expect(file).toHaveLength(1 + 2 * tasks.length);
  expect(file[0]?.trim()).toBe("model,run,sandbox,task,number,family,request,met,valid");
  expect(file.filter((line) => line.startsWith(`bad,${group},${environment},`))).toHaveLength(tasks.length);
  // A report of it goes outside: its requests are redacted as those of its runs.
  const { request } = tasks.find((each: { request: string }) => /#W\d{7}/.test(each.request));
  const report = (await worked.invoke("reports_post", { kind: "provider_comparison", id })).body.id;
  const told = (await browser.get(`/console/reports/${report}`)).text;
  expect([told.includes(request), told.includes(request.replaceAll(/#W\d{7}/g, "#X0000000"))]).toEqual([false, true]);
  await records.update(ProviderComparison, id, (each) => ({
    ...each,
    pins: pins.map((pin) => ({ ...pin, group: main })),
  }));
  const alike = await browser.get(`${path}?tasks=differ`);
  expect(alike.root.querySelectorAll("a[href^='/console/tasks/']")).toHaveLength(0);
  expect((await browser.get(path)).root.querySelectorAll("a[href^='/console/tasks/']")).toHaveLength(tasks.length);
});

it("compared runs are narrowed to the tasks that changed one way, and turned round", async () => {
  const { main, group } = worked;
  const get = (more: string) => browser.get(`/console/compare?a=${main}&b=${group}${more}`);
  const headings = (page: BrowserPage) => page.root.querySelectorAll("main h2").map(({ text }) => text);
  const all = await get("");
  // What narrows the list stands with its first part, and what it finds in that place.
  const [flipped] = all.root.querySelectorAll("section").filter((each) => each.querySelector("form.filter"));
  expect(flipped?.querySelector("h2")?.text).toBe("What flipped");
  const worse = await get("&change=worse");
  expect(worse.text).toContain("Tasks, worse than before, that both ran");
  expect(headings(worse).indexOf("Tasks")).toBe(headings(all).indexOf("What flipped"));
  expect(headings(worse)).not.toContain("What flipped");
  // An arm that met every task got better at none of a family: that is said, not shown as a table without rows.
  const none = await get("&change=better&family=lookup");
  expect(none.text).toContain("No compared task fits");
  const list = worse.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "Tasks");
  expect(list?.querySelectorAll("form select").map((each) => each.getAttribute("name"))).toEqual(["change", "family"]);
  const links = worse.root.querySelectorAll("a").map((each) => each.getAttribute("href"));
  expect(links).toContain(`/console/compare?a=${group}&b=${main}`);
});

it("the tasks of a sandbox are narrowed by its address, and why they do not count is told once", async () => {
  const { environment, invoke } = worked;
  const path = `/console/sandboxes/${environment}`;
  const rows = (page: BrowserPage) =>
    page.root
      .querySelectorAll("section")
      .find((each) => each.querySelector("h2")?.text === "Tasks")
      ?.querySelectorAll("tbody tr") ?? [];
  const { tasks } = (await invoke("environment_tasks", { env_id: environment })).body;
  const [one] = tasks;
  expect(rows(await browser.get(path))).toHaveLength(tasks.length);
  const like = tasks.filter((each: { family: string }) => each.family === one.family).length;
  expect(rows(await browser.get(`${path}?family=${one.family}`))).toHaveLength(like);
  expect(rows(await browser.get(`${path}?status=refused`))).toHaveLength(0);
  expect(rows(await browser.get(`${path}?q=${encodeURIComponent(one.request.toUpperCase())}`)).length).toBeGreaterThan(
    0,
  );
  expect(rows(await browser.get(`${path}?q=nobody-says-so`))).toHaveLength(0);
  expect((await browser.get(path)).text).not.toMatch(/Why \d+ of the tasks? do/);
  const { records } = worked.app.service.store.forOrg(worked.org.id);
  const held = await records.list(TaskRecord, { where: { environment }, limit: 2 });
  for (const { id } of held.items)
    await records.update(TaskRecord, id, (task) => ({ ...task, status: "held" as const, reason: "World too poor." }));
  const whole = await browser.get(path);
  const folds = whole.root.querySelectorAll("main details.folded");
  // What is first is the verdict, how the world answers, the world and the list: all else is folded until it is asked for.
  expect(whole.text).toMatch(/Its world answers|How its world answers was not measured/);
  expect(whole.root.querySelectorAll("main h2").map(({ text }) => text)).toEqual(["The world", "Tasks"]);
  expect(folds.map((each) => each.querySelector("summary")?.text)).toEqual([
    "Why 2 of the tasks do not count",
    "What review proved",
    "Tasks by family",
    expect.stringMatching(/^Runs on it: \d+$/),
    "Keep as a report",
  ]);
  const [why] = folds;
  expect(why?.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("td").map(({ text }) => text))).toEqual([
    ["held", "2", "World too poor.", expect.stringMatching(/^\d+, \d+$/)],
  ]);
  // A reason stands once where reasons are told, in the row of each task that it is of, and the one of most tasks beside their number.
  expect((await browser.get(path)).text.split("World too poor.")).toHaveLength(3 + held.items.length);
  const fact = whole.root
    .querySelectorAll(".facts div")
    .find((each) => each.querySelector("dt")?.text === "Tasks held");
  expect(fact?.text).toContain("2 of them: World too poor.");
  // What narrows the list stands under its heading.
  const list = whole.root.querySelectorAll("main section").find((each) => each.querySelector("h2")?.text === "Tasks");
  expect(list?.querySelector("form.filter")?.getAttribute("action")).toBe(path);
  for (const { id } of held.items)
    await records.update(TaskRecord, id, ({ reason: _reason, ...task }) => ({ ...task, status: "certified" as const }));
});

it("the tasks of a large sandbox are turned over, and a page after the first is of them alone", async () => {
  const { app, org, environment } = worked;
  const { records } = app.service.store.forOrg(org.id);
  const [one] = (await records.list(TaskRecord, { where: { environment }, limit: 1 })).items;
  if (one === undefined) throw new Error("the sandbox has no task");
  const added = Array.from({ length: 30 }, (_, i) => ({
    ...one,
    id: app.service.id(TaskRecord.prefix),
    index: 100 + i,
  }));
  for (const doc of added) await records.insert(TaskRecord, doc);
  const path = `/console/sandboxes/${environment}`;
  const numbers = (page: BrowserPage) => {
    const tasks = page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "Tasks");
    return tasks?.querySelectorAll("tbody tr").map((row) => Number(row.querySelector("td")?.text)) ?? [];
  };
  const first = await browser.get(path);
  expect([numbers(first).length, first.text.includes("1 to 20 of 34 tasks")]).toEqual([20, true]);
  const next = first.root.querySelector("a[rel=next]")?.getAttribute("href") ?? "";
  const second = await browser.get(next);
  expect([numbers(second).length, second.text.includes("What review proved")]).toEqual([14, false]);
  expect(new Set([...numbers(first), ...numbers(second)]).size).toBe(34);
  expect(second.root.querySelector("a[rel=next]")).toBeNull();
  expect((await browser.get(`${path}?cursor=900`)).status).toBe(200);
  for (const { id } of added) await records.delete(TaskRecord, id);
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

it("the list of runs says what trials took and cost, and what did not count", async () => {
  const { app, org, main } = worked;
  const { records, trials } = app.service.store.forOrg(org.id);
  const group = await records.get(RunGroup, main);
  const run = group?.runs[0] && (await records.get(Run, group.runs[0].run));
  if (!group || !run) throw new Error("the reference's run is gone");
  const [id, played] = [app.service.id(RunGroup.prefix), app.service.id(Run.prefix)];
  const player = { agent: "ag_dear", name: "dear", version: "v1", harness: null };
  await records.insert(RunGroup, {
    ...group,
    id,
    player,
    agent: "ag_dear",
    runs: group.runs.map((each) => ({ ...each, run: played })),
  });
  const imported = { at: app.service.now(), format: "bundle" as const, run_id: played };
  await records.insert(Run, { ...run, id: played, group: id, player, finished_at: app.service.now(), imported });
  const { items } = await trials.list(run.id, { limit: 500 });
  for (const [i, row] of items.entries())
    await trials.insert({
      ...row,
      run: played,
      ms: 2_000,
      usd: 0.25,
      tokens: { input: 900, output: 100 },
      ...(i === 0 ? { end: "infra" as const, cause: "crash" as const } : {}),
    });
  const page = await browser.get("/console/groups");
  const row = page.root.querySelectorAll("tr").find((each) => each.innerHTML.includes(id));
  expect(
    row
      ?.querySelectorAll("td")
      .map((cell) => cell.text)
      .slice(6, 10),
  ).toEqual(["2 s", "1,000", "$0.25", "1 infra"]);
  // What no trial of a run reports is said to be so.
  const own = page.root.querySelectorAll("tr").find((each) => each.innerHTML.includes(main));
  expect(
    own
      ?.querySelectorAll("td")
      .map(({ text }) => text)
      .slice(7, 9),
  ).toEqual(["not reported", "not reported"]);
  const charts = (await browser.get("/console/trends")).root.querySelectorAll(".charts section");
  const tokens = charts.find((each) => each.querySelector("h3")?.text === "Tokens");
  expect(tokens?.querySelector("table tbody tr")?.text).toContain("1,000");
  const facts = (await browser.get(`/console/groups/${id}`)).root.querySelectorAll(".facts div");
  expect(facts.find((each) => each.text.includes("Tokens a trial"))?.text).toContain("100 of them written");
});
