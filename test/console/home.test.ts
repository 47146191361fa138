import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemberSession } from "../../chapters/records/organization/session.ts";
import { RunGroup } from "../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { Browser } from "../helpers/browser.ts";
import { jobRow } from "../helpers/rows.ts";
import { runToEnd } from "../tools/runs/kit.ts";
import { asVersions, memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
let member: string;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser, id: member } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const VERDICT = /desk agent v2.*desk agent v1/;
const home = () => browser.get("/console");
const records = () => worked.app.service.store.forOrg(worked.org.id).records;

describe("the first page", () => {
  it("says what to do where no agent has two versions to compare", async () => {
    const page = await home();
    expect([page.status, page.text.includes("No finding yet.")]).toEqual([200, true]);
    expect(page.text).toContain("run another version");
    // There is nothing since a visit that was not.
    expect(page.text).not.toContain("Since your last visit");
  });

  // Finding E27.
  it("is the newest comparison of two versions of one agent, though none is named main", async () => {
    await asVersions(worked);
    const page = await home();
    expect(page.root.querySelector(".verdict")?.text).toMatch(VERDICT);
    expect(page.text).toContain("The two newest versions of one agent");
    const link = `/console/compare?a=${worked.main}&b=${worked.group}`;
    const links = page.root
      .querySelectorAll("main a")
      .map((each) => each.getAttribute("href")?.replaceAll("&amp;", "&"));
    expect(links).toContain(link);
    // It is the first thing that the keyboard comes to on the page.
    expect(page.root.querySelector("main a")?.getAttribute("href")?.replaceAll("&amp;", "&")).toBe(link);
    // What each version came to stands beside it, and what is spent with what runs: not in tiles of their own.
    expect(page.text).toMatch(/4 of 4 met before, 0 of 4 now; \d tasks changed sides\./);
    expect(page.root.querySelectorAll("dl.facts")).toHaveLength(0);
    const now = page.root.querySelectorAll(".columns section").find((each) => each.text.includes("Runs now"));
    expect(now?.querySelector('a[href="/console/start"]')?.text).toBe("Start a run");
    // What can be done stands before the chart.
    expect(page.html.indexOf("Runs now")).toBeLessThan(page.html.indexOf("<h2>Over versions"));
    expect(page.html.indexOf("<h2>Over versions")).toBeLessThan(page.html.indexOf("<figure"));
    expect(now?.text).toMatch(/\$0\.00 of today's \$[\d.]+ spent/);
    // A task that flipped opens both of its trials, side by side.
    const flipped = page.root
      .querySelectorAll("section")
      .find((each) => each.querySelector("h2")?.text === "What changed");
    const pairs = flipped
      ?.querySelectorAll("td[data-lead] a")
      .map((each) => each.getAttribute("href")?.replaceAll("&amp;", "&"));
    expect(pairs?.length).toBeGreaterThan(0);
    for (const href of pairs ?? []) expect(href).toMatch(/^\/console\/pair\?/);
    expect((await browser.get(pairs?.[0] ?? "")).status).toBe(200);
    // The trend stands beside, with its numbers in a table.
    const numbers = page.root.querySelectorAll("figure table tbody tr").map((row) => row.text);
    expect(numbers.filter((row) => row.startsWith("v1"))[0]).toContain("100\u00a0%");
    expect(numbers.filter((row) => row.startsWith("v2"))[0]).toContain("0\u00a0%");
  });

  it("lists runs of agents alone where there are any: built-in players among them would read as failures", async () => {
    const rows = async () =>
      (await home()).root
        .querySelectorAll("section")
        .find((each) => each.querySelector("h2")?.text === "Newest runs")
        ?.querySelectorAll("tbody td:first-child")
        .map(({ text }) => text);
    const { group } = await runToEnd(worked.invoke, { harness: "null", environment: worked.environment });
    expect(await rows()).toEqual(["desk agent v2", "desk agent v1"]);
    await records().update(RunGroup, group, (each) => ({ ...each, retired_at: 1 }));
  });

  it("passes over runs that are retired", async () => {
    await records().update(RunGroup, worked.group, (doc) => ({ ...doc, retired_at: 1 }));
    expect((await home()).text).toContain("No finding yet.");
    await records().update(RunGroup, worked.group, ({ retired_at: _at, ...doc }) => doc);
    expect((await home()).root.querySelector(".verdict")?.text).toMatch(VERDICT);
  });

  it("counts what waits for a person, each kind with the place where it is settled", async () => {
    const [task] = (await records().list(TaskRecord, { where: { environment: worked.environment } })).items;
    await records().update(TaskRecord, task?.id ?? "", (doc) => ({ ...doc, status: "held" as const, reason: "odd" }));
    const page = await home();
    expect(page.text).toContain("1 held task");
    await records().update(TaskRecord, task?.id ?? "", ({ reason: _reason, ...doc }) => ({
      ...doc,
      status: "certified" as const,
    }));
    expect((await home()).text).not.toContain("held task");
  });

  it("counts checks that lack labels, and leads to each other job that is held", async () => {
    const { app, org, invoke, group } = worked;
    expect((await home()).text).not.toContain("lack");
    const run = (await records().get(RunGroup, group))?.runs[0]?.run ?? "";
    const [row] = (await app.service.store.forOrg(org.id).trials.list(run, { limit: 1 })).items;
    const of = { run, task: row?.task, n: row?.n, check: 0 };
    const item = { id: Object.values(of).join("/"), human: "met", trial: of };
    const set = { name: "labels", criterion: row?.checks[0]?.kind, human: "ann", items: [item] };
    const { id } = (await invoke("calibration_post", set)).body;
    const { jobs } = app.service.store.forOrg(org.id);
    const held = jobRow(org.id, { kind: "ontology_compile", status: "held", note: "No budget is left." });
    await jobs.start(held);
    const page = await home();
    const ways = new Map(
      page.root.querySelectorAll(".columns a").map((each) => [each.text, each.getAttribute("href")]),
    );
    expect(ways.get("1 check that lacks labels")).toBe("/console/calibrations");
    expect(ways.get("compile of an ontology")).toBe(`/console/jobs/${held.id}`);
    expect((await browser.get(`/console/jobs/${held.id}`)).text).toContain("No budget is left.");
    await jobs.update(held.id, { status: "stopped", ended_at: 1 }, { status: "held" });
    await invoke("calibration_patch", { cid: id, retired: { reason: "done" } });
    expect((await home()).text).not.toMatch(/lacks labels|compile of an ontology/);
  });

  it("tells what came to be since the visit before", async () => {
    const own = (await records().list(MemberSession, { where: { member } })).items[0];
    const past = worked.app.service.now() - 86_400;
    await records().update(MemberSession, own?.id ?? "", (doc) => ({ ...doc, seen_at: past }));
    const page = await home();
    expect(page.text).toContain("2 new runs");
    // By name, with what each came to, and what changed of which sandbox.
    const since = page.root.querySelectorAll(".columns section").find((each) => each.text.includes("Since your last"));
    expect(since?.text).toMatch(/desk agent v2, 0 of 4 met[\s\S]*desk agent v1, 4 of 4 met/);
    const opened = since?.querySelectorAll("a").map((each) => each.getAttribute("href")) ?? [];
    expect(opened).toContain(`/console/groups/${worked.main}`);
    for (const href of opened) expect((await browser.get(href ?? "")).status, href).toBe(200);
    expect(page.root.querySelectorAll("h2").map(({ text }) => text)).toContain("Newest runs");
    // It stays so for the whole visit.
    expect((await home()).text).toContain("2 new runs");
    await records().update(MemberSession, own?.id ?? "", (doc) => ({
      ...doc,
      left_at: worked.app.service.now() + 60,
    }));
    expect((await home()).text).toContain("Nothing since");
  });
});

describe("over time", () => {
  // Finding E42, with the waterfall in test/pages/render.test.ts.
  it("shows each figure per landed run of an agent, readable without colour", async () => {
    const page = await browser.get("/console/trends");
    for (const heading of ["Pass rate", "Latency", "Steps", "Tool errors"]) expect(page.text).toContain(heading);
    // The newest against the one before it, first of all and with the way to their comparison.
    expect(page.root.querySelector(".verdict")?.text.replaceAll("\u00a0", " ")).toBe(
      "desk agent v2 met 0 % of 4 valid trials; desk agent v1 before it met 100 % (-100.0 points).",
    );
    expect(page.html).toContain(`/console/compare?a=${worked.main}&amp;b=${worked.group}`);
    const titles = page.root.querySelectorAll("svg title").map((each) => each.text);
    expect(titles.some((title) => /^v1, .*: 100\u00a0%$/.test(title))).toBe(true);
    for (const figure of page.root.querySelectorAll("figure")) {
      // A drawing with links in it is a group of them, one without is a picture.
      const role = figure.querySelector("svg a") === null ? "img" : "group";
      expect(figure.querySelectorAll(`[role=${role}][aria-label]`)).toHaveLength(2);
      expect(figure.querySelectorAll("table tbody tr").length).toBeGreaterThan(0);
    }
  });

  it("shows the runs of a version as one point, and each run where asked", async () => {
    const again = (await runToEnd(worked.invoke, { harness: "null", environment: worked.environment })).group;
    const player = { agent: "ag_desk", name: "desk agent", version: "v2", harness: null };
    await records().update(RunGroup, again, (each) => ({ ...each, player, agent: "ag_desk" }));
    const rows = async (path: string) =>
      (await browser.get(path)).root
        .querySelectorAll("table")
        .find((each) => /^(?:Versions|Runs), newest first/.test(each.querySelector("caption")?.text ?? ""))
        ?.querySelectorAll("tbody tr")
        .map((row) => row.querySelectorAll("td").map((cell) => cell.text)) ?? [];
    const byVersion = await rows("/console/trends");
    expect(byVersion.map(([version]) => version)).toEqual(["v2", "v1"]);
    expect(byVersion[0]?.slice(1, 6)).toEqual(["0\u00a0%", expect.stringMatching(/^0 to \d/), "-100.0", "8", "4"]);
    const page = await browser.get("/console/trends");
    expect(page.text).toContain("8 trials, 4 tasks, 2 runs");
    const change = page.root.querySelectorAll("td a").find((each) => each.text === "-100.0");
    const [, opened] = (change?.getAttribute("href") ?? "").replaceAll("&amp;", "&").split("?");
    expect(opened).toBe(new URLSearchParams({ a: worked.main, b: again }).toString());
    const byRun = await rows("/console/trends?by=run");
    expect(byRun.map(([version]) => version)).toEqual(["v2", "v2", "v1"]);
    await records().update(RunGroup, again, (each) => ({ ...each, retired_at: 1 }));
  });

  it("shows first what has more than one run, though another agent has run once since", async () => {
    const { group } = await runToEnd(worked.invoke, { harness: "reference", environment: worked.environment });
    const player = { agent: "ag_once", name: "agent that ran once", version: "v1", harness: null };
    await records().update(RunGroup, group, (each) => ({ ...each, player, agent: "ag_once" }));
    expect((await browser.get("/console/trends")).text).toContain("Met of valid trials of desk agent");
    await records().update(RunGroup, group, (each) => ({ ...each, retired_at: 1 }));
  });

  it("follows runs on a sample that stays the same, apart from those on all tasks", async () => {
    const { environment, invoke } = worked;
    const { group } = await runToEnd(invoke, { harness: "reference", environment, selection: "ci-2" });
    const player = { agent: "ag_ci", name: "agent in CI", version: "v1", harness: null };
    await records().update(RunGroup, group, (each) => ({ ...each, player, agent: "ag_ci" }));
    const asked = (await browser.get("/console/trends")).root
      .querySelectorAll("option")
      .find((each) => each.text.startsWith("agent in CI"));
    expect(asked?.text).toBe("agent in CI on shop, ci-2 (1)");
    const own = await browser.get(`/console/trends?of=${asked?.getAttribute("value")}`);
    expect(own.text).toContain("2 trials, 2 tasks");
    await records().update(RunGroup, group, (each) => ({ ...each, retired_at: 1 }));
  });

  it("shows first what has a run on all tasks, and says so where the one asked for has none", async () => {
    const { environment, invoke } = worked;
    const { group } = await runToEnd(invoke, { harness: "reference", environment, tasks: ["0"] });
    const player = { agent: "ag_new", name: "newest agent", version: "v1", harness: null };
    await records().update(RunGroup, group, (each) => ({ ...each, player, agent: "ag_new" }));
    expect((await browser.get("/console/trends")).text).toContain("Met of valid trials of desk agent");
    const page = await browser.get("/console/trends");
    const asked = page.root.querySelectorAll("option").find((each) => each.text.startsWith("newest agent"));
    const own = await browser.get(`/console/trends?of=${asked?.getAttribute("value")}`);
    expect(own.text).toMatch(/newest agent on .* has no landed run on all tasks yet/);
  });

  it("answers an unknown agent or system with the newest, and shows nothing of another org", async () => {
    expect((await browser.get("/console/trends?of=%3Cb%3E&system=none")).status).toBe(200);
    const other = await worked.app.org("third");
    const { invoker } = await import("../helpers/app.ts");
    const theirs = await memberIn(worked, invoker(worked.app, "rest", other), "eve");
    const page = await theirs.browser.get("/console/trends");
    expect(page.text).toContain("No agent has a run yet.");
    expect(page.text).not.toContain("desk agent");
  });
});
