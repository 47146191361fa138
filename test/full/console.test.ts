import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProviderComparison } from "../../chapters/records/runs/provider.ts";
import { asVersions, memberIn, pagesMissing, type Worked, workedIn } from "../console/kit.ts";
import { axe, tooWide, WIDTHS } from "../helpers/look.ts";
import { jobRow } from "../helpers/rows.ts";
import { runToEnd } from "../tools/runs/kit.ts";
import { deskTraces } from "../tools/sandboxes/kit.ts";

/** Where pictures go for people to look at: a temporary folder, unless one is named. */
const PICTURES = process.env.SVC_PICTURES ?? mkdtempSync(join(tmpdir(), "svc-console-"));

let worked: Worked;
let browser: Browser;
beforeAll(async () => {
  worked = await workedIn();
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser?.close();
  await worked?.close();
});

/** A page that notes what went wrong on it: errors, and requests to elsewhere. */
async function watched(): Promise<{ page: Page; wrong: string[] }> {
  const page = await (await browser.newContext()).newPage();
  // A busy machine takes its time to draw the first plots.
  page.setDefaultTimeout(120_000);
  const wrong: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(worked.app.url)) wrong.push(request.url());
  });
  return { page, wrong };
}

/** What a menu or a table keeps out of the window, a caption that scrolling takes along, a menu in another order. */
function outOfSight(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const here = document.querySelector("nav [aria-current]")?.getBoundingClientRect();
    const wrong = here !== undefined && here.right > window.innerWidth ? ["the current page in the menu"] : [];
    const order = [...document.querySelectorAll("nav li")].map((each) => Number(getComputedStyle(each).order));
    if (order.some((each) => each !== 0)) wrong.push("the order of the menu");
    // Its own box may cut a field that the window would hold.
    for (const field of document.querySelectorAll(".scroll > table:not(.heat) td"))
      if (
        window.innerWidth < 720 &&
        field.getBoundingClientRect().right > (field.closest(".scroll")?.getBoundingClientRect().right ?? 0) + 1
      )
        wrong.push(`field: ${field.textContent?.trim().slice(0, 30)}`);
    for (const box of document.querySelectorAll(".scroll")) {
      const caption = box.querySelector("caption");
      const text = (caption?.textContent ?? "").slice(0, 30);
      box.scrollLeft = 40;
      // A table that somebody wrote as Markdown has none.
      const moved = caption !== null && caption.getBoundingClientRect().left < box.getBoundingClientRect().left - 1;
      box.scrollLeft = 0;
      if (moved) wrong.push(`caption: ${text}`);
    }
    return wrong;
  });
}

/** A picture at each width, and how far the page is wider than its window. */
async function looked(page: Page, name: string): Promise<number[]> {
  const over: number[] = [];
  await page.waitForLoadState("load");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    over.push(await page.evaluate("document.documentElement.scrollWidth - window.innerWidth"));
    await page.screenshot({ path: join(PICTURES, `${name}-${width}.png`) });
  }
  return over.filter((by) => by > 0);
}

it("a member signs in, opens a group and a trial, shares a report and sends a finding", async () => {
  const { invoke, app, main, group, chat } = worked;
  const { body: added } = await invoke("members_post", { email: "ann@example.com", name: "Ann", role: "admin" });
  const { page, wrong } = await watched();
  const wide: number[] = [];

  await page.goto(added.invite.url);
  wide.push(...(await looked(page, "invite")));
  await page.getByRole("button", { name: "Sign in as Ann" }).click();
  await page.waitForURL(`${app.url}/console`);
  wide.push(...(await looked(page, "home")));

  await page.getByRole("link", { name: "Runs" }).click();
  await page.locator(`a[href="/console/groups/${group}"]`).click();
  await page.getByRole("heading", { name: "By family" }).waitFor();
  wide.push(...(await looked(page, "group")));
  await page.locator('a[href^="/console/trials/"]').first().click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  wide.push(...(await looked(page, "trial")));

  await page.goto(`${app.url}/console/groups/${group}`);
  await page.getByText("Keep as a report").click();
  await page.getByRole("button", { name: "Make a report" }).click();
  await page.getByRole("button", { name: "Turn the link on" }).click();
  const link = (await page.getByRole("status").locator("pre").textContent()) ?? "";
  wide.push(...(await looked(page, "shared")));
  const reader = await watched();
  await reader.page.goto(link);
  await reader.page.getByRole("heading", { name: "By family" }).waitFor();
  await page.locator("summary", { hasText: "Turn the link off" }).click();
  await page.getByRole("button", { name: "Yes: Turn the link off" }).click();
  await page.getByText("The link is off").waitFor();
  expect((await fetch(link)).status).toBe(404);

  await page.getByRole("link", { name: "Delivery" }).click();
  await page.getByLabel("Channel id at the chat tool").fill("C1");
  await page.getByRole("button", { name: "Turn on" }).first().click();
  await page.getByRole("button", { name: "Turn off" }).waitFor();
  await page.goto(`${app.url}/console/compare?a=${main}&b=${group}`);
  wide.push(...(await looked(page, "compare")));
  await page.getByRole("link", { name: "Send this comparison" }).click();
  wide.push(...(await looked(page, "delivery")));
  await page.getByRole("link", { name: "chat message preview" }).click();
  wide.push(...(await looked(page, "preview")));
  await page.getByRole("button", { name: "Send to C1" }).click();
  await page.getByText("Sent to C1").waitFor();
  expect(chat.posted).toMatchObject([{ channel: "C1" }]);
  // Nothing is kept, so going back asks anew: the page says what went out meanwhile.
  await page.goBack();
  await page.getByText("went out over this channel").waitFor();
  expect(chat.posted).toHaveLength(1);

  for (const place of ["members", "you"]) {
    await page.goto(`${app.url}/console/${place}`);
    wide.push(...(await looked(page, place)));
  }
  await page.getByRole("button", { name: "Sign out", exact: true }).click();
  await page.getByText("You are signed out").waitFor();
  await page.goto(`${app.url}/console`);
  await page.getByText("You are not signed in").waitFor();
  // What the browser says of answers that refuse is no fault of a page.
  const faults = [...wrong, ...reader.wrong].filter((text) => !/status of (401|409)/.test(text));
  expect([faults, wide]).toEqual([[], []]);
});

/** Pages that console-viewer.test.ts looks at, on traces and trials that this workspace lacks; one that a restore makes. */
const ELSEWHERE = [
  ...["/surfaces/:surface/tools/:tool", "/surfaces/:surface/tools/:tool/declare", "/pair", "/tasks/:env/:task"],
  ...["/evidence/:eid", "/evidence/:eid/traces/:trace", "/groups/:gid/trials", "/failure-modes/:mid", "/coverage/cell"],
  "/sandboxes/:env/revisions/:rev",
];

/** The comparison of two models, of two groups that were run. */
async function modelsOf({ app, org, main, group, environment }: Worked): Promise<string> {
  const id = app.service.id(ProviderComparison.prefix);
  const pins = [main, group].map((of, i) => ({ pin: `pin_${i}`, label: `model ${i}`, model: "m", group: of }));
  const base = { id, created_at: app.service.now(), by: "test", environment, label: "shop", tasks: 4, trials: 1 };
  await app.service.store.forOrg(org.id).records.insert(ProviderComparison, { ...base, pins });
  return id;
}

/** Every page of the console, with what is asked of it for this workspace. */
const pagesOf = (
  { main, group, environment }: Worked,
  more: Record<"trial" | "job" | "report" | "surface" | "agent" | "third" | "models" | "labels", string>,
) => ({
  home: "",
  groups: "/groups?who=all",
  trends: "/trends",
  agents: "/agents",
  agent: `/agents/${more.agent}`,
  versions: `/agents/${more.agent}/versions?v=v1&v=v2`,
  several: `/groups/compare?g=${main}&g=${group}&g=${more.third}`,
  live: `/groups/${group}/live`,
  "runs-now": "/live",
  jobs: "/jobs",
  start: `/start?player=harness%3Areference&environment=${environment}`,
  tasks: "/review",
  task: `/sandboxes/${environment}/tasks/0`,
  "new-task": `/sandboxes/${environment}/new-task`,
  proposals: "/proposals",
  traces: "/traces",
  label: "/label",
  calibrate: `/calibrate?group=${group}&check=answer_class`,
  calibrations: "/calibrations",
  calibration: `/calibrations/${more.labels}`,
  models: `/providers/${more.models}`,
  "models-compared": "/providers",
  consent: "/consent/obs/refused",
  group: `/groups/${group}`,
  compare: `/compare?a=${main}&b=${group}`,
  trial: `/trials/${more.trial}`,
  sandbox: `/sandboxes/${environment}`,
  "world-rows": `/sandboxes/${environment}/world`,
  "try-a-call": `/sandboxes/${environment}/try`,
  changes: `/sandboxes/${environment}/revisions`,
  "labels-given": "/label/given",
  "traces-showing": "/traces/showing",
  "traces-tasks": "/traces/tasks",
  job: `/jobs/${more.job}`,
  "failure-modes": "/failure-modes",
  reports: "/reports",
  report: `/reports/${more.report}`,
  redact: `/reports/preview?kind=comparison&id=${group}&against=${main}`,
  coverage: "/coverage",
  surfaces: "/surfaces",
  ontology: `/surfaces/${more.surface}/ontology`,
  fidelity: `/surfaces/${more.surface}/fidelity`,
  spend: "/spend",
  delivery: `/delivery?group=${group}&against=${main}`,
  preview: `/delivery/chat?group=${group}&against=${main}`,
  comment: `/delivery/pr_comment?group=${group}&against=${main}`,
  alerts: "/delivery/alerts",
  weekly: "/delivery/weekly",
  "weekly-page": "/delivery/weekly/page",
  members: "/members",
  tokens: "/tokens",
  you: "/you",
  refused: "/groups/rg_none",
});

it.each(["light", "dark"] as const)(
  "every page and form fits a phone and has nothing for axe to find in %s",
  async (colorScheme) => {
    const { app, invoke, group } = worked;
    const { browser: member } = await memberIn(worked, invoke, `looker-${colorScheme}`, "admin");
    const run = (await invoke("runs_list", { group })).body.runs[0].id;
    const { trials } = (await invoke("run_get", { rid: run })).body;
    const { task, n } = trials[0];
    const report = (await invoke("reports_post", { kind: "run_group", id: group })).body.id;
    const compared = (await invoke("reports_post", { kind: "comparison", id: group, against: worked.main })).body.id;
    const shared = (await invoke("reports_share", { report_id: compared, on: true })).body.link;
    const asked = { email: `asked-${colorScheme}@example.com`, name: `Asked in ${colorScheme}`, role: "member" };
    const { invite } = (await invoke("members_post", asked)).body;
    type Tried = { task: string; n: number; checks: { kind: string; verdict: string }[] };
    const items = (trials as Tried[]).map((each, i) => {
      const of = { run, task: each.task, n: each.n, check: 0 };
      return { id: Object.values(of).join("/"), trial: of, human: i === 0 ? "met" : each.checks[0]?.verdict };
    });
    const set = { name: "Read", criterion: trials[0].checks[0].kind, human: "ann", items };
    const labels = (await invoke("calibration_post", set)).body.id;
    const models = await modelsOf(worked);
    const surface = (await invoke("surfaces_list")).body.surfaces[0].id;
    // The job of a run leads to the run.
    const job = jobRow(worked.org.id, {
      kind: "pipeline",
      status: "failed",
      ended_at: 2000,
      input: { surface: "shop" },
    });
    await app.service.store.forOrg(worked.org.id).jobs.start(job);
    const first = { kind: "command", name: `desk ${colorScheme}`, version: "v1", command: ["true"] };
    const { agent } = (await invoke("agents_post", first)).body;
    await invoke("agents_patch", { aid: agent.id, version: "v2", command: ["false"], notes: "Ends at once." });
    await asVersions(worked, agent.name, agent.id);
    const third = (await runToEnd(invoke, { harness: "reference", environment: worked.environment })).group;
    const traces = deskTraces(1).slice(0, 8);
    await invoke("evidence_post", { content: traces.map((trace) => JSON.stringify(trace)).join("\n") });
    await invoke("failure_mode_proposals_post", { text: "It could not find order #W2906906.", author: "bea" });
    const context = await browser.newContext({ colorScheme, bypassCSP: true });
    await context.addCookies(
      [...member.cookies].map(([name, { value, path }]) => ({ name, value, path, domain: new URL(app.url).hostname })),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const found: Record<string, string[]> = {};
    const own = pagesOf(worked, {
      trial: `${run}/${task}/${n}`,
      job: job.id,
      report,
      surface,
      agent: agent.id,
      third,
      models,
      labels,
    });
    expect(pagesMissing(Object.values(own)).filter((path) => !ELSEWHERE.includes(path))).toEqual([]);
    const inside = Object.entries(own).map(([name, path]) => [name, `/console${path}`] as const);
    const outside = [
      ["shared-report", new URL(shared).pathname],
      ["invited", new URL(invite.url).pathname],
    ] as const;
    for (const [name, path] of [...inside, ...outside, ["signed-out", "/console"] as const]) {
      // The last one: nobody is signed in any more.
      if (name === "signed-out") await context.clearCookies();
      await page.goto(`${app.url}${path}`);
      const wrong: string[] = [];
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        wrong.push(...(await tooWide(page)).map((what) => `${width}: ${what}`));
        // Finding E41: on a phone the menu is one line that scrolls.
        const menu = await page.evaluate(() => document.querySelector("nav ul")?.clientHeight ?? 0);
        if (width < 720 && menu > 60) wrong.push(`${width}: a menu of ${menu} px`);
        wrong.push(...(await outOfSight(page)).map((what) => `${width}: ${what}`));
        await page.screenshot({ path: join(PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      const folded = page.locator("details:not([open]) > summary:visible");
      const all = await page.locator("summary").count();
      for (let n = 0; n < all && (await folded.count()) > 0; n++) await folded.first().click();
      // At a phone's width rows are cards and the menu scrolls: other things to be found.
      for (const width of [WIDTHS[0], WIDTHS[2]]) {
        await page.setViewportSize({ width, height: 900 });
        wrong.push(...(await axe(page)).map((what) => `${width}: ${what}`));
      }
      if (wrong.length > 0) found[name] = wrong;
    }
    await context.close();
    expect(found).toEqual({});
  },
);
