import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { everyValue } from "../../chapters/dimensions/axes.ts";
import { isVoiced, personaNamed, UNVOICED } from "../../chapters/dimensions/voices.ts";
import { jobWords } from "../../chapters/findings/pages/job-words.ts";
import type { PageDoc, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords, minuteOf, seconds } from "../../chapters/findings/pages/words.ts";
import { cellPage } from "../../chapters/findings/viewer/cell.ts";
import {
  CHECK_VERDICTS,
  errorsOf,
  groupTrials,
  groupTrialsPage,
  TRIAL_SORTS,
  type TrialFilter,
} from "../../chapters/findings/viewer/group-trials.ts";
import { toolPage, WRONG_CALLS, WRONG_WORDS } from "../../chapters/findings/viewer/tool.ts";
import type { JobView } from "../../chapters/job-view.ts";
import { Environment } from "../../chapters/records/sandboxes/sandboxes.ts";
import { findSurface } from "../../chapters/sandboxes/surfaces/surfaces.ts";
import { Family } from "../../worlds/tasks/schema.ts";
import { PERSONAS } from "../../worlds/tasks/words/phrases.ts";
import { block, choice, hidden, postForm } from "./forms.ts";
import { CONSOLE, pathOf } from "./frame.ts";
import { csvFile, csvLink } from "./lists/csv.ts";
import { jobLog } from "./lists/job-log.ts";
import { runOfJob, worksOn } from "./lists/job-of.ts";
import { jobPath } from "./lists/jobs.ts";
import { filterChoice, filterForm, filterText, oneOf, textOf } from "./lists/query.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { tryPath } from "./sandbox/try-call.ts";
import { field, needed, type View, type Visit } from "./visit.ts";
import { modePages } from "./work/mode.ts";
import { cellJobForm } from "./work/persona-jobs.ts";

interface Surfaces {
  readonly surfaces: readonly { readonly id: string; readonly name: string }[];
}

/** Newest sandboxes of a system among which one that stands is looked for. */
const SANDBOXES = 20;
/** Tools of a cell's tasks whose traces are linked. */
const TOOLS = 4;

/** What the numbers of other pages stand for: the trials of a cause, the tasks of a cell, a mode, a tool's wrong answers. */
export const drillDownPages: readonly ConsoleRoute[] = [
  shows("/groups/:gid/trials", async (visit) => {
    const { ctx, param } = visit;
    const filter = trialFilter(visit);
    const gid = encodeURIComponent(param("gid"));
    const { doc, choices } = await groupTrialsPage(ctx, param("gid"), filter);
    const options = (of: readonly string[]) => [
      { value: "", text: "any" },
      ...of.map((value) => ({ value, text: cut(inWords(value), 60) })),
    ];
    const form = filterForm(`/groups/${gid}/trials`, visit, [
      filterText(visit, "q", "Words"),
      filterChoice(visit, "end", "Ended", options(choices.ends)),
      choices.causes.length > 0 && filterChoice(visit, "cause", "Root cause", options(choices.causes)),
      filterChoice(visit, "check", "Check", options(choices.checks)),
      filter.check !== undefined && filterChoice(visit, "verdict", "It is", options(CHECK_VERDICTS)),
      choices.families.length > 1 && filterChoice(visit, "family", "Family", options(choices.families)),
      filterChoice(visit, "sort", "Order", [
        { value: "", text: "as written" },
        ...TRIAL_SORTS.map((value) => ({ value, text: `${value} first` })),
      ]),
    ]);
    const lead = html`<p class="ways"><a href="/console/groups/${gid}">The run</a> <a href="/console/groups/${gid}/trials">All of its trials</a></p>`;
    return { doc, lead: [lead, form], below: html`<p>${csvLink(`/groups/${gid}/trials`, visit, false)}</p>` };
  }),
  csvFile(
    "/groups/:gid/trials",
    "trials",
    [
      ...["run", "task", "number", "try", "request", "family", "end", "root_cause", "not_met"],
      ...["ms", "calls", "errors", "input_tokens", "output_tokens", "cost_usd"],
    ],
    async (visit) => {
      const { found } = await groupTrials(visit.ctx, visit.param("gid"), trialFilter(visit));
      const rows = found.map(({ row, task }) => {
        const notMet = row.checks.filter(({ verdict }) => verdict !== "met").map(({ kind }) => kind);
        return [
          ...[row.run, row.task, task?.index, row.n, task?.request, task?.family, row.end, row.root_cause ?? row.cause],
          ...[notMet.join(", "), row.ms, row.trial.calls.length, errorsOf(row)],
          ...[row.tokens?.input, row.tokens?.output, row.usd],
        ];
      });
      return { rows, next: undefined };
    },
  ),
  ...modePages,
  shows("/coverage/cell", async (visit) => {
    const [persona, job] = [visit.query.get("persona") ?? "", visit.query.get("job") ?? ""];
    const { doc, tools } = await cellPage(visit.ctx, persona, job);
    const traces = tools.slice(0, TOOLS).map((tool) => {
      const calling = `/console/traces?${new URLSearchParams({ tool })}`;
      return html` <a href=${calling}>Traces that call ${cut(tool, 60)}</a>`;
    });
    const lead = html`<p class="ways"><a href="/console/coverage">All cells</a>${traces}</p>`;
    return { doc, lead, forms: [await makeTasks(visit, persona, job), await cellJobForm(visit, persona, job)] };
  }),
  does("/coverage/cell", async (visit) => {
    const [persona, job] = [field(visit, "persona"), needed(visit, "job")];
    const isFamily = Family.options.some((family) => family === job);
    const { job: started } = await visit.call<{ job: string }>("generate_environments", {
      surface: needed(visit, "surface"),
      tasks: Number(needed(visit, "tasks")),
      selection: {
        ...(persona === undefined ? {} : { persona: [persona] }),
        ...(isFamily ? { family: [job] } : { use_case: [job] }),
      },
    });
    return { to: `/console/jobs/${encodeURIComponent(started)}` };
  }),
  shows("/jobs/:job", jobPage),
  does("/jobs/:job/cancel", async (visit) => {
    await visit.call("job_cancel", { job_id: visit.param("job"), by: visit.member.name });
    return { to: `/console/jobs/${encodeURIComponent(visit.param("job"))}` };
  }),
  shows("/surfaces/:surface/tools/:tool", tool),
];

/** A tool's wrong answers, of every kind or of one, and the ways to try it and to say how it behaves. */
async function tool(visit: Visit): Promise<View> {
  const { ctx, param } = visit;
  const system = `/surfaces/${encodeURIComponent(param("surface"))}`;
  const place = `${system}/tools/${encodeURIComponent(param("tool"))}`;
  const kinds = Object.keys(WRONG_WORDS) as (keyof typeof WRONG_WORDS)[];
  const doc = await toolPage(ctx, param("surface"), param("tool"), oneOf(visit, "kind", kinds));
  const { id } = await findSurface(ctx, param("surface"));
  const { items } = await ctx.store.records.list(Environment, { where: { surface: id }, limit: SANDBOXES });
  const sandbox = items.find(({ retired_at }) => retired_at === undefined);
  const lead = html`<p class="ways"><a href="${CONSOLE}${place}/declare">Say how it behaves</a> ${sandbox !== undefined && html`<a href=${tryPath(sandbox.id, param("tool"))}>Try a call of it</a> `}<a href="${CONSOLE}/traces?${new URLSearchParams({ tool: param("tool") })}">Traces that call it</a> <a href="${CONSOLE}${system}/fidelity">All tools</a></p>`;
  const form = filterForm(
    place,
    visit,
    filterChoice(visit, "kind", "Kind", [
      { value: "", text: "all that are kept" },
      ...kinds.map((value) => ({ value, text: WRONG_WORDS[value] })),
    ]),
  );
  const narrowed = doc.sections.some(
    ({ heading, show }) => heading === WRONG_CALLS && (show === "sides" || visit.query.has("kind")),
  );
  return { doc, lead, filter: narrowed ? { heading: WRONG_CALLS, form } : undefined };
}

/** What a query string narrows the trials of a run to. */
export function trialFilter(visit: Pick<Visit, "query">): TrialFilter {
  const one = (name: string) => visit.query.get(name) || undefined;
  return {
    ...{ cause: one("cause"), check: one("check"), end: one("end"), q: textOf(visit, "q") },
    ...{ family: one("family"), verdict: oneOf(visit, "verdict", CHECK_VERDICTS) },
    sort: oneOf(visit, "sort", TRIAL_SORTS),
  };
}

async function makeTasks(visit: Visit, persona: string, job: string): Promise<ComponentChildren> {
  const { surfaces } = await visit.call<Surfaces>("surfaces_list", { limit: 100 });
  if (surfaces.length === 0) return null;
  const options = surfaces.map(({ id, name }) => ({ value: id, text: name }));
  const counts = ["10", "30", "60"].map((value) => ({ value, text: value }));
  const stated = await everyValue(visit.ctx, "persona");
  // Whoever was recorded is no persona that a task can be written in the words of.
  const known = [...PERSONAS, ...stated.map(({ value }) => value)].some((name) => name === persona);
  const voiced = known && isVoiced(await personaNamed(visit.ctx, persona));
  return block(
    "Make tasks",
    html`<p>Writes and reviews tasks of this job ${known ? "that this persona asks" : "for any persona"} in a new sandbox of a system.</p>`,
    known && !voiced ? html`<p>${UNVOICED}</p>` : null,
    postForm(
      visit,
      "/coverage/cell",
      "Make tasks",
      [
        known ? hidden("persona", persona) : null,
        hidden("job", job),
        choice("surface", "System", options),
        choice("tasks", "Tasks to write", counts, "30"),
      ],
      { row: true },
    ),
  );
}

/** How often the page of a job that works is loaded anew, seconds. */
const REFRESH_S = 4;

/** How a background job stands, how far it is, and what it came to. */
async function jobPage(visit: Visit): Promise<View> {
  const row = await visit.ctx.store.jobs.get(visit.param("job"));
  const run = row && (await runOfJob(visit.ctx, row));
  if (run !== undefined) return { to: jobPath({ id: run, kind: "run_group" }) };
  const job = await jobOf(visit, visit.param("job"));
  const { id, kind, by, created_at, started_at, ended_at, status, note, done, total, message, environments } = job;
  const certified = environments.reduce((sum, each) => sum + (each.certified ?? 0), 0);
  const came =
    environments.length === 0
      ? ""
      : `${counted(certified, "certified task")} in ${counted(environments.length, "sandbox", "sandboxes")}`;
  const why = [came, note === "" ? "" : cut(note, 1_200)].filter(Boolean).join("; ");
  const took = started_at === null ? undefined : (ended_at ?? visit.ctx.now()) - started_at;
  const doc: PageDoc = {
    v: 1,
    title: `Background job: ${jobWords(kind)}`,
    made_at: visit.ctx.now(),
    verdict: {
      text: `${STANDS[status] ?? `It is ${status}`}${why === "" ? "" : `: ${why.replace(/\.$/, "")}`}.`,
      tone: status === "failed" ? "bad" : status === "landed" ? "good" : "plain",
      tier: "deterministic",
      how: `Asked for by ${cut(by, 40)}, ${minuteOf(created_at)} UTC.${took === undefined ? "" : ` It ${ended_at === null ? "has worked for" : "took"} ${took === 0 ? "under a second" : seconds(1000 * took)}.`}`,
    },
    sections: environments.length === 0 ? [] : [await made(visit, environments)],
  };
  const going = ended_at === null && status !== "held";
  const [first] = environments;
  const of = (row && (await worksOn(visit.ctx, [row])).get(id)) ?? [];
  const lead = [
    going && html`<noscript><meta http-equiv="refresh" content=${REFRESH_S} /></noscript>`,
    ended_at === null &&
      total !== null &&
      html`<p><progress max=${total} value=${done}></progress> ${done} of ${total}${message === null ? "" : ` ${cut(message, 80)}`}</p>`,
    first !== undefined &&
      certified > 0 &&
      html`<p class="ways"><a class="button" href="/console/start?environment=${encodeURIComponent(first.id)}">Run an agent on ${environments.length === 1 ? "it" : "the first"}</a> <a href="/console/review?env=${encodeURIComponent(first.id)}">Review its tasks</a></p>`,
    of.length > 0 &&
      html`<p class="ways">${of.map(({ text, link }) => html`<a href=${pathOf(link)}>${cut(text, 80)}</a> `)}</p>`,
    going && html`<p><a href="/console/jobs/${encodeURIComponent(id)}">How far it is now</a></p>`,
    status === "held" && html`<p><a href="/console/spend">What waits, and the budget</a></p>`,
    ended_at === null &&
      postForm(visit, `/jobs/${encodeURIComponent(id)}/cancel`, "Cancel it", null, {
        removes: "What it stored stays; what it has not done yet is not done.",
      }),
  ];
  return { doc, lead, forms: await jobLog(visit, id) };
}

interface Made {
  readonly id: string;
  readonly certified?: number;
}

async function jobOf(visit: Visit, job: string) {
  const { note, result, ...row } = await visit.call<Job>("job_status", { job_id: job });
  return { ...row, note: note ?? "", environments: result?.environments ?? [] };
}

/** How a job that has ended stands, in words. */
const STANDS: Readonly<Record<string, string>> = {
  landed: "It is done",
  failed: "It failed",
  stopped: "It was stopped",
};

interface Job extends Omit<JobView, "note"> {
  readonly note?: string | null;
  readonly result?: { readonly environments?: readonly Made[] } | null;
}

async function made({ ctx }: Visit, environments: readonly Made[]): Promise<PageSection> {
  const docs = await ctx.store.records.getMany(
    Environment,
    environments.map(({ id }) => id),
  );
  const labels = new Map(docs.map(({ id, label }) => [id, label]));
  return {
    show: "table",
    heading: "Sandboxes",
    caption: "What it made; each opens with its tasks.",
    tier: "deterministic",
    columns: [{ name: "Sandbox" }, { name: "Certified tasks", kind: "number" }],
    rows: environments.map(({ id, certified = 0 }) => [
      { text: cut(labels.get(id) ?? id, 80), link: { page: "packet", id } },
      certified,
    ]),
  };
}
