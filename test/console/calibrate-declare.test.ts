import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CalibrationSet } from "../../chapters/records/findings/findings.ts";
import { BundleRecord, Surface } from "../../chapters/records/sandboxes/sandboxes.ts";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import type { Browser, BrowserPage } from "../helpers/browser.ts";
import { runToEnd } from "../tools/runs/kit.ts";
import { buildDesk, ended } from "../tools/sandboxes/kit.ts";
import { memberIn } from "./kit.ts";

let app: TestApp;
let org: TestOrg;
let invoke: Invoke;
let ann: Browser;
let surface: string;
let evidence: string;
let group: string;
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  invoke = invoker(app, "rest", org);
  const built = await buildDesk(invoke, "desk", 12);
  evidence = (await invoke("evidence_list", { surface: "desk", kind: "traces" })).body.evidence[0].id;
  surface = (await invoke("surfaces_list")).body.surfaces[0].id;
  group = (await runToEnd(invoke, { harness: "null", environment: built.environments[0].id })).group;
  ({ browser: ann } = await memberIn({ app }, invoke, "ann"));
});
afterAll(() => app.close());

const said = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const verdictOf = (page: BrowserPage) => page.root.querySelector(".verdict")?.text;
const records = () => app.service.store.forOrg(org.id).records;

it("alerts begin with what rules find in the newest traces, each number with a trace that shows it", async () => {
  const page = await ann.get("/console/delivery/alerts");
  const [, failed, of] = /failure in (\d+) of the newest (\d+) traces of desk/.exec(verdictOf(page) ?? "") ?? [];
  const { traces } = (await invoke("evidence_get", { eid: evidence })).body.stats;
  expect(Number(of)).toBe(Math.min(100, traces));
  const rows = page.root.querySelectorAll("tbody tr").map((row) => row.querySelectorAll("td"));
  const counts = rows.map(([, n]) => Number(n?.text));
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  expect(Math.max(...counts)).toBeLessThanOrEqual(Number(failed));
  expect(Number(failed)).toBeGreaterThan(0);
  const href = rows[0]?.[1]?.querySelector("a")?.getAttribute("href") ?? "";
  expect((await ann.get(href)).status).toBe(200);
  // Of what is not known nothing is looked at.
  expect(verdictOf(await ann.get("/console/delivery/alerts?look=none"))).toBe("No traces are judged as they come.");
});

describe("labelling trials for a check", () => {
  const PLACE = "/console/calibrate";
  const check = async () => {
    const page = await ann.get(`${PLACE}?group=${group}`);
    return page.root.querySelector("select[name=check] option")?.getAttribute("value") ?? "";
  };

  it("asks trial after trial without the verdict, and keeps the labels as one calibration set", async () => {
    expect(said(await ann.get(`/console/groups/${group}`))).toContain("Label its trials");
    let page = await ann.get(`${PLACE}?${new URLSearchParams({ group, check: await check() })}`);
    expect(said(page)).toContain("what the check decided is not shown");
    expect(verdictOf(page)).toMatch(/^“.+” has 0 of the 20 labels that it needs\.$/);
    expect(page.root.querySelectorAll("[data-key=m],[data-key=n],[data-key=s]")).toHaveLength(3);
    expect(page.root.querySelectorAll("[data-key=e]")).toHaveLength(0);
    expect(said(page)).toContain("What happened");
    page = await ann.submit(page, PLACE, { verdict: "met", note: "it <b>did</b>, twice" });
    page = await ann.submit(page, PLACE, { verdict: "skip", note: "" });
    expect(said(page)).toContain("Save 1 label");
    expect(verdictOf(page)).toMatch(/has 1 of the 20 labels that it needs, 1 of them not saved yet\.$/);
    const kept = await ann.submit(page, PLACE, { verdict: "save" });
    const name = (await check()).replaceAll("_", " ");
    expect(kept.root.querySelector("h1")?.text).toBe(`Check “${name}” against ann`);
    expect(said(kept)).toMatch(/The check and ann said the same of [01] of 1/);
    // The trial that was labelled opens, whether the check said the same or not.
    expect(kept.root.querySelectorAll("main td a[href^='/console/trials/']")).toHaveLength(1);
    // Agreement and difference stand in one matrix: four counts that sum to the labels.
    const cells = kept.root.querySelectorAll("table.heat tbody td").map(({ text }) => Number(text));
    const [set] = (await records().list(CalibrationSet)).items;
    const judged = set?.items[0]?.judge;
    expect(cells).toEqual(judged === "met" ? [1, 0, 0, 0] : [0, 0, 1, 0]);
    // Each count opens its own trials, and the others stand a link away.
    const opens = kept.root.querySelectorAll("table.heat tbody td a").map((a) => a.getAttribute("href") ?? "");
    expect(opens).toEqual([expect.stringMatching(`^/console/calibrations/${set?.id}\\?judge=${judged}&human=met$`)]);
    const opened = await ann.get(opens[0] ?? "");
    expect(opened.root.querySelectorAll("main td a[href^='/console/trials/']")).toHaveLength(1);
    const other = await ann.get(`/console/calibrations/${set?.id}?judge=${judged}&human=not_met`);
    expect(other.root.querySelectorAll("main td a[href^='/console/trials/']")).toHaveLength(0);
    expect(said(other)).toContain("All trials of this set");
    expect(said(kept)).toMatch(judged === "met" ? /so did the person\s*1 of 1/ : /so did the person\s*0 of 1/);
    // Of one trial kappa says nothing: more are to be labelled, of the same run for the same check.
    expect(said(kept)).toMatch(/Beyond chance \(Cohen's kappa\)\s*label 19 more/);
    // Both verdicts have an F1; one trial says it of its own alone.
    const f1 = (verdict: string) => new RegExp(`F1 of ${verdict}\\s*(\\S+)`).exec(said(kept))?.[1];
    expect([f1("met"), f1("not met")]).toEqual(judged === "met" ? ["1.00", "never"] : ["0.00", "0.00"]);
    const file = `/console/calibrations/${set?.id}/file`;
    expect(kept.root.querySelectorAll("main a").map((a) => a.getAttribute("href"))).toContain(file);
    const [line] = parse((await ann.get(file)).html, { columns: true }) as Record<string, string>[];
    expect(line).toMatchObject({ check: await check(), check_said: judged, person_said: "met", person: "ann" });
    expect(line?.note).toBe("it <b>did</b>, twice");
    expect(line?.request).toBe(kept.root.querySelector("main td a[href^='/console/trials/']")?.text);
    const narrowed = await ann.get(`${file}?judge=${judged}&human=not_met`);
    expect(narrowed.html.trim().split("\n")).toHaveLength(1);
    const list = async () => {
      const page = await ann.get("/console/calibrations");
      const cells = page.root.querySelectorAll("tbody tr td").map((cell) => cell.structuredText.trim());
      return { page, cells };
    };
    const { page: one, cells: first } = await list();
    expect(first.slice(0, 3)).toEqual([name, expect.stringMatching(/^[01] of 1 /), "19 more"]);
    expect(one.root.querySelector(".verdict")?.text).toBe(`0 of 1 check have enough labels; ${name} needs 19 more.`);
    const label = one.root
      .querySelector("tbody form")
      ?.querySelectorAll("input")
      .map((input) => input.getAttribute("value"));
    expect(label).toEqual([group, await check()]);
    // Where labels lack, giving them is the main act; the rule of 20 is told once.
    expect(one.root.querySelector("tbody form button")?.getAttribute("class")).toBeUndefined();
    // Times of day left out: from 20:00 to 20:59 they hold one too.
    expect(
      said(one)
        .replaceAll(/\d{2}:\d{2}/g, "")
        .match(/\b20\b/g),
    ).toHaveLength(1);
    // Each sitting keeps a set of its own, and both are told together.
    const asked = await ann.get(`${PLACE}?${new URLSearchParams({ group, check: await check() })}`);
    await ann.submit(await ann.submit(asked, PLACE, { verdict: "met", note: "" }), PLACE, { verdict: "save" });
    expect((await list()).cells.slice(1, 3)).toEqual([expect.stringMatching(/^[0-2] of 2 /), "18 more"]);
    // Each sitting has its agreement beside its date.
    expect((await list()).page.root.querySelectorAll("tbody li").map(({ text }) => text)).toEqual([
      expect.stringMatching(/: [01] of 1 trial \((?:0|100).*%\)$/),
      expect.stringMatching(judged === "met" ? /: 1 of 1 trial / : /: 0 of 1 trial /),
    ]);
    const second = (await records().list(CalibrationSet)).items[0];
    await invoke("calibration_patch", { cid: second?.id, retired: { reason: "a second one" } });
    const { tasks } = (await invoke("run_group", { gid: group })).body;
    const named = kept.root.querySelector("main td a[href^='/console/trials/']")?.text;
    expect(tasks.map((each: { request: string }) => each.request)).toContain(named);
    expect(set).toMatchObject({ criterion: await check(), human: "ann" });
    expect(set?.items).toMatchObject([{ human: "met", note: "it <b>did</b>, twice" }]);
    expect(said(await ann.get("/console/calibrations"))).toContain("ann");
    // What a set holds is not asked again.
    const again = await ann.get(`${PLACE}?${new URLSearchParams({ group, check: await check() })}`);
    expect(again.html).not.toContain(`value="${set?.items[0]?.id}"`);
  });

  it("says in a word how much of the agreement is beyond chance", async () => {
    const [one] = (await records().list(CalibrationSet)).items;
    if (one?.items[0] === undefined) throw new Error("no set was kept");
    const item = one.items[0];
    const id = app.service.id(CalibrationSet.prefix);
    // Of 24 trials 11 are met and 9 not met by both: kappa is 0.66, and 2 * 11 / (2 * 11 + 4) is 0.85.
    const verdicts = Array.from({ length: 24 }, (_, i) =>
      i < 11 ? ["met", "met"] : i < 20 ? ["not_met", "not_met"] : i < 22 ? ["met", "not_met"] : ["not_met", "met"],
    ) as ["met" | "not_met", "met" | "not_met"][];
    const items = verdicts.map(([judge, human], i) => ({ ...item, id: `${item.id}/${i}`, judge, human }));
    await records().insert(CalibrationSet, { ...one, id, criterion: "another", items });
    const page = said(await ann.get(`/console/calibrations/${id}`));
    expect(page).toMatch(/Beyond chance \(Cohen's kappa\)\s*0\.66, substantial/);
    expect(page).toMatch(/F1 of met\s*0\.85/);
    expect(page).toMatch(/F1 of not met\s*0\.82/);
    await records().delete(CalibrationSet, id);
  });

  it("refuses labels of no trial, an empty set, and another org's runs", async () => {
    const page = await ann.get(`${PLACE}?${new URLSearchParams({ group, check: await check() })}`);
    expect((await ann.submit(page, PLACE, { verdict: "save" })).status).toBe(400);
    expect((await ann.submit(page, PLACE, { verdict: "save", said: "no/such/x/y met " })).status).toBe(400);
    expect((await ann.submit(page, PLACE, { verdict: "save", said: "run_0/task/1/0 met " })).status).toBe(400);
    const eve = (await memberIn({ app }, invoker(app, "rest", await app.org("other")), "eve")).browser;
    expect((await eve.get(`${PLACE}?group=${group}`)).status).toBe(404);
    expect(said(await eve.get("/console/calibrations"))).toContain("Nobody has labelled a trial yet");
    expect((await records().list(CalibrationSet)).items).toHaveLength(2);
  });
});

describe("making tasks like a trace", () => {
  it("starts a job for the system that the trace was compiled into", async () => {
    const id = (await ann.get(`/console/evidence/${evidence}`)).root
      .querySelectorAll("main td a")
      .map((each) => each.getAttribute("href") ?? "")
      .find((href) => href.includes("/traces/"));
    const page = await ann.get(id ?? "");
    const job = await ann.submit(page, `${id}/tasks`, { surface, tasks: "1" });
    expect(said(job)).toMatch(/Background job: build of sandboxes[\s\S]*Asked for by ann, /);
    const { jobs } = (await invoke("jobs_list")).body;
    const started = jobs.find(({ kind }: { kind: string }) => kind.startsWith("generate"));
    expect((await ended(invoke, started.id)).status).toBe("landed");
    expect((await ann.submit(page, `${id}/tasks`, { surface, tasks: "x" })).status).toBe(400);
    expect((await ann.submit(page, `${id}/tasks`, { surface: "sf_none", tasks: "1" })).status).toBe(404);
  });
});

describe("saying how a tool behaves", () => {
  const place = () => `/console/surfaces/${surface}/tools/get_order/declare`;
  const served = async () => (await records().get(Surface, surface))?.bundle;

  it("shows what it would change and changes nothing, then serves it, and takes it back", async () => {
    const before = await served();
    const page = await ann.get(place());
    expect(page.status).toBe(200);
    // What it does now is told in sentences, a step each, and stands in the form a step a line.
    const steps = page.root.querySelectorAll("main ol li");
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) expect(step.querySelector("p")?.text).toMatch(/^[A-Z].*\.$/);
    const written = page.root.querySelector("textarea[name=behaviour]")?.textContent ?? "";
    expect(page.root.querySelector(".verdict")?.text).toMatch(/^Answers \d+ of \d+ kept-aside calls? as observed/);
    expect(page.root.querySelector('a.button[href="#change"]')?.text).toBe("Change it");
    // Each sentence stands with its own line of code, folded.
    expect(steps.every((step) => step.querySelector("details:not([open]) pre") !== null)).toBe(true);
    const code = steps.map((step) => step.querySelector("pre")?.textContent);
    expect(code.join(";\n")).toBe(written);
    expect(page.root.querySelector("details #change textarea.code")).not.toBeNull();
    const same = await ann.submit(page, `${place()}/try`, { behaviour: written });
    expect(said(same)).toContain("it answers 0 calls otherwise than now");
    const tried = await ann.submit(page, `${place()}/try`, { behaviour: 'answer error("Closed")' });
    expect(said(tried)).toMatch(/Declared so it answers \d+ of [1-9]\d* recorded calls as observed/);
    expect(said(tried)).toMatch(/in \d+ sessions? replayed whole/);
    // Each changed call with what it was asked, what was observed, and both answers.
    expect(said(tried)).toMatch(/it answers [1-9]\d* calls? otherwise than now/);
    const [counts, told] = tried.root.querySelectorAll("main table");
    const column = (n: number) =>
      (counts?.querySelectorAll("tbody tr") ?? []).map((row) => Number(row.querySelectorAll("td")[n]?.text));
    const sums = [1, 2].map((n) => column(n).reduce((sum, each) => sum + each, 0));
    expect(sums[0]).toBeGreaterThan(0);
    expect(sums[1]).toBe(sums[0]);
    const cells =
      told
        ?.querySelector("tbody tr")
        ?.querySelectorAll("td")
        .map(({ text }) => text) ?? [];
    expect(cells).toEqual([
      expect.stringContaining("order_id"),
      expect.anything(),
      expect.anything(),
      expect.stringMatching(/^a wrong refusal\s+Closed$/),
    ]);
    expect(await served()).toBe(before);
    const done = await ann.submit(tried, place(), { reason: "orders are closed" });
    expect(done.status, said(done)).toBe(200);
    const after = await served();
    expect(after).not.toBe(before);
    expect(await records().get(BundleRecord, after ?? "")).toMatchObject({
      declared: { tools_redeclared: ["get_order"] },
    });
    const declared = await ann.get(place());
    expect(said(declared)).toContain("A person has said how it behaves");
    // The system's page leads back here though the declared version is not measured.
    const system = await ann.get(`/console/surfaces/${surface}/fidelity`);
    expect(said(system)).toContain("Not measured: a person has said how it behaves");
    const links = system.root.querySelectorAll("td a").map((each) => each.getAttribute("href"));
    expect(links).toContain(place().replace("/declare", ""));
    const tool = await ann.get(place().replace("/declare", ""));
    expect([tool.status, tool.html.includes(place())]).toEqual([200, true]);
    await ann.submit(declared, `${place()}/undo`, {});
    expect(await served()).toBe(before);
  });

  it("gives examples on the system's own tables, each of which can be tried", async () => {
    const page = await ann.get(place());
    const examples = page.root.querySelectorAll("#change details li");
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) {
      const behaviour = example.querySelector("pre")?.textContent ?? "";
      const begun = await ann.get((example.querySelector("a")?.getAttribute("href") ?? "").replace("#change", ""));
      expect(begun.root.querySelector("textarea[name=behaviour]")?.textContent).toBe(behaviour);
      const tried = await ann.submit(begun, `${place()}/try`, { behaviour });
      expect(tried.root.querySelector("[role=alert]"), said(tried)).toBeNull();
      expect(said(tried), behaviour).toMatch(/Declared so it answers \d+ of [1-9]\d* recorded calls/);
    }
    const none = await ann.get(`${place()}?example=99`);
    expect(none.root.querySelector("textarea[name=behaviour]")?.textContent).not.toBe("");
  });

  it("names each wrong word, and knows no other tool", async () => {
    const page = await ann.get(place());
    const wrong = await ann.submit(page, `${place()}/try`, { behaviour: "reed orders by order_id" });
    expect(wrong.root.querySelector("[role=alert]")?.text).toContain("expected");
    // What was typed stays to be mended, and cannot be declared.
    expect(wrong.root.querySelector("textarea[name=behaviour]")?.textContent).toBe("reed orders by order_id");
    expect(wrong.html).not.toContain(`action="${place()}"`);
    expect((await ann.get(`/console/surfaces/${surface}/tools/none/declare`)).status).toBe(404);
  });
});
