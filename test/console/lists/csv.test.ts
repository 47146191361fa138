import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import { csvLine } from "../../../chapters/text/csv.ts";
import { invoker } from "../../helpers/app.ts";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { runToEnd } from "../../tools/runs/kit.ts";
import { deskTraces } from "../../tools/sandboxes/kit.ts";
import { asVersions, memberIn, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let browser: Browser;
let some: string;
beforeAll(async () => {
  worked = await workedIn();
  const { invoke, environment } = worked;
  const { tasks } = (await invoke("environment_tasks", { env_id: environment })).body;
  some = (await runToEnd(invoke, { harness: "null", environment, tasks: [String(tasks[0].index)] })).group;
  await asVersions(worked);
  const traces = deskTraces(1).slice(0, 60);
  await invoke("evidence_post", { content: traces.map((trace) => JSON.stringify(trace)).join("\n") });
  await invoke("failure_modes_post", { title: 'Says "done", and is not', behaviour: "missing_call", by: "ann" });
  ({ browser } = await memberIn(worked, invoke, "ann", "viewer"));
});
afterAll(() => worked.close());

type Row = Record<string, string>;
const rowsOf = ({ html }: BrowserPage): Row[] => parse(html, { columns: true });
/** The file that a page leads to. */
async function fileOf(path: string, by: Browser = browser): Promise<BrowserPage> {
  const page = await by.get(path);
  const link = page.root.querySelectorAll("main a").find(({ text }) => text === "Download as CSV");
  const file = await by.get(link?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "/console/no-link");
  expect([page.status, file.status, file.headers["content-type"]]).toEqual([200, 200, "text/csv; charset=utf-8"]);
  expect(file.headers["content-disposition"]).toMatch(/^attachment; filename="?[\w-]+\.csv"?$/);
  return file;
}
const listed = (page: BrowserPage, selector: string) => page.root.querySelectorAll(selector).map(({ text }) => text);

it("runs download as the list shows them, with numbers that a program reads", async () => {
  const { main, group } = worked;
  const all = rowsOf(await fileOf("/console/groups"));
  expect(all.map(({ run }) => run)).toEqual([some, group, main]);
  expect(all.map(({ player, version }) => [player, version])).toEqual([
    ["built-in", ""],
    ["agent", "v2"],
    ["agent", "v1"],
  ]);
  const [row] = rowsOf(await fileOf("/console/groups?who=agent&sort=best"));
  expect(row).toMatchObject({ run: main, rate: "1", valid: row?.met, status: "landed", tasks: "all" });
  expect(Number(row?.median_ms)).toBeGreaterThan(0);
  expect(Date.parse(row?.started_at ?? "")).toBeGreaterThan(0);
  expect(rowsOf(await fileOf(`/console/groups?q=desk&tasks=all&sort=oldest`)).map(({ run }) => run)).toEqual([
    main,
    group,
  ]);
});

it("traces download beyond the first page, narrowed as the list is", async () => {
  const page = await browser.get("/console/traces");
  const all = rowsOf(await fileOf("/console/traces"));
  const shown = listed(page, "td[data-lead] a");
  expect(shown).toHaveLength(50);
  expect(all).toHaveLength(60);
  expect(all.slice(0, 50).map(({ request = "" }) => request.slice(0, 40))).toEqual(
    shown.map((text) => text.slice(0, 40)),
  );
  const tool = "/console/traces?tool=get_order";
  const calling = rowsOf(await fileOf(tool));
  expect(calling.length).toBeLessThan(all.length);
  expect(calling.length).toBeGreaterThan(0);
  const failing = all.find(({ errors }) => Number(errors) > 0);
  expect(Number(failing?.calls)).toBeGreaterThanOrEqual(Number(failing?.errors));
  expect((await browser.get("/console/traces/file?from=2026-13-45")).status).toBe(200);
  expect((await browser.get("/console/traces/file?cursor=x")).status).toBe(200);
});

it("tasks, failure modes and the trials of a run download too", async () => {
  const tasks = rowsOf(await fileOf("/console/review?sort=newest"));
  const { tasks: known } = (await worked.invoke("environment_tasks", { env_id: worked.environment })).body;
  expect(tasks.map(({ number }) => Number(number))).toEqual(
    known.map(({ index }: { index: number }) => index).reverse(),
  );
  expect(rowsOf(await fileOf("/console/failure-modes"))).toMatchObject([
    { title: 'Says "done", and is not', behaviour: "missing_call", status: "reported", tasks: "0" },
  ]);
  expect(rowsOf(await fileOf("/console/failure-modes?q=nothing"))).toEqual([]);
  const { group } = worked;
  const failed = rowsOf(await fileOf(`/console/groups/${group}/trials?end=failed`));
  const page = await browser.get(`/console/groups/${group}/trials?end=failed`);
  expect(failed.map(({ number }) => number)).toEqual(listed(page, "td[data-of=Task]"));
  expect(new Set(failed.map(({ end }) => end))).toEqual(new Set(["failed"]));
  expect(rowsOf(await fileOf(`/console/groups/${group}/trials`)).length).toBeGreaterThanOrEqual(failed.length);
  expect((await browser.get("/console/groups/rg_none/trials/file")).status).toBe(404);
});

it("an upload and a sandbox lead to the files of their own traces and tasks", async () => {
  const { evidence: uploads } = (await worked.invoke("evidence_list", {})).body;
  const [{ id }] = uploads;
  const traces = rowsOf(await fileOf(`/console/evidence/${id}`));
  expect(new Set(traces.map(({ evidence }) => evidence))).toEqual(new Set([id]));
  const tasks = rowsOf(await fileOf(`/console/sandboxes/${worked.environment}`));
  expect(new Set(tasks.map(({ sandbox }) => sandbox))).toEqual(new Set([worked.environment]));
});

it("what was spent is a file with a line for each job", async () => {
  const { ledger } = worked.app.service.store.forOrg(worked.org.id);
  const spent = { kind: "statements", who: "ann", micro_usd: 250_000, note: "", at: 1_700_000_000 };
  const at = worked.app.service.now();
  await ledger.append({ ...spent, id: "le_1", job: "jb_1", at });
  await ledger.append({ ...spent, id: "le_2", job: "jb_1", at });
  await ledger.append({ ...spent, id: "le_3", job: null, who: "bea", at });
  const rows = rowsOf(await fileOf("/console/spend"));
  const started_at = new Date(at * 1000).toISOString();
  expect(rows).toEqual([
    { job: "jb_1", kind: "statements", asked_by: "ann", started_at, usd: "0.5" },
    { job: "", kind: "statements", asked_by: "bea", started_at, usd: "0.25" },
  ]);
});

it("a file holds nothing of another org", async () => {
  const invoke = invoker(worked.app, "rest", await worked.app.org("other"));
  const { browser: eve } = await memberIn(worked, invoke, "eve");
  for (const path of ["groups", "traces", "review", "failure-modes"])
    expect(rowsOf(await eve.get(`/console/${path}/file`)), path).toEqual([]);
  expect((await eve.get(`/console/groups/${worked.group}/trials/file`)).status).toBe(404);
});

it("a text that a spreadsheet would compute is no formula in a file", () => {
  expect(csvLine(['=HYPERLINK("http://x","y")', "  @SUM(A1)", "-1", "+1", -1, "a\nb", null, undefined])).toBe(
    `"'=HYPERLINK(""http://x"",""y"")","'  @SUM(A1)","'-1","'+1",-1,"a\nb",,\n`,
  );
});

it("a task tells of the newest run that played it, of an agent where one did", async () => {
  const page = await browser.get("/console/review");
  const rows = page.root.querySelectorAll("main tbody tr");
  // The newest run is a built-in player's, on the first task alone.
  for (const row of rows) expect(row.text, row.text).toMatch(/0 of \d/);
  const trials = rows.map((row) => row.querySelector('a[href^="/console/trials/"]')?.getAttribute("href"));
  const { body } = await worked.invoke("run_group", { gid: worked.group });
  for (const href of trials) expect(href).toContain(body.environments[0].run);
  const task = await browser.get(rows[0]?.querySelector("td[data-lead] a")?.getAttribute("href") ?? "");
  expect(task.root.querySelector(".ways span")?.text).toMatch(/^met in its newest run: 0 of \d \S/);
  // The list of its own sandbox tells the same.
  const own = (await browser.get(`/console/sandboxes/${worked.environment}`)).root;
  const told = own.querySelectorAll('main tbody a[href^="/console/trials/"]').map((a) => a.getAttribute("href"));
  expect(told.toSorted()).toEqual(trials.toSorted());
  expect(page.root.querySelector(`a[href="/console/sandboxes/${worked.environment}/new-task"]`)?.text).toContain(
    "Add a task",
  );
});

it("a run's tasks download as its page narrows them", async () => {
  const page = await browser.get(`/console/groups/${worked.group}?end=failed&sort=number`);
  const link = page.root.querySelectorAll("main a").find(({ text }) => text === "Its tasks as CSV");

  const rows = rowsOf(await browser.get(link?.getAttribute("href")?.replaceAll("&amp;", "&") ?? ""));
  const section = page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "Tasks");
  const shown = section?.querySelectorAll("tbody tr td:first-child").map(({ text }) => text) ?? [];
  expect(rows.map(({ request }) => request)).toEqual(shown);
  // They stand below much else: the top leads to them.
  const top = page.root.querySelectorAll("main .ways a").find(({ text }) => text === "Its tasks");
  expect(page.root.querySelector(top?.getAttribute("href") ?? "#none")?.querySelector("h2")?.text).toBe("Tasks");
  expect(rows).toHaveLength(4);
  for (const row of rows)
    expect([row.met, row.valid, row.family !== "", row.root_causes !== ""]).toEqual(["0", "1", true, true]);
  const none = await browser.get(`/console/groups/${worked.group}/tasks/file?end=met`);
  expect(rowsOf(none)).toEqual([]);
});
