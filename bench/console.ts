import type { Ctx } from "../chapters/context.ts";
import { searchEntry } from "../chapters/evidence/traces/trace-words.ts";
import { openSession } from "../chapters/organization/sessions.ts";
import { Member } from "../chapters/records/organization/organization.ts";
import { ProviderComparison } from "../chapters/records/runs/provider.ts";
import { Run, RunGroup, type TrialRow } from "../chapters/records/runs/runs.ts";
import { pagesMissing } from "../test/console/kit.ts";
import { type Invoke, invoker, startApp } from "../test/helpers/app.ts";
import { ctxOf } from "../test/helpers/ctx.ts";
import { runToEnd, shopIn } from "../test/tools/runs/kit.ts";
import { buildDesk, ended, ok } from "../test/tools/sandboxes/kit.ts";
import { canonical, filled, p95 } from "./growth.ts";
import type { BenchLine } from "./harness.ts";

/** Traces of the one record and run groups of one org, each with one run of the shop's tasks. */
const TRACES = Number(process.env.SVC_SCALE_TRACES ?? 100_000);
const GROUPS = Number(process.env.SVC_SCALE_RUNS ?? 1_000);
const TASKS = 20;
const READ_IN = 500;
/** Loads of each page that are measured, after one that warms up. */
const LOADS = 20;

/** How long the console's pages take, 95th percentile over HTTP, and how long they are, in an org of that size. */
export async function bench(): Promise<BenchLine[]> {
  const app = await startApp();
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const ctx = ctxOf(app.service, org);
    const { environment } = await shopIn(app.service, org.id, TASKS);
    const { group: right } = await runToEnd(invoke, { harness: "reference", environment });
    const { group: wrong } = await runToEnd(invoke, { harness: "null", environment });
    const groups = await manyGroups(ctx, right, wrong);
    const made = await everythingElse(ctx, invoke, { environment, groups: [right, wrong] });
    const eid = await filled(ctx, await canonical(), TRACES);
    for (let from = 0; from < TRACES; from += READ_IN) {
      const rows = await ctx.store.traces.at(eid, await ctx.store.search.missing(eid, from, READ_IN));
      await ctx.store.search.add(
        eid,
        rows.map(({ position, trace }) => searchEntry(position, trace)),
      );
    }
    const cookie = await signedIn(ctx);
    const [newest = "", before = ""] = groups.toReversed();
    const run = (await ctx.store.records.get(RunGroup, newest))?.runs[0]?.run ?? "";
    const [trial] = (await ctx.store.trials.list(run, { limit: 1 })).items;
    const behaviour = await commonCause(ctx, wrong);
    const [trace] = (await ctx.store.traces.heads(eid, { limit: 1 })).items;
    const { failure_modes: modes } = (await invoke("failure_modes_post", { title: "What fails most", behaviour })).body;
    const pages: Readonly<Record<string, string>> = {
      home: "",
      runs: "/groups",
      "runs, words": "/groups?q=desk%20v7",
      "runs, most met first": "/groups?sort=best",
      "runs, some tasks": "/groups?tasks=some",
      "runs, page 10": "/groups?cursor=450",
      "a run": `/groups/${newest}`,
      "a run, live": `/groups/${right}/live`,
      "runs now": "/live",
      "a comparison": `/compare?a=${before}&b=${newest}`,
      "8 runs side by side": `/groups/compare?${groups
        .slice(-8)
        .map((id) => `g=${id}`)
        .join("&")}`,
      agents: "/agents",
      "a trial": `/trials/${run}/${trial?.task ?? ""}/${trial?.n ?? 1}`,
      "trials of a run": `/groups/${newest}/trials?end=failed`,
      "tries of a task": `/tasks/${environment}/${trial?.task ?? ""}`,
      "over time": "/trends",
      traces: "/traces",
      "traces, a word": "/traces?q=order",
      "traces, a tool": "/traces?tool=get_order",
      "traces, newest first": "/traces?sort=newest",
      "a record of traces": `/evidence/${eid}`,
      label: "/label",
      "labels given": "/label/given",
      "what a rule finds": "/traces/showing?rule=loop",
      "tasks of traces": `/traces/tasks?t=${trace?.id}`,
      tasks: "/review",
      "a task": `/sandboxes/${environment}/tasks/0`,
      "a sandbox": `/sandboxes/${environment}`,
      "rows of a world": `/sandboxes/${environment}/world`,
      "a call to try": `/sandboxes/${environment}/try`,
      "changes of a sandbox": `/sandboxes/${environment}/revisions`,
      "a change of a sandbox": `/sandboxes/${made.revision}`,
      "start, with its plan": `/start?player=harness%3Areference&environment=${environment}`,
      proposals: "/proposals",
      "failure modes": "/failure-modes",
      "a failure mode": `/failure-modes/${modes[0].id}`,
      coverage: "/coverage",
      systems: "/surfaces",
      reports: "/reports",
      spend: "/spend",
      delivery: "/delivery",
      "weekly page": "/delivery/weekly",
      members: "/members",
      tokens: "/tokens",
      "two models": `/providers/${made.models}`,
      "models compared": "/providers",
      "an agent": `/agents/${made.agent}`,
      "two versions": `/agents/${made.agent}/versions?v=1&v=2`,
      "two trials of a task": `/pair?${new URLSearchParams({ a: made.trials[0] ?? "", b: made.trials[1] ?? "" })}`,
      "a new task": `/sandboxes/${environment}/new-task`,
      "a trace": `/evidence/${eid}/traces/${trace?.id}`,
      "labels for a check": `/calibrate?group=${wrong}&check=${made.check}`,
      "checks against people": "/calibrations",
      "a check against people": `/calibrations/${made.labels}`,
      "a cell": `/coverage/cell?${new URLSearchParams({ persona: "busy professional", job: "lookup" })}`,
      "a job": `/jobs/${made.job}`,
      "background jobs": "/jobs",
      "an ontology": `/surfaces/${made.surface}/ontology`,
      fidelity: `/surfaces/${made.surface}/fidelity`,
      "a tool": `/surfaces/${made.surface}/tools/${made.tool}`,
      "a tool's behaviour": `/surfaces/${made.surface}/tools/${made.tool}/declare`,
      "a report": `/reports/${made.report}`,
      "a report, before it is made": `/reports/preview?kind=comparison&id=${newest}&against=${before}`,
      alerts: "/delivery/alerts",
      "a comment, before it is sent": `/delivery/pr_comment?group=${wrong}&against=${right}`,
      "a week": "/delivery/weekly/page",
      you: "/you",
    };
    const missing = pagesMissing(Object.values(pages).map((path) => path || "/"));
    if (missing.length > 0) throw new Error(`Add these pages to bench/console.ts: ${missing.join(", ")}`);
    const lines: BenchLine[] = [];
    for (const [name, path] of Object.entries(pages)) {
      const times: number[] = [];
      let bytes = 0;
      let cold = 0;
      for (let i = 0; i <= LOADS; i++) {
        const started = performance.now();
        const response = await fetch(`${app.url}/console${path}`, { headers: { cookie } });
        bytes = (await response.arrayBuffer()).byteLength;
        if (response.status !== 200) throw new Error(`${name}: ${response.status}`);
        const took = performance.now() - started;
        if (i === 0) cold = took;
        else times.push(took);
      }
      const size = `${Math.round(bytes / 1000)} kB; first load ${Math.round(cold)} ms`;
      lines.push({ name: `${name}, p95`, value: p95(times), unit: `ms; ${size}` });
    }
    return lines;
  } finally {
    await app.close();
  }
}

/** What the pages of single things are of: models, an agent, a compiled system, labels, a report and a job, beside the many runs. */
async function everythingElse(
  ctx: Ctx,
  invoke: Invoke,
  { environment, groups }: { readonly environment: string; readonly groups: readonly [string, string] },
) {
  const post = async (tool: string, args: Record<string, unknown> = {}) => (await ok(invoke(tool, args))).body;
  const built = await buildDesk(invoke, "desk", 12);
  const { surfaces } = await post("surfaces_list");
  const surface = surfaces.find(({ name }: { name: string }) => name === "desk").id;
  const { fidelity } = await post("environment_fidelity", { env_id: built.environments[0].id });
  const [{ id: env_id }] = built.environments;
  await post("environment_review_hold", { env_id, index: 0, reason: "To be read once more.", grader: "bench" });
  const [{ id: revision }] = (await post("environment_revisions", { env_id })).revisions;
  const compiled = await post("ontology_compile", { surface: "desk" });
  await ended(invoke, compiled.job);
  const { agent } = await post("agents_post", { kind: "command", name: "a desk agent", command: ["true"] });
  await post("agents_patch", { aid: agent.id, version: "2", command: ["false"] });
  const pins = groups.map((group, i) => ({ pin: `pin ${i}`, label: `model ${i}`, model: `of/model-${i}`, group }));
  const models = ctx.id(ProviderComparison.prefix);
  const base = { id: models, created_at: ctx.now(), by: "bench" };
  await ctx.store.records.insert(ProviderComparison, {
    ...{ ...base, environment, label: "shop" },
    ...{ pins, tasks: TASKS, trials: 1 },
  });
  const runs = await ctx.store.records.getMany(RunGroup, groups);
  const rows = await Promise.all(
    runs.map(async (group) => (await ctx.store.trials.list(group.runs[0]?.run ?? "", { limit: 500 })).items),
  );
  const trials = rows.map(([row]) => `${row?.run}/${row?.task}/${row?.n}`);
  const [row] = rows[1] ?? [];
  const check = row?.checks[0]?.kind ?? "";
  const trial = { run: row?.run, task: row?.task, n: row?.n, check: 0 };
  const items = [{ id: Object.values(trial).join("/"), human: "met", trial }];
  return {
    ...{ models, surface, trials, check, revision: `${env_id}/revisions/${revision}` },
    agent: agent.id as string,
    tool: Object.keys(fidelity.tools)[0] ?? "",
    job: compiled.job as string,
    labels: (await post("calibration_post", { name: "labels", criterion: check, human: "bench", items })).id as string,
    report: (await post("reports_post", { kind: "run_group", id: groups[1] })).id as string,
  };
}

/** The root cause that most trials of a group failed by. */
async function commonCause(ctx: Ctx, group: string): Promise<string> {
  const run = (await ctx.store.records.get(RunGroup, group))?.runs[0]?.run ?? "";
  const { items } = await ctx.store.trials.list(run, { limit: 500 });
  const causes = Map.groupBy(
    items.flatMap(({ root_cause: cause }) => cause ?? []),
    (cause) => cause,
  );
  return [...causes].sort(([, x], [, y]) => y.length - x.length)[0]?.[0] ?? "";
}

/** What a member's browser holds. */
async function signedIn(ctx: Ctx): Promise<string> {
  const member = ctx.id(Member.prefix);
  const made = { id: member, created_at: ctx.now(), by: "bench" };
  await ctx.store.records.insert(Member, {
    ...made,
    name: "bench",
    email: "bench@example.com",
    role: "admin",
    email_opt_out: true,
  });
  return `svc_session=${await openSession(ctx, member)}`;
}

/** Groups of 5 agents and 10 versions each, whose trials are those of the two groups, met more often from version to version. */
async function manyGroups(ctx: Ctx, right: string, wrong: string): Promise<string[]> {
  const rowsOf = async (group: string) => {
    const doc = await ctx.store.records.get(RunGroup, group);
    const run = doc?.runs[0]?.run ?? "";
    return {
      doc,
      run: await ctx.store.records.get(Run, run),
      rows: (await ctx.store.trials.list(run, { limit: 500 })).items,
    };
  };
  const [met, failed] = [await rowsOf(right), await rowsOf(wrong)];
  if (!met.doc || !met.run) throw new Error("the reference's group is gone");
  const groups: string[] = [];
  for (let i = 0; i < GROUPS; i++) {
    const [id, run] = [ctx.id(RunGroup.prefix), ctx.id(Run.prefix)];
    const version = Math.floor((i * 10) / GROUPS) + 1;
    const player = { agent: `ag_${i % 5}`, name: `desk ${i % 5}`, version: `v${version}`, harness: null };
    await ctx.store.records.insert(RunGroup, {
      ...met.doc,
      id,
      player,
      agent: player.agent,
      runs: met.doc.runs.map((each) => ({ ...each, run })),
    });
    await ctx.store.records.insert(Run, {
      ...met.run,
      id: run,
      group: id,
      player,
      // Landed without a job of its own, as what was taken in whole.
      finished_at: ctx.now(),
      imported: { at: ctx.now(), format: "bundle", run_id: run },
      ...(i % 9 === 4 ? { partial: true as const } : {}),
    });
    for (const [at, row] of met.rows.entries()) {
      const of: TrialRow = at % 11 < version ? row : (failed.rows[at] ?? row);
      await ctx.store.trials.insert({ ...of, run, usd: 0.01 * version });
    }
    groups.push(id);
  }
  return groups;
}
