import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ModelCall } from "../../../chapters/records/models/models.ts";
import { Run, RunGroup } from "../../../chapters/records/runs/runs.ts";
import type { Browser, BrowserPage } from "../../helpers/browser.ts";
import { type FakeProvider, startProvider } from "../../helpers/vendors/models.ts";
import { asVersions, memberIn, type Worked, workedIn } from "../kit.ts";

const DAY = 86_400;

let worked: Worked;
let provider: FakeProvider;
let browser: Browser;
beforeAll(async () => {
  provider = await startProvider();
  worked = await workedIn(provider.config);
  await asVersions(worked);
  ({ browser } = await memberIn(worked, worked.invoke, "ann", "admin"));
});
afterAll(async () => {
  await worked.close();
  await provider.close();
});

const told = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";
const dayOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 10);

/** A landed run of an agent, so many days ago, whose trials cost so much each. */
async function played(ago: number, usd: number): Promise<string> {
  const { app, org, main } = worked;
  const { records, trials } = app.service.store.forOrg(org.id);
  const group = await records.get(RunGroup, main);
  const run = await records.get(Run, group?.runs[0]?.run ?? "");
  if (!group || !run) throw new Error("the reference's run is gone");
  const [id, own] = [app.service.id(RunGroup.prefix), app.service.id(Run.prefix)];
  const player = { agent: "ag_dear", name: "dear", version: "v1", harness: null };
  const at = app.service.now() - ago * DAY;
  const runs = group.runs.map((each) => ({ ...each, run: own }));
  await records.insert(RunGroup, { ...group, id, created_at: at, player, agent: "ag_dear", runs });
  const imported = { at, format: "bundle" as const, run_id: own };
  await records.insert(Run, { ...run, id: own, group: id, player, created_at: at, finished_at: at, imported });
  for (const row of (await trials.list(run.id, { limit: 500 })).items) await trials.insert({ ...row, run: own, usd });
  return id;
}

async function asked(model: string, ago: number, usd: number): Promise<void> {
  const { app, org } = worked;
  const { records } = app.service.store.forOrg(org.id);
  await records.insert(ModelCall, {
    id: app.service.id(ModelCall.prefix),
    created_at: app.service.now() - ago * DAY,
    by: "ann",
    pass: "x",
    prompt_version: "x-1",
    model,
    job: null,
    input_digest: "d",
    output_digest: null,
    tokens: { input: 10, output: 5 },
    tokens_source: "provider",
    micro_usd: usd * 1_000_000,
    outcome: "answered",
  });
}

it("points of a chart lead to their runs, in the drawing as in its table", async () => {
  const page = await browser.get("/console/trends");
  const drawn = page.root.querySelectorAll("svg a");
  expect(drawn.length).toBeGreaterThan(1);
  const to = (each: (typeof drawn)[number]) => each.getAttribute("href");
  expect(new Set(drawn.map(to))).toEqual(
    new Set([`/console/groups/${worked.main}`, `/console/groups/${worked.group}`]),
  );
  for (const each of drawn) expect(each.getAttribute("aria-label")).toMatch(/^v[12], \d{4}-\d{2}-\d{2} \d{2}:\d{2}: /);
  // A picture has no links in it: what holds them is no picture.
  for (const each of drawn) expect(each.closest("[role=img], [aria-hidden]")).toBeNull();
});

it("spend is told day by day, of each model and each agent, as a line and as a file", async () => {
  await asked("openai-compatible/small", 3, 0.25);
  await asked("openai-compatible/small", 3, 0.5);
  await asked("openai-compatible/small", 1, 1);
  await asked("anthropic/large", 2, 4);
  const [older, newer] = [await played(5, 0.1), await played(2, 0.2)];
  const page = await browser.get("/console/trends");
  const models = page.root.querySelectorAll("table").find((each) => each.querySelector("th")?.text === "Model");
  expect(models?.querySelectorAll("td[data-of='In / out a million']").map(({ text }) => text)).toEqual([
    "$2.00 / $20.00",
    "$1.00 / $10.00",
  ]);
  const named = page.root.querySelectorAll("section h3").map(({ text }) => text);
  expect(named).toEqual(
    expect.arrayContaining(["openai-compatible/small, day by day", "anthropic/large, day by day", "dear, day by day"]),
  );
  const section = (name: string) =>
    page.root.querySelectorAll("section").find((each) => each.querySelector("h3")?.text === `${name}, day by day`);
  const rows = (name: string) =>
    section(name)
      ?.querySelectorAll("tbody tr")
      .map((row) => row.querySelectorAll("td").map(({ text }) => text));
  // A day on which nothing was spent is a point at nothing.
  const now = worked.app.service.now();
  expect(rows("openai-compatible/small")?.map((row) => row.slice(0, 2))).toEqual([
    [dayOf(now - 3 * DAY), "$0.75"],
    [dayOf(now - 2 * DAY), "$0"],
    [dayOf(now - DAY), "$1.00"],
    [dayOf(now), "$0"],
  ]);
  const links = section("dear")
    ?.querySelectorAll("svg a")
    .map((each) => each.getAttribute("href"));
  expect(new Set(links)).toEqual(new Set([`/console/groups/${older}`, `/console/groups/${newer}`]));
  const file = page.root.querySelector('a[href*="/trends/spend/file"]')?.getAttribute("href") ?? "";
  const lines: Record<string, string>[] = parse((await browser.get(file)).html, { columns: true });
  expect(lines).toEqual(
    expect.arrayContaining([
      { of: "model", name: "openai-compatible/small", day: dayOf(now - 3 * DAY), usd: "0.75", newest_run: "" },
      { of: "agent", name: "dear", day: dayOf(now - 2 * DAY), usd: "0.8", newest_run: newer },
    ]),
  );
  expect(lines.filter(({ name }) => name === "anthropic/large")).toHaveLength(1);
  // A choice of days is kept in the file.
  const week = await browser.get("/console/trends?days=7");
  expect(week.root.querySelector('a[href*="/trends/spend/file"]')?.getAttribute("href")).toContain("days=7");
});

it("near the day's budget home, spend and the start of a run warn, and before that they do not", async () => {
  const { app, org, invoke, environment } = worked;
  const command = [process.execPath, "-e", "0"];
  const { agent } = (await invoke("agents_post", { kind: "command", name: "own", command })).body;
  const start = `/console/start?${new URLSearchParams({ player: `agent:${agent.id}`, environment })}`;
  const pages = async () => {
    const all = [];
    for (const path of ["/console", "/console/spend", start]) all.push(told(await browser.get(path)));
    return all;
  };
  const { ledger } = app.service.store.forOrg(org.id);
  const spent = { kind: "react", who: "ann", job: null, note: "" };
  await ledger.append({ id: app.service.id("lg"), at: app.service.now(), ...spent, micro_usd: 790_000 });
  await invoke("budget_put", { usd_per_day: 1 });
  const warned = /\d+ % of (?:it|today's budget)/;
  expect((await pages()).map((text) => warned.test(text))).toEqual([false, false, false]);
  await ledger.append({ id: app.service.id("lg"), at: app.service.now(), ...spent, micro_usd: 30_000 });
  const near = await pages();
  expect(near[0]).toContain("$0.82 of today's $1.00 spent, 82 % of it");
  expect(near[1]).toContain("82 % of it: with $0.18 left, work that asks models may soon wait");
  expect(near[2]).toContain("82 % of today's budget is spent");
  const page = await browser.get("/console/spend");
  expect(page.root.querySelector(".verdict.is-warn")).not.toBeNull();
});
