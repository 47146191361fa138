import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Invoke, invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { Browser, type BrowserPage } from "../helpers/browser.ts";
import { runToEnd, shopIn } from "../tools/runs/kit.ts";
import { deskTraces } from "../tools/sandboxes/kit.ts";
import { memberIn } from "./kit.ts";

let app: TestApp;
let org: TestOrg;
let invoke: Invoke;
let browser: Browser;
let environment: string;
let right: string;
let nothing: string;
let task: string;
let evidence: string;
beforeAll(async () => {
  app = await startApp();
  org = await app.org();
  invoke = invoker(app, "rest", org);
  ({ environment } = await shopIn(app.service, org.id, 8));
  const run = async (harness: string) => (await runToEnd(invoke, { harness, environment, trials: 2 })).group as string;
  const groups = [await run("reference"), await run("null")];
  const runs = await Promise.all(groups.map(async (gid) => (await invoke("run_group", { gid })).body));
  const written = runs[0].tasks.find(({ family }: { family: string }) => /write/.test(family));
  task = written.task;
  [right, nothing] = runs.map(({ environments }) => environments[0].run);
  evidence = (await invoke("evidence_post", { surface: "desk", content: deskTraces(1) })).body.id;
  ({ browser } = await memberIn({ app }, invoke, "ann"));
});
afterAll(() => app.close());

const links = (page: BrowserPage) =>
  page.root.querySelectorAll("main a").map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"));
const trial = (run: string, n = 1) => `/console/trials/${run}/${task}/${n}`;
const steps = (page: BrowserPage) => page.root.querySelectorAll("ol.timeline > li");

describe("a trial", () => {
  it("tells each step with its JSON, what it changed and what was decided at it", async () => {
    const page = await browser.get(trial(right));
    const wrote = steps(page).find((step) => step.text.includes("changed the world"));
    expect(wrote?.querySelectorAll(".json").length).toBe(2);
    for (const tree of wrote?.querySelectorAll(".json") ?? []) expect(typeof JSON.parse(tree.text)).toBe("object");
    expect(wrote?.querySelectorAll(".changes li").length).toBeGreaterThan(0);
    const decided = page.root.querySelectorAll(".decided").map(({ text }) => text);
    expect(wrote?.querySelector(".decided")?.text).toMatch(/^Check: state met/);
    expect(steps(page).at(-1)?.querySelector(".decided")?.text).toMatch(/^Check: answer /);
    expect(decided.every((text) => /^Check: [\w ]+ met: /.test(text))).toBe(true);
    // The table of checks leads to the same steps.
    const ids = new Set(steps(page).map((step) => `#${step.id}`));
    const named = links(page).filter((href) => href.startsWith("#step-"));
    expect(named.length).toBeGreaterThan(ids.size);
    expect(named.every((href) => ids.has(href))).toBe(true);
  });

  it("is searched without a script: steps that hold every word, under their own numbers", async () => {
    const whole = await browser.get(trial(right));
    const asked = steps(whole)[0]?.querySelector(".said")?.text.split(/\s+/)[0] ?? "";
    const found = await browser.get(`${trial(right)}?q=changed+WORLD`);
    expect(found.text).toMatch(/\d+ of \d+ steps hold “changed WORLD”/);
    expect(steps(found).length).toBeGreaterThan(0);
    expect(steps(found).length).toBeLessThan(steps(whole).length);
    for (const step of steps(found)) {
      expect(step.text).toContain("changed the world");
      expect(whole.root.getElementById(step.id)?.text).toBe(step.text);
    }
    expect(steps(await browser.get(`${trial(right)}?q=${asked}`))[0]?.id).toBe("step-1");
    const none = await browser.get(`${trial(right)}?q=${encodeURIComponent('"><script>')}`);
    expect([none.status, steps(none).length]).toEqual([200, 0]);
    expect(none.root.querySelector("main")?.outerHTML).not.toContain("<script");
  });

  // Finding E31, with the tests beside it.
  it("leads to the trials beside it, to every run of its task, and to what is stored", async () => {
    const page = await browser.get(trial(right));
    const ways = page.root.querySelectorAll("a[rel]").map((each) => each.getAttribute("rel"));
    expect(ways.length).toBeGreaterThan(0);
    for (const href of new Set(links(page).filter((each) => each.startsWith("/console"))))
      expect((await browser.get(href)).status, href).toBe(200);
    const json = await browser.get(`${trial(right)}/json`);
    expect(JSON.parse(json.html)).toMatchObject({ kind: "trial", end: "met", request: expect.any(String) });
    expect(json.headers["content-disposition"]).toContain("attachment");
    expect((await browser.get(`${trial(right, 3)}/json`)).status).toBe(404);
  });
});

describe("two trials side by side", () => {
  const pair = (a: string, b: string) => `/console/pair?${new URLSearchParams({ a, b })}`;

  it("leads through the tasks that flipped, one after another, and back to the comparison", async () => {
    const hrefs = (page: BrowserPage) =>
      Object.fromEntries(
        page.root
          .querySelectorAll(".ways a")
          .map((each) => [each.text, (each.getAttribute("href") ?? "").replaceAll("&amp;", "&")]),
      );
    const first = await browser.get(pair(`${right}/${task}/1`, `${nothing}/${task}/1`));
    const { "The comparison": comparison = "" } = hrefs(first);
    const flipped = (await browser.get(comparison)).root
      .querySelectorAll("section")
      .find((each) => each.querySelector("h2")?.text === "What flipped")
      ?.querySelectorAll("td[data-lead] a")
      .map((each) => (each.getAttribute("href") ?? "").replaceAll("&amp;", "&"));
    expect(flipped?.length).toBeGreaterThan(2);
    const walked = [flipped?.[0] ?? ""];
    for (let next = walked[0]; next !== undefined; next = hrefs(await browser.get(next))["Next one"])
      if (next !== walked.at(-1)) walked.push(next);
    expect(walked).toEqual(flipped);
    const last = await browser.get(walked.at(-1) ?? "");
    expect([hrefs(last)["Previous one"], last.text]).toEqual([
      walked.at(-2),
      expect.stringContaining(`Flipped task ${walked.length} of ${walked.length}`),
    ]);
    const own = hrefs(await browser.get(pair(`${right}/${task}/1`, `${right}/${task}/2`)));
    expect(own).not.toHaveProperty("The comparison");
    expect(own).not.toHaveProperty("Next one");
  });

  it("marks the first difference, and tells what each said and left behind", async () => {
    const page = await browser.get(pair(`${right}/${task}/1`, `${nothing}/${task}/1`));
    expect(page.status).toBe(200);
    expect(page.text).toMatch(
      /reference met\. null failed: it .*They first differ at row 1 of their calls: only reference called\./,
    );
    expect(page.root.querySelectorAll("ol.sides > li.first").length).toBe(1);
    expect(page.root.querySelectorAll(".merged del").length).toBeGreaterThan(0);
    expect(page.text).toContain("as drawn");
    const same = await browser.get(pair(`${right}/${task}/1`, `${right}/${task}/2`));
    // What is alike is told once, and what both changed alike is folded away.
    expect(new Set(same.root.querySelectorAll("ol.sides .arm").map(({ text }) => text))).toEqual(new Set(["both"]));
    // A call of both opens with what it answered.
    const calls = same.root.querySelector("ol.sides")?.querySelectorAll("li") ?? [];
    expect(calls.length).toBeGreaterThan(0);
    for (const each of calls) expect(JSON.parse(each.querySelector("details .json")?.text ?? "")).toBeDefined();
    expect(same.text).not.toContain("the first is marked");
    expect(same.text).toContain("They made the same calls and said the same.");
    expect(same.root.querySelectorAll("li.differs").length).toBe(0);
    expect(same.text).toMatch(/aligned calls, none of them with a difference\./);
  });

  it("are trials of one task of the org, or refused", async () => {
    const other = (await invoke("run_group", { gid: (await invoke("runs_list", {})).body.runs[0].group })).body.tasks;
    const another = other.find((each: { task: string }) => each.task !== task).task;
    expect((await browser.get(pair(`${right}/${task}/1`, `${right}/${another}/1`))).status).toBe(400);
    expect((await browser.get(pair(`${right}/${task}/1`, ""))).status).toBe(400);
    expect((await browser.get(pair(`${right}/${task}/1`, `${right}/${task}/9`))).status).toBe(404);
    const eve = await memberIn({ app }, invoker(app, "rest", await app.org("other")), "eve");
    for (const path of [
      trial(right),
      pair(`${right}/${task}/1`, `${right}/${task}/2`),
      `/console/tasks/${environment}/${task}`,
    ])
      expect((await eve.browser.get(path)).status, path).toBe(404);
  });

  it("are chosen on the task's page, where every run stands with its tries", async () => {
    const page = await browser.get(`/console/tasks/${environment}/${task}`);
    expect(page.root.querySelector(".verdict")?.text).toMatch(
      /^Met in 2 of 4 valid trials: (?:null 0 of 2, reference 2 of 2|reference 2 of 2, null 0 of 2)\.$/,
    );
    // What the task is graded by is one step away, and why a run failed it stands in the run's row.
    const [checks = ""] = links(page).filter((href) => /\/sandboxes\/\w+\/tasks\/\d+$/.test(href));
    expect((await browser.get(checks)).text).toContain("What decides whether it was met.");
    const heads = page.root.querySelectorAll("table thead th").map(({ text }) => text);
    const whys = page.root
      .querySelectorAll("table tbody tr")
      .map((row) => row.querySelectorAll("td")[heads.indexOf("Why")]?.text);
    expect([Boolean(whys[0]), whys[1]]).toEqual([true, ""]);
    const grid = page.root.querySelector("table tbody")?.querySelectorAll("tr") ?? [];
    expect(grid.map((row) => row.querySelectorAll("td a").map(({ text }) => text))).toEqual([
      ["null", "failed", "failed"],
      ["reference", "met", "met"],
    ]);
    const chosen = page.root
      .querySelectorAll("select")
      .map((each) => each.querySelector("option[selected]")?.getAttribute("value"));
    expect(chosen).toEqual([`${right}/${task}/2`, `${nothing}/${task}/1`]);
    expect((await browser.get(pair(chosen[0] ?? "", chosen[1] ?? ""))).status).toBe(200);
    expect((await browser.get(`/console/tasks/${environment}/tk_none`)).status).toBe(404);
  });
});

it("a stored trace opens from its evidence and is read as a trial is", async () => {
  const list = await browser.get(`/console/evidence/${evidence}`);
  const traces = links(list).filter((href) => href.includes("/traces/"));
  expect(traces.length).toBeGreaterThan(1);
  // Its traces are searched where all are, within it.
  expect(list.root.querySelector(`a[href='/console/traces?eid=${evidence}']`)).not.toBeNull();
  expect(list.root.querySelectorAll("dl.facts dt").map(({ text }) => text)).toContain("Not carried over");
  const table = list.root.querySelectorAll("table").find((one) => one.querySelector("td a[href*='/traces/']"));
  const heads = table?.querySelectorAll("thead th").map(({ text }) => text) ?? [];
  const failed = (table?.querySelectorAll("tbody tr") ?? []).map((row) =>
    Number(row.querySelectorAll("td")[heads.indexOf("Errors")]?.text),
  );
  const stored = await app.service.store.forOrg(org.id).traces.at(evidence, [...failed.keys()]);
  expect(failed).toEqual(stored.map(({ trace }) => trace.calls.filter(({ is_error }) => is_error).length));
  expect(Math.max(...failed)).toBeGreaterThan(0);
  const page = await browser.get(traces[0] ?? "");
  expect(page.status).toBe(200);
  expect(steps(page).length).toBeGreaterThan(1);
  expect(page.root.querySelectorAll(".json").length).toBeGreaterThan(0);
  // The keys of the viewer press these two.
  const around = (of: BrowserPage, rel: string) => of.root.querySelector(`a[rel=${rel}]`)?.getAttribute("href");
  expect([around(page, "prev"), around(page, "next")]).toEqual([undefined, traces[1]]);
  expect(around(await browser.get(traces[1] ?? ""), "prev")).toBe(traces[0]);
  expect(steps(await browser.get(`${traces[0]}?q=no-such-word-anywhere`)).length).toBe(0);
  expect(JSON.parse((await browser.get(`${traces[0]}/json`)).html)).toMatchObject({ v: 1 });
  expect((await browser.get(`/console/evidence/${evidence}/traces/tr_none`)).status).toBe(404);
  expect((await browser.get("/console/evidence/ev_none")).status).toBe(404);
  expect((await new Browser(app.url).get(traces[0] ?? "")).status).toBe(401);
});
