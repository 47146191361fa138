import { afterAll, beforeAll, expect, it } from "vitest";
import { GENERATABLE } from "../../chapters/findings/modes/mode-view.ts";
import { OUTCOMES } from "../../chapters/findings/pages/fidelity.ts";
import { Evidence } from "../../chapters/records/evidence/evidence.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { Task } from "../../worlds/tasks/schema.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { type Browser, type BrowserPage, carried } from "../helpers/browser.ts";
import { runToEnd } from "../tools/runs/kit.ts";
import { buildDesk, ended, ok } from "../tools/sandboxes/kit.ts";
import { hrefs, memberIn, under } from "./kit.ts";

let app: TestApp;
let org: TestOrg;
let invoke: Invoke;
let browser: Browser;
let surface: string;
let evidence: string;
let main: string;
let group: string;
let task: { task: string; request: string };
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  invoke = invoker(app, "rest", org);
  const environment = (await buildDesk(invoke, "desk", 12)).environments[0].id;
  evidence = (await invoke("evidence_list", { surface: "desk", kind: "traces" })).body.evidence[0].id;
  surface = (await invoke("surfaces_list")).body.surfaces[0].id;
  const run = async (harness: string) => (await runToEnd(invoke, { harness, environment })).group as string;
  [main, group] = [await run("reference"), await run("null")];
  [task] = (await invoke("environment_tasks", { env_id: environment })).body.tasks.map(
    (each: { id: string; request: string }) => ({ task: each.id, request: each.request }),
  );
  ({ browser } = await memberIn({ app }, invoke, "ann"));
});
afterAll(() => app.close());

// Finding E30.
it("a flipped task opens both trials, and so does every compared task", async () => {
  const page = await browser.get(`/console/compare?a=${main}&b=${group}`);
  const flips = under(page, "What flipped").filter((href) => href.startsWith("/console/pair?a="));
  expect(flips.length).toBe(page.root.querySelector("table tbody")?.querySelectorAll("tr").length);
  const pair = await browser.get(flips[0] ?? "");
  expect(pair.text).toMatch(/reference met\. null failed: it /);
  // What flipped is not listed a second time.
  const paired = page.root
    .querySelectorAll("section")
    .filter((each) => each.querySelector("h2")?.text !== "Calls that differ");
  const opened = paired.flatMap((each) =>
    each.querySelectorAll("table a").map((a) => a.getAttribute("href")?.replaceAll("&amp;", "&")),
  );
  for (const href of flips) expect(opened.filter((each) => each === href)).toHaveLength(1);
  const took = page.root.querySelectorAll("section").find((each) => each.text.startsWith("Time, calls and cost"));
  const cells = took?.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("td").map((cell) => cell.text));
  expect(cells?.map(([name, , , calls, , tokens, cost]) => [name, Number(calls) > 0, tokens, cost])).toEqual([
    ["reference", true, "not reported", "not reported"],
    ["null", false, "not reported", "not reported"],
    ["Change", false, "", ""],
  ]);
  // Finding E29: figures of a run stand on its page.
  expect((await browser.get(`/console/groups/${main}`)).text).toMatch(/Calls a trial\s*[1-9]/);
  expect(under(page, "Calls that differ").length).toBeGreaterThan(0);
  expect(under(page, "Calls that differ").every((href) => href.startsWith("/console/pair?"))).toBe(true);
});

// Finding E29.
it("a root cause, a check and an end open the trials they are told of", async () => {
  const page = await browser.get(`/console/groups/${group}`);
  const [cause = ""] = under(page, "Root causes");
  const trials = await browser.get(cause);
  expect(trials.text).toMatch(/^Trials that have the root cause \w+/m);
  const rows = trials.root.querySelectorAll("table tbody tr");
  expect(rows.length).toBeGreaterThan(0);
  const named = new URL(cause, "http://x").searchParams.get("cause")?.replaceAll("_", " ");
  for (const row of rows) expect(row.text).toContain(named);
  expect((await browser.get(hrefs(trials, "table")[0] ?? "")).text).toContain("What happened");
  const [check = ""] = under(page, "Checks");
  const decided = await browser.get(check);
  expect(decided.root.querySelectorAll("table tbody tr").length).toBeGreaterThan(0);
  expect(decided.text).toContain("Verdict");
  const ends = await browser.get(under(page, "How trials ended")[0] ?? "");
  expect(ends.text).toMatch(/(\d+) of \1 trials of null ended failed\./);
  // Each says which check it failed, and why.
  for (const row of ends.root.querySelectorAll("table tbody tr"))
    expect(row.querySelector("td[data-of=Why]")?.text).toMatch(/^[\w ]+: \S/);
  const trialsOf = async (query: string) => {
    const shown = await browser.get(`/console/groups/${main}/trials?${query}`);
    return shown.root
      .querySelectorAll("table tbody tr")
      .map((row) => row.querySelectorAll("td").map(({ text }) => text));
  };
  const every = await trialsOf("");
  const word = /[a-z]{6,}/.exec(every[0]?.[0] ?? "")?.[0] ?? "";
  const some = await trialsOf(`q=${word.toUpperCase()}`);
  expect(some).toEqual(every.filter(([request]) => request?.includes(word)));
  const calls = (await trialsOf("sort=most+calls")).map((row) => Number(row[5]));
  expect(calls).toEqual(calls.toSorted((a, b) => b - a));
  expect(calls.toSorted()).toEqual(every.map((row) => Number(row[5])).toSorted());
  const offered = ends.root.querySelectorAll("form.filter select[name=end] option").map(({ text }) => text);
  expect(offered).toEqual(["any", "failed"]);
  expect(hrefs(ends)).toContain(`/console/groups/${group}`);
  expect((await browser.get(`/console/groups/${group}/trials?cause=%3Cscript%3E`)).text).toContain("No trial");
  expect((await browser.get("/console/groups/rg_none/trials?end=met")).status).toBe(404);
});

// Finding E34.
it("a tool of the fidelity page opens its wrong answers, observed beside answered", async () => {
  const page = await browser.get(`/console/surfaces/${surface}/fidelity`);
  const tools = under(page, "All tools");
  expect(tools.length).toBeGreaterThan(2);
  const [worst] = page.root.querySelectorAll("p.ways a");
  const [, most] = /: (\d+) calls?$/.exec(worst?.text ?? "") ?? [];
  const pages = await Promise.all([...new Set(tools)].map((href) => browser.get(href)));
  const otherwise = pages.map((each) => {
    const [same = [], ...wrong] = each.root
      .querySelectorAll("dl.facts dd:first-of-type")
      .slice(0, 4)
      .map(({ text }) => text.split(" of ").map(Number));
    const sum = wrong.reduce((total, [n = 0]) => total + n, 0);
    expect((same[0] ?? 0) + sum, each.text).toBe(same[1]);
    return sum;
  });
  expect(Number(most)).toBe(Math.max(...otherwise));
  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
  const wrong = pages.filter((each) => each.root.querySelectorAll("ol.sides > li").length > 0);
  expect(wrong.length).toBeGreaterThan(0);
  for (const each of wrong) {
    const rows = each.root.querySelectorAll("ol.sides > li");
    expect(rows.every((row) => /a wrong success|a wrong refusal|a refusal|not served/.test(row.text))).toBe(true);
    // What was observed is read as the compiler reads it: not the envelope that it came in.
    expect(each.text).not.toContain('"type":"text"');
    const [trace = ""] = rows.flatMap((row) => row.querySelectorAll("a").map((a) => a.getAttribute("href") ?? ""));
    expect(trace).toMatch(/^\/console\/evidence\/ev_\w+\/traces\//);
    expect((await browser.get(trace)).status).toBe(200);
  }
  expect((await browser.get(`/console/surfaces/${surface}/tools/no_such_tool`)).status).toBe(404);
  expect((await browser.get(`/console/surfaces/${surface}/tools/__proto__`)).status).toBe(404);
  expect(under(page, "Evidence")).toContain(`/console/evidence/${evidence}`);
  // A record has a name, not an id.
  const records = page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "Evidence");
  const names = records?.querySelectorAll("tbody td:first-child").map(({ text }) => text) ?? [];
  expect(names).toContain("anthropic-messages");
  expect(names.filter((name) => name.startsWith("ev_"))).toEqual([]);
  // The columns that decide stand open; other ways to count the same calls are folded below.
  const heads = (table: ReturnType<typeof page.root.querySelector>) => table?.querySelectorAll("thead th").length;
  const section = page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "All tools");
  expect(heads(section?.querySelector("table") ?? null)).toBe(7);
  const n = (row: BrowserPage["root"], i: number) => Number(row.querySelectorAll("td")[i]?.text);
  for (const row of section?.querySelectorAll("tbody tr") ?? [])
    expect(n(row, 2) + n(row, 3) + n(row, 4) + n(row, 5), row.text).toBe(n(row, 1));
  for (const said of [page.text, (await browser.get("/console/surfaces")).text]) expect(said).toContain(OUTCOMES);
  const further = page.root
    .querySelectorAll("details")
    .find((each) => each.querySelector("summary")?.text === "Further measures");
  expect([further?.hasAttribute("open"), Number(heads(further ?? null)) > 3]).toEqual([false, true]);
});

it("a bundle's public row does not name what is kept of its wrong answers", async () => {
  const { bundles } = (await invoke("bundles_list")).body;
  expect(bundles[0].fidelity.all.calls).toBeGreaterThan(0);
  expect(Object.keys(bundles[0]).filter((name) => name.endsWith("_blob"))).toEqual([]);
});

// Finding E32.
it("a coverage cell opens its tasks and evidence, and makes tasks", async () => {
  const page = await browser.get("/console/coverage");
  const [cell = ""] = under(page, "Persona by job");
  expect(cell).toMatch(/^\/console\/coverage\/cell\?persona=/);
  const opened = await browser.get(cell);
  expect(opened.text).toMatch(/\d+ certified tasks?\./);
  expect(under(opened, "Tasks").every((href) => href.startsWith("/console/tasks/"))).toBe(true);
  expect((await browser.get(under(opened, "Tasks")[0] ?? "")).status).toBe(200);
  const job = await browser.submit(opened, "/console/coverage/cell", { surface, tasks: "10" });
  expect([job.status, /queued|running|landed|failed/.test(job.text)]).toEqual([200, true]);
  const { job: id } = (await ok(invoke("generate_environments", { surface, tasks: 10 }))).body;
  const made = await ended(invoke, id);
  const { label } = (await invoke("environment_get", { env_id: made.result.environments[0].id })).body;
  const done = await browser.get(`/console/jobs/${id}`);
  expect(done.root.querySelector("table tbody a")?.text).toBe(label);
  // What came of it is the headline, and what comes next a link.
  const { certified } = made.result.environments[0];
  expect(done.root.querySelector(".verdict")?.text).toContain(`It is done: ${certified} certified task`);
  expect(done.root.querySelector("main .tier")?.text).toMatch(/ It took (?:under a second|\d)/);
  expect((await browser.get(hrefs(done, ".ways")[0] ?? "")).status).toBe(200);
  expect(done.html).not.toContain(`/jobs/${id}/cancel`);
  // Its traces are those that call what its tasks call; each link finds some.
  const traces = hrefs(opened, ".ways").filter((href) => href.startsWith("/console/traces"));
  expect(traces.length).toBeGreaterThan(0);
  for (const href of traces) expect((await browser.get(href)).root.querySelector("table tbody a"), href).not.toBeNull();
  // What nobody knows is no gap.
  for (const [persona, job] of [
    ["nobody", "lookup"],
    ["busy professional", "nothing"],
  ] as const)
    expect((await browser.get(`/console/coverage/cell?${new URLSearchParams({ persona, job })}`)).status).toBe(404);
  const gap = new URLSearchParams({ persona: "busy professional", job: "lookup" });
  const empty = await browser.get(`/console/coverage/cell?${gap}`);
  expect(empty.text).toContain("No certified task covers this job.");
  // A gap leads back to the matrix, or to tasks for it.
  expect(empty.root.querySelectorAll("main h2").map(({ text }) => text)).toEqual(["Make tasks"]);
  for (const href of hrefs(empty, ".ways")) expect((await browser.get(href)).status, href).toBe(200);
  const refused = await browser.submit(empty, "/console/coverage/cell", { surface: "none", tasks: "10" });
  expect(refused.status).toBe(404);
});

it("a press on a persona's cell makes tasks in its words, or says that rules have none", async () => {
  const press = async (persona: string) => {
    const page = await browser.get(`/console/coverage/cell?${new URLSearchParams({ persona, job: "lookup" })}`);
    const form = { ...carried(page, "/console/coverage/cell"), surface, tasks: "10" };
    const { location: url = "" } = await browser.post("/console/coverage/cell", form);
    const done = await ended(invoke, url.split("/").at(-1) ?? "");
    expect(done.status, done.note).toBe("landed");
    const environment = done.result.environments[0].id as string;
    return { said: page.text, told: (await browser.get(url)).text, environment, tasks: await tasksOf(environment) };
  };
  const tasksOf = async (environment: string): Promise<Task[]> => {
    const { items } = await app.service.store
      .forOrg(org.id)
      .records.list(TaskRecord, { where: { environment }, limit: 500 });
    return items.map(({ task }) => task);
  };
  // What rules have words for, whoever named it: the service, a document, a person.
  const document = (await ok(invoke("evidence_post", { content: "# Personas\n\n- Frequent flyer: knows the rules" })))
    .body;
  await ended(invoke, (await ok(invoke("dimensions_derive", { source: document.id }))).body.job);
  await ok(invoke("dimensions_personas_post", { add: ["angry caller", "Anna Lee"] }));
  for (const [persona, words] of [
    ["busy professional", /I'm between meetings\.|I'm in a bit of a hurry\./],
    ["Frequent flyer", /I'm a frequent flyer\./],
    ["angry caller", /This is really frustrating\.|I've had enough of this\.|I expected better\./],
  ] as const) {
    const { said, told, tasks } = await press(persona);
    expect([said, told].join(" ")).not.toContain("no words for this persona");
    expect(tasks.length, persona).toBeGreaterThan(3);
    for (const { request, cell } of tasks)
      expect([cell.persona, request]).toEqual([persona, expect.stringMatching(words)]);
  }
  const silent = await press("Anna Lee");
  expect(silent.said).toContain("no words for this persona");
  expect(silent.told).toContain('"Anna Lee": Rules write these requests, and they know no words for this persona');
  for (const { cell } of silent.tasks) expect(cell.persona).toBe("Anna Lee");

  const { added } = (await invoke("dimensions_personas_get")).body;
  const { id } = added.find(({ value }: { value: string }) => value === "Anna Lee");
  await ok(invoke("dimension_value_profile_post", { value_id: id, profile: { says: "I only order on Sundays" } }));
  const spoken = await press("Anna Lee");
  expect([spoken.said, spoken.told].join(" ")).not.toContain("no words for this persona");
  expect(spoken.environment).not.toBe(silent.environment);
  for (const { request } of spoken.tasks) expect(request).toContain("I only order on Sundays.");
  // What is written in the place of a refused task is asked by the same persona.
  const { records } = app.service.store.forOrg(org.id);
  const [one] = (await records.list(TaskRecord, { where: { environment: spoken.environment }, limit: 1 })).items;
  await records.update(TaskRecord, one?.id ?? "", (doc) => ({
    ...doc,
    status: "refused" as const,
    reason: "By hand.",
  }));
  const { job } = (await ok(invoke("environment_review_regenerate", { env_id: spoken.environment }))).body;
  expect((await ended(invoke, job)).result.changed.length).toBeGreaterThan(0);
  for (const { request } of await tasksOf(spoken.environment)) expect(request).toContain("I only order on Sundays.");
});

// Finding E36.
it("a failure mode has a page with what is known of it, where its status is changed", async () => {
  const held = await browser.get(`/console/evidence/${evidence}`);
  // Traces are named by what was asked, and the record leads to its list with filters.
  expect(held.text).toContain("Swap the Down Duvet in order SO-10122");
  expect(hrefs(held)).toContain(`/console/traces?eid=${evidence}`);
  const cite = held.root.querySelectorAll("table tbody a")[0];
  const trace = decodeURIComponent((cite?.getAttribute("href") ?? "").split("/").at(-1) ?? "");
  await ok(
    invoke("failure_modes_post", {
      title: "Writes <b>first</b>",
      behaviour: "unverified_write",
      description: "Before it reads.",
      tasks: [task.task],
      trace,
      by: "ann",
    }),
  );
  const list = await browser.get("/console/failure-modes");
  expect(list.root.querySelector(".verdict")?.text).toBe("1 failure mode stands.");
  const [place = ""] = hrefs(list, "table");
  const told = list.root.querySelectorAll("table tbody td").map((cell) => cell.text);
  // Trials, traces and tasks that are known of it.
  expect(told.slice(3, 6)).toEqual(["0", "1", "1"]);
  const page = await browser.get(place);
  expect(page.text).toContain("Before it reads.");
  expect(page.root.querySelector("h1 b")).toBeNull();
  expect(under(page, "Tasks that hold agents to it")).toEqual([expect.stringContaining(task.task)]);
  expect(under(page, "Traces")).toEqual([expect.stringContaining(trace)]);
  expect(page.text).toContain("Writes <b>first</b>");
  expect(hrefs(page).some((href) => href.startsWith("/console/start?environment="))).toBe(true);
  expect(page.html).not.toContain(`${place}/tasks`);
  const changed = await browser.submit(page, `${place}/status`, { status: "confirmed" });
  expect(changed.text).toContain("Confirmed; agents are held to it by 1 task. No trial has shown it yet.");
  const eve = await memberIn({ app }, invoker(app, "rest", await app.org("other")), "eve");
  for (const path of [place, `/console/groups/${group}/trials`, `/console/surfaces/${surface}/tools/x`])
    expect((await eve.browser.get(path)).status, path).toBe(404);
});

it("a failure mode without tasks has them written from its page, onto the mode itself", async () => {
  const recorded = { title: "Says that there is nothing", description: "It says no data though there is.", by: "ann" };
  const [{ id }] = (await ok(invoke("failure_modes_post", recorded))).body.failure_modes;
  const place = `/console/failure-modes/${id}`;
  expect((await browser.get("/console/failure-modes")).root.querySelector(".verdict")?.text).toBe(
    "2 failure modes stand; no task holds agents to 1 of them.",
  );
  const page = await browser.get(place);
  // Writing them is the first thing that can be done; of what nothing is known there is no section.
  const main = page.root.querySelector("main");
  expect(main?.querySelector("button")?.text).toBe("Write tasks");
  // That nothing shows it stands above the form, with the way to look for it.
  const above = main?.structuredText.split("Write tasks")[0] ?? "";
  expect(main?.querySelector(".verdict")?.text).toMatch(
    /No trial has shown it, and no trace is known to show it yet\.$/,
  );
  expect(above).toContain("Look for it in traces, and note it");
  expect(main?.querySelector('a[href="/console/traces"]')?.text).toBe("Look for it in traces");
  expect(main?.text).toContain("No behaviour is named;");
  expect(main?.querySelectorAll("h2").map(({ text }) => text)).toEqual(["Notes", "Add a note", "Change how it stands"]);
  expect(main?.querySelector("details.folded > summary")?.text).toBe("History: 1 status");
  const offered = page.root.querySelectorAll("select[name=behaviour] option");
  expect(offered.map((each) => each.getAttribute("value"))).toEqual(["", ...GENERATABLE]);
  const bucket = page.root.querySelector("select[name=bucket] option")?.getAttribute("value") ?? "";
  const wrong = await browser.submit(page, `${place}/tasks`, {
    behaviour: "false_no_data",
    bucket: "env_none",
    count: "5",
  });
  expect(wrong.status).toBe(400);
  const done = await browser.submit(page, `${place}/tasks`, { behaviour: "false_no_data", bucket, count: "5" });
  expect([done.status, done.root.querySelector("h1")?.text]).toEqual([200, recorded.title]);
  const modes = (await invoke("failure_modes")).body.failure_modes;
  const mode = modes.find((each: { id: string }) => each.id === id);
  expect(mode).toMatchObject({ status: "confirmed", behaviour: "false_no_data", title: recorded.title });
  expect(mode.tasks.length).toBeGreaterThan(0);
  expect(under(done, "Tasks that hold agents to it")).toHaveLength(mode.tasks.length);
  expect(modes.filter(({ title }: { title: string }) => title === recorded.title)).toHaveLength(1);
});

it("an operation of the ontology opens what is known of the tool, and the traces that call it", async () => {
  const page = await browser.get(`/console/surfaces/${surface}/ontology`);
  const [tool = "", ...others] = under(page, "Operations");
  expect(tool).toMatch(new RegExp(`^/console/surfaces/${surface}/tools/`));
  expect(others.length).toBeGreaterThan(2);
  // The headline is what a person should look at, and an operation has the name of its tool.
  expect(page.root.querySelector(".verdict")?.text).toMatch(/^(To look at: |Of every operation it is known)/);
  const named = page.root.querySelectorAll("main td a").filter((each) => each.getAttribute("href") === tool);
  expect(named.map(({ text }) => text)).toEqual([decodeURIComponent(tool.split("/").at(-1) ?? "")]);
  // What a tool does is one column: what it reads, and what it writes.
  const table = page.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "Operations");
  expect(table?.querySelectorAll("thead th").map(({ text }) => text)).toEqual([
    "Operation",
    "What it does",
    "Known from",
    "Calls",
  ]);
  const does = table?.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("td")[1]?.text ?? "") ?? [];
  expect(does).toContain("reads orders");
  for (const each of does) expect(each).toMatch(/^(reads|writes) \w|no object that is known$|^not known$/);
  const from = table?.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("td")[2]?.text) ?? [];
  for (const each of from) expect(["its calls", "what the tool says of itself", "its name alone"]).toContain(each);
  const opened = await browser.get(tool);
  const name = decodeURIComponent(tool.split("/").at(-1) ?? "");
  expect([opened.status, hrefs(opened).includes(`/console/traces?tool=${name}`)]).toEqual([200, true]);
  expect((await browser.get(`/console/traces?tool=${name}`)).status).toBe(200);
});

it("a run that went tells each failed trial by the check that it failed", async () => {
  const page = await browser.get(`/console/groups/${group}/live`);
  const rows = page.root.querySelectorAll("main table tbody tr");
  const cells = rows.map((row) => row.querySelectorAll("td").map(({ text }) => text));
  const failed = cells.filter(([, , end]) => end === "failed");
  expect(failed.length).toBeGreaterThan(0);
  for (const [task = ""] of failed) expect(task).toMatch(/^[a-z ]+: \S/m);
});

it("where every system stands on made-up traces, each page of their data says so by one rule, and no other", async () => {
  const { records } = app.service.store.forOrg(org.id);
  const marked = async (path: string) =>
    (await browser.get(`/console${path}`)).root.querySelectorAll(".invented").length;
  const data = ["groups", "live", "trends", "review", "failure-modes", "proposals", "surfaces", "calibrations"];
  const ofData = data.map((name) => `/${name}`);
  const others = ["/you", "/spend", "/delivery", "/reports"];
  for (const path of ofData) expect(await marked(path), path).toBe(0);
  const traces = (await records.list(Evidence)).items;
  for (const { id } of traces)
    await records.update(Evidence, id, (doc) => ({ ...doc, provenance: "synthetic" as const }));
  for (const path of [
    ...ofData,
    `/groups/${group}`,
    `/surfaces/${surface}/ontology`,
    `/evidence/${evidence}`,
    "/traces",
  ])
    expect(await marked(path), path).toBe(1);
  for (const path of others) expect(await marked(path), path).toBe(0);
  for (const doc of traces) await records.update(Evidence, doc.id, () => doc);
});
