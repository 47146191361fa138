import { afterAll, beforeAll, expect, it } from "vitest";
import { ProviderComparison } from "../../../chapters/records/runs/provider.ts";
import { Run, RunGroup } from "../../../chapters/records/runs/runs.ts";
import { invoker } from "../../helpers/app.ts";
import { Browser, type BrowserPage } from "../../helpers/browser.ts";
import { jobRow } from "../../helpers/rows.ts";
import { buildDesk } from "../../tools/sandboxes/kit.ts";
import { asVersions, memberIn, sectionOf, type Worked, workedIn } from "../kit.ts";

let worked: Worked;
let browser: Browser;
let dear: string;
beforeAll(async () => {
  worked = await workedIn();
  await buildDesk(worked.invoke, "desk", 12);
  await asVersions(worked);
  dear = await dearRun();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

/** A run of the second version whose trials say what they cost, the first of which a crash ended. */
async function dearRun(): Promise<string> {
  const { app, org, group: of } = worked;
  const { records, trials } = app.service.store.forOrg(org.id);
  const group = await records.get(RunGroup, of);
  const run = await records.get(Run, group?.runs[0]?.run ?? "");
  if (!group || !run) throw new Error("the run is gone");
  const [id, own] = [app.service.id(RunGroup.prefix), app.service.id(Run.prefix)];
  const player = { ...group.player, name: "dear", agent: "ag_dear" };
  const runs = group.runs.map((each) => ({ ...each, run: own }));
  await records.insert(RunGroup, { ...group, id, player, agent: "ag_dear", runs });
  const imported = { at: app.service.now(), format: "bundle" as const, run_id: own };
  await records.insert(Run, { ...run, id: own, group: id, player, finished_at: app.service.now(), imported });
  const { items } = await trials.list(run.id, { limit: 500 });
  for (const [i, row] of items.entries()) {
    const ended = i === 0 ? { end: "infra" as const, cause: "crash" as const, root_cause: null } : {};
    await trials.insert({ ...row, run: own, usd: 1 + i, tokens: { input: 900 * (i + 1), output: 100 }, ...ended });
  }
  return id;
}

type Element = BrowserPage["root"];
const hrefOf = (element: Element | null | undefined) =>
  element?.querySelector("a")?.getAttribute("href")?.replaceAll("&amp;", "&") ?? "/console/no-link";
const rowsOf = (element: Element | null) => element?.querySelectorAll("tbody tr") ?? [];
const cellsOf = (row: Element | undefined) => row?.querySelectorAll("td") ?? [];
const factOf = (page: BrowserPage, name: string) =>
  page.root.querySelectorAll(".facts div").find((each) => each.querySelector("dt")?.text === name);
/** The rows that a link opens. */
const opened = async (element: Element | null | undefined) => {
  const page = await browser.get(hrefOf(element));
  expect(page.status, element?.text).toBe(200);
  return rowsOf(page.root.querySelector("main"));
};

it("each count of a run opens as many trials, and each figure those that took most of it first", async () => {
  for (const gid of [worked.main, worked.group, dear]) {
    const page = await browser.get(`/console/groups/${gid}`);
    for (const heading of ["Checks", "How trials ended", ...(gid === worked.main ? [] : ["Root causes"])])
      for (const row of rowsOf(sectionOf(page, heading)))
        for (const cell of row.querySelectorAll("td.n"))
          if (cell.text !== "0") expect(await opened(cell), heading + row.text).toHaveLength(Number(cell.text));
    const tasks = rowsOf(sectionOf(page, "Tasks"));
    expect(await opened(factOf(page, "Trials done"))).toHaveLength(tasks.length);
    for (const cell of cellsOf(tasks[0]).filter((each) => hrefOf(each).includes("family=")))
      for (const row of await opened(cell)) expect(row.text).not.toBe("");
    expect(hrefOf(cellsOf(tasks[0])[1])).toMatch(new RegExp(`^/console/tasks/${worked.environment}/`));
  }
  const whole = await browser.get(`/console/groups/${worked.group}`);
  expect(factOf(whole, "Not counted")?.text).toContain("none");
  const page = await browser.get(`/console/groups/${dear}`);
  expect(await opened(factOf(page, "Not counted"))).toHaveLength(1);
  const costs = (await opened(factOf(page, "Cost a trial"))).map((row) => /\$([\d.]+)/.exec(row.text)?.[1]);
  expect(costs).toEqual(["4.00", "3.00", "2.00", "1.00"]);
  const tokens = (await opened(factOf(page, "Tokens a trial"))).map((row) => /\d,\d{3}/.exec(row.text)?.[0]);
  expect(tokens).toEqual(["3,700", "2,800", "1,900", "1,000"]);
  expect((await browser.get(`/console/groups/${dear}/trials?family=none`)).text).toContain("No trial");
});

it("figures over time open their trials, and a compiled version has a number for a name", async () => {
  const page = await browser.get("/console/trends");
  const [newest] = rowsOf(page.root.querySelectorAll("main section table").at(1) ?? null);
  const figures = cellsOf(newest).filter(({ text }) => /\s(%|ms|s)$/.test(text));
  expect(figures.length).toBeGreaterThan(2);
  for (const cell of figures.filter(({ text }) => !text.includes(" to "))) expect((await opened(cell)).length).toBe(4);
  const fidelity = sectionOf(page, "Fidelity");
  expect(rowsOf(fidelity).map((row) => cellsOf(row)[0]?.text)).toEqual(["v1"]);
});

it("an upload names its tools with what they were called for, and is narrowed on its page", async () => {
  const [record] = (await worked.invoke("evidence_list", { surface: "desk", kind: "traces" })).body.evidence;
  const { tools } = (await worked.invoke("evidence_get", { eid: record.id, summary: true })).body;
  const page = await browser.get(`/console/evidence/${record.id}`);
  const rows = page.root.querySelectorAll("#tools tbody tr");
  expect(rows.map((row) => cellsOf(row)[0]?.text)).toEqual(tools.map(({ tool }: { tool: string }) => tool));
  expect(factOf(page, "Tools")?.text).toContain(tools[0].tool);
  for (const [i, row] of rows.slice(0, 3).entries()) {
    expect(Number(cellsOf(row)[1]?.text)).toBe(tools[i].calls);
    expect(await opened(row)).toHaveLength(Math.min(50, tools[i].traces));
  }
  expect((await opened(factOf(page, "Traces"))).length).toBeGreaterThan(10);
  const form = sectionOf(page, "Traces").querySelector("form");
  expect(form?.getAttribute("action")).toBe("/console/traces");
  expect(form?.querySelector("input[name=eid]")?.getAttribute("value")).toBe(record.id);
  // Its list stands as it was sent, and so does the one that its form asks for, until another order is chosen.
  const options = form?.querySelectorAll("select[name=sort] option") ?? [];
  expect(options.slice(0, 2).map((each) => [each.getAttribute("value"), each.text])).toEqual([
    ["sent", "as they were sent"],
    ["newest", "newest first"],
  ]);
  const { root } = await browser.get(`/console/traces?eid=${record.id}&sort=sent`);
  const namedBy = (of: typeof root) => of.querySelectorAll("input[name=t]").map((each) => each.getAttribute("value"));
  expect(namedBy(root)).toEqual(namedBy(page.root));
  expect(root.querySelector("select[name=sort] option[selected]")?.getAttribute("value")).toBe("sent");
  expect(page.text).toContain(`of ${record.stats.traces}, as they were sent`);
});

it("the traces of an upload are ticked on its page, to be labelled or made tasks of", async () => {
  const [record] = (await worked.invoke("evidence_list", { surface: "desk", kind: "traces" })).body.evidence;
  const page = await browser.get(`/console/evidence/${record.id}`);
  const form = page.root.querySelectorAll("form[action='/console/label']").at(-1);
  const picked = form?.querySelectorAll("tbody tr").map((row) => ({
    id: row.querySelector("input[name=t]")?.getAttribute("value"),
    opens: row.querySelector("a")?.getAttribute("href"),
  }));
  expect(picked?.length).toBeGreaterThan(10);
  for (const { id, opens } of picked ?? []) expect(opens).toBe(`/console/evidence/${record.id}/traces/${id}`);
  const [first] = picked ?? [];
  for (const path of ["/console/label", "/console/traces/tasks"])
    expect((await browser.get(`${path}?t=${first?.id}`)).status, path).toBe(200);
  expect(form?.querySelector("button[formaction='/console/traces/tasks']")).not.toBeNull();
});

it("a report's link is turned off from the list, and its page hands it out as files", async () => {
  const { group, main, invoke, app } = worked;
  const { id } = (await invoke("reports_post", { kind: "comparison", id: group, against: main })).body;
  const { link } = (await invoke("reports_share", { report_id: id, on: true })).body;
  const reader = new Browser(app.url);
  const shared = new URL(link, app.url).pathname;
  expect((await reader.get(shared)).status).toBe(200);
  const list = await browser.get("/console/reports");
  expect((await browser.submit(list, `/console/reports/${id}/share`)).root.querySelector("h1")?.text).toBe("Reports");
  expect((await reader.get(shared)).status).toBe(404);
  expect((await browser.get("/console/reports")).root.querySelector(`form[action$="${id}/share"]`)).toBeNull();
  const page = await browser.get(`/console/reports/${id}`);
  const ways = page.root.querySelectorAll(".ways a").map((each) => each.getAttribute("href")?.replaceAll("&amp;", "&"));
  expect(ways).toContain(`/console/compare?a=${main}&b=${group}`);
  const [html, json] = await Promise.all(
    ["html", "json"].map((as) => browser.get(`/console/reports/${id}/file?as=${as}`)),
  );
  expect(ways).toEqual(expect.arrayContaining(["html", "json"].map((as) => `/console/reports/${id}/file?as=${as}`)));
  const title = page.root.querySelector("h1")?.text;
  expect([html?.root.querySelector("h1")?.text, JSON.parse(json?.html ?? "{}").title]).toEqual([title, title]);
  expect(html?.headers["content-disposition"]).toContain(`report-${id}.html`);
  // It is read where nobody is signed in: no link into the console, no script, nothing asked of anybody.
  expect(html?.html).not.toMatch(/<script|\/console|https?:/);
  expect((await browser.get("/console/reports/rp_none/file?as=html")).status).toBe(404);
});

it("models open what they did not count, and their tasks are narrowed where they stand", async () => {
  const { app, org, main, environment } = worked;
  const id = app.service.id(ProviderComparison.prefix);
  const pins = [main, dear].map((group, i) => ({ pin: `pin_${i}`, label: `model ${i}`, model: "m", group }));
  const doc = { id, created_at: app.service.now(), by: "test", environment, label: "shop", tasks: 4, trials: 1, pins };
  await app.service.store.forOrg(org.id).records.insert(ProviderComparison, doc);
  const page = await browser.get(`/console/providers/${id}`);
  const cell = cellsOf(rowsOf(sectionOf(page, "Models"))[1]).find((each) => hrefOf(each).endsWith("end=infra"));
  expect([cell?.text, (await opened(cell)).length]).toEqual(["1", 1]);
  expect(sectionOf(page, "Tasks").querySelector("form select")?.getAttribute("name")).toBe("tasks");
});

it("a background job leads to what it works on, and to nothing that is not kept or not this org's", async () => {
  const { app, org, environment, group, invoke } = worked;
  const { jobs } = app.service.store.forOrg(org.id);
  const mode = (await invoke("failure_modes_post", { title: "It stops", behaviour: "loop" })).body.failure_modes[0].id;
  const [surface] = (await invoke("surfaces_list", {})).body.surfaces;
  const [record] = (await invoke("evidence_list", { surface: "desk", kind: "traces" })).body.evidence;
  const { agent } = (await invoke("agents_post", { kind: "command", name: "a desk agent", command: ["true"] })).body;
  const ways = async (input: Record<string, unknown> | null, kind = "pipeline") => {
    const row = jobRow(org.id, { kind, input, status: "landed", ended_at: 2000 });
    await jobs.start(row);
    const page = await browser.get(`/console/jobs/${row.id}`);
    expect(page.status).toBe(200);
    return page.root.querySelectorAll("main .ways a").map((each) => [each.text, each.getAttribute("href")]);
  };
  const all = { surface: surface.id, environment, evidence: record.id, agent: agent.id, mode, group };
  const led = await ways(all);
  expect(led.map(([text]) => text)).toEqual([
    ...[`System ${surface.name}`, "Sandbox shop", "Its traces", "Agent a desk agent", "It stops"],
    expect.stringMatching(/^Run of /),
  ]);
  for (const [, href] of led) expect((await browser.get(href ?? "")).status, href).toBe(200);
  const [[, href]] = (await ways({ surface: surface.id }, "ontology_compile")) as [[string, string]];
  expect(href).toBe(`/console/surfaces/${surface.id}/ontology`);
  for (const input of [null, {}, { surface: 7, mode: [mode] }, { environment: "env_none" }])
    expect(await ways(input)).toEqual([]);
  const other = await invoker(app, "rest", await app.org("other-jobs"))("failure_modes_post", { title: "Theirs" });
  expect(await ways({ mode: other.body.failure_modes[0].id })).toEqual([]);
});
