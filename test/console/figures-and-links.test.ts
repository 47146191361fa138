import { afterAll, beforeAll, expect, it } from "vitest";
import { DimensionValue } from "../../chapters/records/ontology/dimension.ts";
import { Run, RunGroup } from "../../chapters/records/runs/runs.ts";
import { confidenceClause } from "../../chapters/statistics/bands.ts";
import { confidenceText } from "../../src/evaluate/report.ts";
import type { Browser, BrowserPage } from "../helpers/browser.ts";
import { hrefs, memberIn, type Worked, workedIn } from "./kit.ts";

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  ({ browser } = await memberIn(worked, worked.invoke, "ann"));
});
afterAll(() => worked.close());

const told = (page: BrowserPage) => page.root.querySelector("main")?.structuredText ?? "";

/** An agent that no run plays. */
async function connected(name: string): Promise<string> {
  const command = [process.execPath, "-e", "0"];
  return (await worked.invoke("agents_post", { kind: "command", name, command })).body.agent.id;
}

/** A landed run of an agent's version: the reference's trials, each as long and as dear as given. */
async function played(agent: string, version: string, { ms, usd }: { ms: number; usd: number }): Promise<void> {
  const { app, org, main } = worked;
  const { records, trials } = app.service.store.forOrg(org.id);
  const group = await records.get(RunGroup, main);
  const run = await records.get(Run, group?.runs[0]?.run ?? "");
  if (!group || !run) throw new Error("the reference's run is gone");
  const [id, own] = [app.service.id(RunGroup.prefix), app.service.id(Run.prefix)];
  const player = { agent, name: "two", version, harness: null };
  const runs = group.runs.map((each) => ({ ...each, run: own }));
  await records.insert(RunGroup, { ...group, id, created_at: app.service.now(), player, agent, runs });
  const imported = { at: app.service.now(), format: "bundle" as const, run_id: own };
  await records.insert(Run, { ...run, id: own, group: id, player, finished_at: app.service.now(), imported });
  for (const row of (await trials.list(run.id, { limit: 500 })).items)
    await trials.insert({ ...row, run: own, ms, usd });
}

it("a plan is told by runs of the version that it starts, and names other versions where there are none", async () => {
  const agent = await connected("two");
  for (const version of ["one", "two", "three"])
    await worked.invoke("agent_versions_post", { aid: agent, version, env: { KEY: version } });
  await played(agent, "one", { ms: 9_000, usd: 0.5 });
  await played(agent, "two", { ms: 2_000, usd: 0.25 });
  const plan = async (version: string) => {
    const fields = { player: `agent:${agent}`, environment: worked.environment, version };
    return told(await browser.get(`/console/start?${new URLSearchParams(fields)}`));
  };
  const [one, two, three] = [await plan("one"), await plan("two"), await plan("three")];
  expect(one).toContain("About $2.00, at what 4 earlier trials cost.");
  expect(one).toContain("Half of its trials took 9 s at most: about 36 s of trials in all");
  expect(two).toContain("About $1.00, at what 4 earlier trials cost.");
  expect(two).toContain("Half of its trials took 2 s at most: about 8 s of trials in all");
  // A version that never played has no time of its own; what another one cost says so.
  expect(three).toContain("About $1.50, at what 8 earlier trials of its other versions cost.");
  expect(three).not.toContain("Half of its trials");
});

it("a failure mode that was noted on a trial counts it, and starts at why it failed", async () => {
  const run = (await worked.invoke("runs_list", { group: worked.group })).body.runs[0].id;
  const { trials } = (await worked.invoke("run_get", { rid: run })).body;
  const { task, n, root_cause: cause } = trials.find(({ end }: { end: string }) => end === "failed");
  const page = await browser.get(`/console/trials/${run}/${task}/${n}`);
  const made = await browser.submit(page, "/console/notes", { polarity: "negative", text: "It stops.", mode: "yes" });
  expect(told(made)).not.toMatch(/no trial has shown it/i);
  const shown = made.root.querySelectorAll("section").find((each) => each.querySelector("h2")?.text === "Trials");
  expect(shown?.querySelector("a")?.getAttribute("href")).toBe(`/console/trials/${run}/${task}/${n}`);
  const chosen = made.root.querySelector("select[name=behaviour] option[selected]")?.getAttribute("value");
  expect([cause, chosen]).toEqual([expect.any(String), cause]);
  expect(told(made)).toContain(`Behaviour: ${cause.replaceAll("_", " ")}, why the trial that shows it failed;`);
  const list = await browser.get("/console/failure-modes");
  expect(list.root.querySelectorAll("table tbody td").map(({ text }) => text)[3]).toBe("1");
});

it("a run without a main version asks what it is compared with before it offers previews, and all that it offers open", async () => {
  const agent = await connected("sent");
  await played(agent, "one", { ms: 1_000, usd: 0.1 });
  await played(agent, "two", { ms: 1_000, usd: 0.1 });
  const { groups } = (await worked.invoke("run_groups_list", { limit: 500 })).body;
  const [two, one] = groups.filter((row: { player: { agent: string } }) => row.player.agent === agent);
  const previews = (page: BrowserPage) => hrefs(page).filter((href) => /\/delivery\/\w+\?group=/.test(href));
  const run = await browser.get(`/console/groups/${two.group}`);
  const asked = await browser.get(hrefs(run).find((href) => href.startsWith("/console/delivery?")) ?? "");
  expect(previews(asked)).toEqual([]);
  expect(asked.root.querySelector(".verdict")?.text).toBe("Choose the run that this one is compared with.");
  const options = asked.root.querySelectorAll("select[name=against] option");
  expect(options.map((each) => each.getAttribute("value"))).toContain(one.group);
  // An address kept from elsewhere leads to the same question.
  expect(told(await browser.follow(await browser.get(`/console/delivery/chat?group=${two.group}`)))).toContain(
    "Compared with",
  );
  const chosen = await browser.get(
    `/console/delivery?${new URLSearchParams({ group: two.group, against: one.group })}`,
  );
  const offered = previews(chosen);
  expect(offered.length).toBe(3);
  const opened = await Promise.all(offered.map((href) => browser.get(href)));
  const all = [...new Set([...offered, ...opened.flatMap(previews)])];
  const pages = await Promise.all(all.map((href) => browser.get(href)));
  expect(pages.map(({ status }, i) => [all[i], status])).toEqual(all.map((href) => [href, 200]));
});

it("home names each thing that waits once", async () => {
  const { app, org } = worked;
  const value = { field: "use_case", value: "change address", status: "proposed" as const, spellings: [], cites: [] };
  const { records } = app.service.store.forOrg(org.id);
  const known = { id: app.service.id(DimensionValue.prefix), created_at: app.service.now(), by: "ann" };
  await records.insert(DimensionValue, { ...known, ...value, origin: "derived", tier: "deterministic" });
  expect(await records.count(DimensionValue, { status: "proposed" })).toBe(1);
  expect(told(await browser.get("/console"))).not.toContain("proposed dimension value");
});

it("an address that shows nothing keeps the menu, and who is not signed in reads the command apart", async () => {
  const page = await browser.get("/console/no-such-page");
  expect([page.status, page.root.querySelectorAll("nav a").length > 5]).toEqual([404, true]);
  expect(page.root.querySelector('main a[href="/console"]')).not.toBeNull();
  browser.cookies.clear();
  const out = await browser.get("/console");
  expect([out.status, out.root.querySelector("main code")?.text]).toEqual([401, "svc console"]);
  const none = await browser.get("/console/no-such-page");
  expect([none.status, none.root.querySelector('a[href="/console"]') !== null]).toEqual([404, true]);
});

it("the confidence of a comparison is one figure on the command line and in the console", () => {
  for (const confidence of [99.96, 90, 89.9, 1])
    expect(`confidence ${confidenceText(confidence)}`).toBe(confidenceClause(confidence));
});
