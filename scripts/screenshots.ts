import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { memberIn, pagesMissing } from "../test/console/kit.ts";
import { type DeskWorkspace, deskWorkspace } from "../test/full/pages-workspace.ts";
import { deskTraces } from "../test/tools/sandboxes/kit.ts";

/** Window widths that a console is used at: a phone's and a laptop's, pixels. */
const WIDTHS = [390, 1280];

/** `npm run screenshots`: every page of the console at both widths, light and dark, into the folder SVC_PICTURES names. */
async function main(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const desk = await deskWorkspace();
  try {
    await memberIn(desk, desk.invoke, "bea");
    const member = await memberIn(desk, desk.invoke, "ann", "admin");
    const pages = await pagesOf(desk);
    const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
    try {
      const context = await browser.newContext();
      const domain = new URL(desk.app.url).hostname;
      await context.addCookies(
        [...member.browser.cookies].map(([name, { value, path }]) => ({ name, value, path, domain })),
      );
      const page = await context.newPage();
      for (const [name, path] of Object.entries(pages)) {
        const answer = await page.goto(desk.app.url + path);
        if (answer?.status() !== 200) throw new Error(`${name}: ${path} answered ${answer?.status()}`);
        for (const width of WIDTHS)
          for (const colorScheme of ["light", "dark"] as const) {
            await page.setViewportSize({ width, height: 900 });
            await page.emulateMedia({ colorScheme });
            await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
          }
      }
      console.log(`${Object.keys(pages).length} pages in ${folder}`);
    } finally {
      await browser.close();
    }
  } finally {
    await desk.close();
  }
}

/** Each page with its address in this workspace. Throws where the console has a page that is not among them. */
async function pagesOf(desk: DeskWorkspace): Promise<Readonly<Record<string, string>>> {
  const { invoke, main, tested, environment, evidence, comparison, mode, trial, before } = desk;
  const post = async (tool: string, args: Record<string, unknown>) => {
    const { status, body } = await invoke(tool, args);
    if (status >= 300) throw new Error(`${tool}: ${JSON.stringify(body)}`);
    return body;
  };
  const report = (await post("reports_post", { kind: "comparison", id: tested, against: main })).id;
  const shared = (await post("reports_share", { report_id: report, on: true })).link;
  const lines = deskTraces(1).slice(0, 8).map((trace) => JSON.stringify(trace)); // biome-ignore format: one step.
  await post("evidence_post", { content: lines.join("\n") });
  const [surface] = (await post("surfaces_list", {})).surfaces;
  const [run = "", task = ""] = trial.split("/");
  type Tried = { run: string; task: string; n: number; checks: { kind: string; verdict: string }[] };
  const both = [run, before.split("/")[0]].map(async (rid): Promise<Tried[]> => {
    const { trials } = await post("run_get", { rid });
    return trials.map((each: Tried) => ({ ...each, run: rid }));
  });
  const tried = (await Promise.all(both)).flat();
  /** A sitting over the first trials, in which a person says what the check said, but of the one that most is told of. */
  const sitting = async (criterion: string, most: number) => {
    const items = tried.slice(0, most).flatMap((each) => {
      const check = each.checks.findIndex(({ kind }) => kind === criterion);
      const own = each.run === run && each.task === task;
      const label = { human: own ? "met" : each.checks[check]?.verdict, ...(own ? { note: "It said so." } : {}) };
      const of = { run: each.run, task: each.task, n: each.n, check };
      return check < 0 ? [] : [{ id: Object.values(of).join("/"), trial: of, ...label }];
    });
    return (await post("calibration_post", { name: "Read by ann", criterion, human: "ann", items })).id;
  };
  await sitting("answer_class", 6);
  const set = await sitting("state", tried.length);
  await post("environment_review_hold", {
    env_id: environment,
    index: 0,
    reason: "To be read once more.",
    grader: "ann",
  });
  const [{ id: revision }] = (await post("environment_revisions", { env_id: environment })).revisions;
  const { fidelity } = await post("environment_fidelity", { env_id: environment });
  const [tool = ""] = Object.keys(fidelity.tools);
  const { job } = await post("generate_environments", { surface: "desk", tasks: 5 });
  const [first] = (await desk.ctx.store.traces.heads(evidence, { limit: 1 })).items;
  const text = "It said that it could not find order SO-10122, although get_order shows it.";
  const about = { kind: "trace", id: first?.id };
  const { feedback } = await post("record_feedback", { text, polarity: "negative", about, author: "bea" });
  await post("failure_mode_proposals_post", { report: feedback.id });
  const [{ id: agent }] = (await post("agents_list", {})).agents;
  type Group = { group: string; status: string };
  const { groups } = (await post("run_groups_list", {})) as { groups: Group[] };
  const third = groups.find(({ group, status }) => status === "landed" && group !== main && group !== tested)?.group;
  const query = (of: Record<string, string>) => new URLSearchParams(of);
  const inside: Record<string, string> = {
    home: "/",
    runs: "/groups",
    "over-time": "/trends",
    "runs-now": "/live",
    agents: "/agents",
    agent: `/agents/${agent}`,
    versions: `/agents/${agent}/versions?v=1&v=2`,
    several: `/groups/compare?g=${main}&g=${tested}&g=${third}`,
    start: `/start?${query({ player: "harness:reference", environment })}`,
    run: `/groups/${tested}`,
    "run-live": `/groups/${tested}/live`,
    "run-trials": `/groups/${tested}/trials?end=failed`,
    comparison: `/compare?${query({ a: main, b: tested })}`,
    models: `/providers/${comparison}`,
    "models-compared": "/providers",
    trial: `/trials/${trial}`,
    pair: `/pair?${query({ a: before, b: trial })}`,
    tries: `/tasks/${environment}/${task}`,
    tasks: "/review",
    task: `/sandboxes/${environment}/tasks/0`,
    sandbox: `/sandboxes/${environment}`,
    "world-rows": `/sandboxes/${environment}/world`,
    "try-a-call": `/sandboxes/${environment}/try`,
    changes: `/sandboxes/${environment}/revisions`,
    change: `/sandboxes/${environment}/revisions/${revision}`,
    "new-task": `/sandboxes/${environment}/new-task`,
    traces: "/traces",
    evidence: `/evidence/${evidence}`,
    trace: `/evidence/${evidence}/traces/${first?.id}`,
    label: "/label",
    "labels-given": "/label/given",
    "traces-showing": "/traces/showing?rule=loop&system=desk",
    "traces-tasks": `/traces/tasks?t=${first?.id}`,
    calibrate: `/calibrate?${query({ group: tested, check: "answer_class" })}`,
    calibrations: "/calibrations",
    calibration: `/calibrations/${set}`,
    proposals: "/proposals",
    "failure-modes": "/failure-modes",
    "failure-mode": `/failure-modes/${mode}`,
    coverage: "/coverage",
    cell: `/coverage/cell?${query({ persona: "shop assistant", job: "lookup" })}`,
    job: `/jobs/${job}`,
    jobs: "/jobs",
    systems: "/surfaces",
    ontology: `/surfaces/${surface.id}/ontology`,
    fidelity: `/surfaces/${surface.id}/fidelity`,
    tool: `/surfaces/${surface.id}/tools/${tool}`,
    declare: `/surfaces/${surface.id}/tools/${tool}/declare`,
    reports: "/reports",
    report: `/reports/${report}`,
    redact: `/reports/preview?${query({ kind: "comparison", id: tested, against: main })}`,
    spend: "/spend",
    delivery: "/delivery",
    alerts: "/delivery/alerts",
    preview: `/delivery/pr_comment?${query({ group: tested, against: main })}`,
    weekly: "/delivery/weekly",
    "weekly-page": "/delivery/weekly/page",
    members: "/members",
    tokens: "/tokens",
    you: "/you",
  };
  const missing = pagesMissing(Object.values(inside));
  if (missing.length > 0) throw new Error(`Add these pages to scripts/screenshots.ts: ${missing.join(", ")}`);
  const console = Object.entries(inside).map(([name, path]) => [name, `/console${path === "/" ? "" : path}`]);
  return { ...Object.fromEntries(console), shared: new URL(shared, "http://service").pathname };
}

const { SVC_PICTURES: folder } = process.env;
if (folder === undefined || folder === "")
  throw new Error("Name the folder for the screenshots in SVC_PICTURES, such as SVC_PICTURES=out/screenshots.");
await main(folder);
