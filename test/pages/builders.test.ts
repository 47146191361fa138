import { afterAll, beforeAll, expect, it } from "vitest";
import type { Ctx } from "../../chapters/context.ts";
import { comparePage } from "../../chapters/findings/pages/compare.ts";
import { coveragePage } from "../../chapters/findings/pages/coverage.ts";
import { fidelityPage } from "../../chapters/findings/pages/fidelity.ts";
import { groupPage } from "../../chapters/findings/pages/group.ts";
import { homePage } from "../../chapters/findings/pages/home.ts";
import { ontologyPage } from "../../chapters/findings/pages/ontology.ts";
import { packetPage } from "../../chapters/findings/pages/packet.ts";
import { PageDoc, type PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { providerPage } from "../../chapters/findings/pages/provider.ts";
import { spendPage } from "../../chapters/findings/pages/spend.ts";
import { trialPage } from "../../chapters/findings/pages/trial.ts";
import { seconds } from "../../chapters/findings/pages/words.ts";
import { wrongSides } from "../../chapters/findings/viewer/tool.ts";
import { putBudget } from "../../chapters/organization/budget.ts";
import { RunGroup } from "../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import { type Invoke, invoker, startApp, type TestApp } from "../helpers/app.ts";
import { ctxOf } from "../helpers/ctx.ts";
import { runToEnd, type ShopOrg, shopIn } from "../tools/runs/kit.ts";

let app: TestApp;
let invoke: Invoke;
let ctx: Ctx;
let shop: ShopOrg;
let right: string;
let nothing: string;

const reader = async (tag: string) => ctxOf(app.service, await app.org(tag), { scope: "read" });

beforeAll(async () => {
  app = await startApp();
  const org = await app.org();
  invoke = invoker(app, "rest", org);
  ctx = await reader("acme");
  shop = await shopIn(app.service, org.id, 8);
  right = (await runToEnd(invoke, { harness: "reference", environment: shop.environment })).group;
  nothing = (await runToEnd(invoke, { harness: "null", environment: shop.environment })).group;
});
afterAll(() => app.close());

function section<S extends PageSection["show"]>(doc: Pick<PageDoc, "sections">, show: S, heading?: string) {
  const found = doc.sections.find((each) => each.show === show && (heading === undefined || each.heading === heading));
  if (!found) throw new Error(`no ${show} ${heading ?? ""}`);
  return found as Extract<PageSection, { show: S }>;
}

it("a run group: the rate first, then tasks with a link to the trial that failed", async () => {
  const doc = PageDoc.parse(await groupPage(ctx, nothing));
  const { tasks, environments } = (await invoke("run_group", { gid: nothing })).body;
  expect(doc.verdict).toMatchObject({ tone: "bad", tier: "deterministic" });
  expect(doc.verdict?.text).toBe(`null met 0 of ${tasks.length} valid trials (0.0\u00a0%).`);
  expect(section(doc, "rates").rows).toMatchObject([{ rate: 0, low: 0, n: tasks.length }]);
  const { rows, of } = section(doc, "table", "Tasks");
  expect(of).toBe(tasks.length);
  const [first] = rows[0] as { link: { page: string; id: string } }[];
  expect(first?.link).toEqual({ page: "trial", id: `${environments[0].run}/${tasks[0].task}/1` });
  const shares = section(doc, "shares").rows.reduce((sum, row) => sum + (row.counts[1] ?? 0), 0);
  expect(shares).toBe(tasks.length);
  // Finding E29: no range from a figure to itself where every trial is valid.
  expect(section(doc, "facts").facts.map(({ name }) => name)).not.toContain("Rate if all of those failed, or were met");
  const link = { page: "trials", id: nothing, against: "end=failed" };
  expect(section(doc, "table", "How trials ended").rows).toEqual([
    [{ text: "failed", link }, "checks", { text: String(tasks.length), link }],
  ]);
});

it("a comparison: the verdict, what flipped with its causes, and the smallest difference", async () => {
  const doc = PageDoc.parse(await comparePage(ctx, right, nothing));
  expect(doc.verdict).toMatchObject({ tone: "bad" });
  expect(doc.verdict?.text).toMatch(/ is worse: it met 0 of .*\(100\.0 points/);
  const flips = section(doc, "table", "What flipped");
  expect(flips.rows).toHaveLength(shop.tasks.length);
  // Of one try a task the tables say all: nothing is plotted.
  expect(doc.sections.some(({ show }) => show === "pairs")).toBe(false);
  const causes = section(doc, "table", "Root causes of the new failures of null").rows.map(([cause]) => cause);
  const link = { page: "trials", id: nothing, against: "cause=stopped_early" };
  expect(causes).toContainEqual({ text: "stopped early", link });
  const facts = section(doc, "facts").facts.map(({ name }) => name);
  expect(facts).toContain("Smallest difference that could show");
  expect((await comparePage(ctx, nothing, right)).verdict).toMatchObject({ tone: "good" });
  expect((await comparePage(ctx, right, right)).verdict).toMatchObject({ tone: "plain" });
});

it("a trial: its end, each check with its reason, each call with its answer's class, and the world's changes", async () => {
  const { tasks, environments } = (await invoke("run_group", { gid: right })).body;
  const { run } = environments[0];
  const writes = tasks.find(({ family }: { family: string }) => /write/.test(family));
  const doc = PageDoc.parse(await trialPage(ctx, `${run}/${writes.task}/1`));
  expect(doc.verdict).toMatchObject({ text: "met", tone: "good" });
  const { steps } = section(doc, "timeline");
  expect(steps[0]).toMatchObject({ who: "user", title: writes.request });
  expect(steps.some(({ badge }) => badge?.includes("changed the world"))).toBe(true);
  // A change is told once, at its step, with the way there.
  const at = steps.filter(({ changes = [] }) => changes.length > 0).map(({ n }) => `step-${n}`);
  const told = doc.sections.filter(({ heading }) => heading === "Changes to the world");
  expect(told).toMatchObject([
    { show: "table", rows: at.map((place) => [expect.any(String), { place }, expect.any(String)]) },
  ]);
  expect(at.length).toBeGreaterThan(0);
  const checks = section(doc, "table", "Checks").rows;
  expect(checks.length).toBeGreaterThan(0);
  expect(checks.every(([, verdict]) => (verdict as { text: string }).text === "met")).toBe(true);
  await expect(trialPage(ctx, `${run}/${writes.task}/x`)).rejects.toMatchObject({ code: "bad_request" });
  await expect(trialPage(ctx, `${run}/${writes.task}/7`)).rejects.toMatchObject({ code: "not_found" });
});

it("a sandbox: what is certified, and every task with how it stands", async () => {
  const doc = PageDoc.parse(await packetPage(ctx, shop.environment));
  expect(doc.verdict?.text).toBe(`${shop.tasks.length} of ${shop.tasks.length} tasks are certified.`);
  expect(section(doc, "table", "Tasks").rows).toHaveLength(shop.tasks.length);
});

it("a sandbox: the wrong trials that it names are those of the tasks that it names", async () => {
  const org = await app.org("packet");
  const { records } = app.service.store.forOrg(org.id);
  const kept = await shopIn(app.service, org.id, 8);
  const [first, second, third] = (await records.list(TaskRecord, { where: { environment: kept.environment } })).items;
  const health = { mutants: 10, rejected: 10, equals: 2, spared: 2 };
  await records.put(TaskRecord, { ...first!, health });
  await records.put(TaskRecord, { ...second!, health, status: "held", reason: "A wrong trial passed." });
  await records.put(TaskRecord, { ...third!, status: "refused" });
  const { verdict, sections } = await packetPage(ctxOf(app.service, org, { scope: "read" }), kept.environment);
  expect(verdict?.text).toBe(
    "6 of 8 tasks are certified; their checks reject 10 of 10 wrong trials and spare 2 of 2 equal ones; 1 held, 1 refused.",
  );
  // What is held says why in its row, and leads to why.
  const told = section({ sections }, "table", "Tasks").rows.map((row) => row[3]);
  expect(told.filter((why) => why !== "")).toEqual(["A wrong trial passed."]);
  expect(verdict?.tone).toBe("plain");
  expect(section({ sections }, "facts").facts.at(-1)?.value).toEqual({ text: "1: why", place: "reasons" });
});

it("coverage: a job that a person marked and no task covers is a gap, first and in the map", async () => {
  // What traces call and no task needs is said without anybody marking anything.
  const { untested_tools: untested } = (await invoke("coverage_matrix")).body;
  expect(untested.length).toBeGreaterThan(0);
  const needed =
    untested.length === 1
      ? "1 tool that traces call is in no task."
      : `${untested.length} tools that traces call are in no task.`;
  const unmarked = PageDoc.parse(await coveragePage(ctx));
  expect(unmarked.verdict).toMatchObject({ tone: "warn", text: expect.stringContaining(needed) });
  expect(section(unmarked, "table", "Tools that no task needs").rows).toEqual(
    untested.map(({ tool, calls }: { tool: string; calls: number }) => [
      { text: tool, link: { page: "traces", id: tool } },
      calls,
    ]),
  );
  const personas = [{ value: "auditor", jobs: ["audit the till"] }];
  expect((await invoke("dimensions_personas_post", { surface: "shop", personas })).status).toBe(201);
  const doc = PageDoc.parse(await coveragePage(ctx));
  expect(doc.verdict).toMatchObject({ tone: "warn" });
  expect(section(doc, "table", "Gaps").rows).toEqual([
    [
      "auditor",
      "audit the till",
      { text: "Write tasks", link: { page: "cell", id: "auditor", against: "audit the till" } },
    ],
  ]);
  const heat = section(doc, "heat");
  // The headline tells what is covered beside what is not.
  const covered = heat.cells.filter(({ n }) => n > 0).length;
  expect(doc.verdict?.text).toBe(`${covered} of ${covered + 1} cells hold certified tasks; 1 gap. ${needed}`);
  expect(heat.cells.filter(({ gap }) => gap)).toMatchObject([{ n: 0 }]);
  expect(heat.cells.reduce((sum, { n }) => sum + n, 0)).toBe(shop.tasks.length);
});

it("a generated id is no difference between what was observed and what was answered", () => {
  const observed = { args: {}, answer_class: "data", evidence: "ev_1", trace: "t1" };
  const [row] = wrongSides(
    "cancel_order",
    [
      {
        verdict: "wrong_success",
        answered: { refund_id: "RF-2", kind: "exchange" },
        observed: { ...observed, answer: { refund_id: "RF-1", kind: "cancellation" } },
      },
    ],
    ["refund_id"],
  ).rows;
  expect(row?.differences.map(({ path }) => path)).toEqual(["kind"]);
});

it("what was not measured is said to be so: fidelity, spend, and the org's finding", async () => {
  expect((await fidelityPage(ctx, "shop")).verdict?.text).toMatch(/^Not measured/);
  const spend = PageDoc.parse(await spendPage(ctx));
  expect(spend.verdict?.text).toMatch(/^\$0\.00 of today's \$/);
  expect(spend.sections.some(({ show }) => show === "days")).toBe(false);
  const home = PageDoc.parse((await homePage(ctx)).doc);
  expect(home.verdict).toMatchObject({ text: "No finding yet.", tone: "plain" });
  expect(section(home, "table", "Newest runs").rows).toHaveLength(2);
});

// Finding E37.
it("spend: a bar a day with its numbers, from the first day that something was spent on", async () => {
  const org = await app.org("spender");
  const of = await ctxOf(app.service, org, { scope: "read" });
  const spent = { job: null, kind: "statements", who: "ann", micro_usd: 250_000, note: "" };
  const { ledger } = app.service.store.forOrg(org.id);
  for (const [id, ago] of Object.entries({ le_1: 2, le_2: 0 }))
    await ledger.append({ ...spent, id, at: app.service.now() - ago * 86_400 });
  const { days, unit } = section(PageDoc.parse(await spendPage(of)), "days");
  expect([unit, days.map(({ value }) => value)]).toEqual(["US dollars", [0.25, 0, 0.25]]);
  // Over the budget it is said why, and the budget is a line across the days.
  const operator = ctxOf(app.service, org);
  await putBudget(operator, { usd_per_day: 0.1, by: "ann" });
  const over = PageDoc.parse(await spendPage(of));
  expect(over.verdict?.text).toBe("$0.25 spent today, $0.15 over the budget of $0.10.");
  expect(over.verdict?.how).toMatch(/\$0\.25 had been spent already when ann set it today at \d\d:\d\d UTC/);
  expect(section(over, "days").limit).toEqual({ name: "today's budget: $0.10", value: 0.1 });
  // What a run spent leads to the run, by who played it.
  const [run] = (await invoke("run_group", { gid: right })).body.environments;
  const own = app.service.store.forOrg(ctx.org.id);
  await own.ledger.append({ ...spent, id: "le_3", job: run.run, kind: "run", at: app.service.now() });
  const { rows } = section(PageDoc.parse(await spendPage(ctx)), "table", "By job");
  // Each row names who played, or why nobody is named.
  expect(rows.every(([, , of]) => of !== "")).toBe(true);
  expect(rows[0]?.slice(0, 3)).toEqual([
    "run on one sandbox",
    "$0.25",
    { text: "reference", link: { page: "group", id: right } },
  ]);
  // Another job leads to its own page where one is kept.
  const [{ id: job }] = (await invoke("jobs_list")).body.jobs;
  await own.ledger.append({ ...spent, id: "le_4", job, kind: "answer_words", at: app.service.now() });
  await own.ledger.append({ ...spent, id: "le_5", job: "jb_gone", at: app.service.now() });
  const jobs = section(PageDoc.parse(await spendPage(ctx)), "table", "By job").rows.map(([what]) => what);
  expect(jobs).toContainEqual({ text: "answer words", link: { page: "job", id: job } });
  expect(jobs).toContain("statements");
  // A run that was retired says when, and stays a link.
  await own.records.update(RunGroup, right, (doc) => ({ ...doc, retired_at: 1_700_000_000 }));
  const [retired] = section(PageDoc.parse(await spendPage(ctx)), "table", "By job").rows.filter(
    ([what]) => what === "run on one sandbox",
  );
  await own.records.update(RunGroup, right, ({ retired_at: _at, ...doc }) => doc);
  const text = "reference, retired 2023-11-14 22:13";
  expect(retired?.[2]).toEqual({ text, link: { page: "group", id: right } });
});

it("a time is told in what it can be read in", () => {
  expect([0.0021, 48, 2_650, 130_000].map(seconds)).toEqual(["under 1 ms", "48 ms", "2.6 s", "2.17 min"]);
});

it("what is not there, or another org's, is the same 404 on every page", async () => {
  const other = await reader("other");
  const asked = [
    (of: typeof ctx, id: string) => groupPage(of, id),
    (of: typeof ctx, id: string) => comparePage(of, id, id),
    (of: typeof ctx, id: string) => trialPage(of, `${id}/t/1`),
    (of: typeof ctx, id: string) => packetPage(of, id),
    (of: typeof ctx, id: string) => providerPage(of, id),
    (of: typeof ctx, id: string) => ontologyPage(of, id),
    (of: typeof ctx, id: string) => fidelityPage(of, id),
  ];
  const told = (page: Promise<PageDoc>) =>
    page.then(
      () => "a page",
      ({ code, reason }: { code: string; reason: string }) => `${code} ${reason}`,
    );
  for (const of of asked)
    for (const id of [right, shop.environment]) {
      const theirs = await told(of(other, id));
      expect(theirs).toMatch(/^not_found/);
      expect(theirs).toBe(await told(of(other, "none")));
    }
});

it("a comparison of several tries: a task that came out in between is plotted", async () => {
  const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment, trials: 2 });
  const [{ run }] = (await invoke("run_group", { gid: group })).body.environments;
  const { trials } = app.service.store.forOrg(ctx.org.id);
  const [first] = (await trials.list(run, { limit: 100 })).items;
  if (first === undefined) throw new Error("nothing was played");
  await trials.insert({ ...first, attempt: first.attempt + 1, end: "failed" });
  const rates = section(await comparePage(ctx, group, nothing), "pairs").tasks.map(({ before, after }) => [
    before,
    after,
  ]);
  expect(rates.toSorted().at(0)).toEqual([0.5, 0]);
  expect(rates).toHaveLength(shop.tasks.length);
});

it("a comparison in which nothing changed: what both failed first, and no plot of no change", async () => {
  const { group } = await runToEnd(invoke, { harness: "reference", environment: shop.environment });
  const [{ run }] = (await invoke("run_group", { gid: group })).body.environments;
  const { trials } = app.service.store.forOrg(ctx.org.id);
  const last = (await trials.list(run, { limit: 100 })).items.at(-1)!;
  await trials.insert({ ...last, attempt: last.attempt + 1, end: "failed" });
  const doc = PageDoc.parse(await comparePage(ctx, group, group));
  expect(doc.sections.some(({ show }) => show === "pairs")).toBe(false);
  const { rows } = section(doc, "table", "Missed, and not flipped");
  const met = rows.map(([, a, b]) => [a, b].map((cell) => (cell as { text: string }).text));
  expect(met).toEqual([["0 of 1", "0 of 1"]]);
  // What both met is folded: it decides nothing.
  const folded = doc.sections.filter((each) => each.show === "table" && each.place === "met");
  expect(folded.flatMap((each) => (each.show === "table" ? each.rows : [])).length).toBeGreaterThan(0);
  expect(section(doc, "facts").facts[1]).toMatchObject({ name: "Confidence", value: "not decided" });
  // What both failed for is said once, in words.
  const both = section(await comparePage(ctx, nothing, nothing), "table", "Missed, and not flipped").rows.map((row) =>
    row.at(-1),
  );
  const link = { page: "trials", id: nothing, against: "cause=stopped_early" };
  for (const cause of both) expect(cause).toEqual({ text: "both: stopped early", link });
  expect(both.length).toBeGreaterThan(0);
});
