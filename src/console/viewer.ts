import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import type { Ctx } from "../../chapters/context.ts";
import { TRACE_SORTS } from "../../chapters/evidence/traces/trace-search.ts";
import { traceOf } from "../../chapters/evidence/traces/trace-view.ts";
import type { PageLink, PageSection } from "../../chapters/findings/pages/page-doc.ts";
import { type FoundTrial, findTrial, trialPage } from "../../chapters/findings/pages/trial.ts";
import { counted, cut } from "../../chapters/findings/pages/words.ts";
import { groupTrials } from "../../chapters/findings/viewer/group-trials.ts";
import { amongFlips, pairPage } from "../../chapters/findings/viewer/pair.ts";
import { taskPage } from "../../chapters/findings/viewer/task-tries.ts";
import { evidencePage, tracePage, tracesAround } from "../../chapters/findings/viewer/trace.ts";
import { Evidence } from "../../chapters/records/evidence/evidence.ts";
import { playerName, Run, type TrialRow } from "../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import { trialTree } from "../../chapters/runs/trials/trace-run.ts";
import { trialsOfRun } from "../../chapters/runs/trials/trial-rows.ts";
import { describeCheck } from "../../chapters/sandboxes/tasks/checks.ts";
import { table } from "../pages/html.ts";
import { cell } from "../pages/render.ts";
import { trialFilter } from "./drill-down.ts";
import { more, pageOf } from "./findings.ts";
import { block, choice, getForm, hidden } from "./forms.ts";
import { pathOf } from "./frame.ts";
import { csvLink } from "./lists/csv.ts";
import { filterChoice, filterForm, filterText } from "./lists/query.ts";
import { pickTrace, ticksForm } from "./lists/trace-ticks.ts";
import { AS_SENT, SORT_WORDS } from "./lists/traces.ts";
import { type ConsoleRoute, shows } from "./route.ts";
import type { Visit } from "./visit.ts";
import { noteForm } from "./work/notes.ts";
import { buildForm } from "./work/send.ts";
import { traceTasks } from "./work/trace-tasks.ts";

/** The heading of an upload's traces. */
const TRACES = "Traces";
/** Words of a search that are looked for. */
const SEARCH_CHARS = 200;

/** Trials and traces step by step, two trials side by side, and every try of a task. */
export const viewerPages: readonly ConsoleRoute[] = [
  shows("/trials/:run/:task/:n", async (visit) => {
    const search = searchOf(visit);
    const found = await findTrial(visit.ctx, refOf(visit));
    const [other, near, expects] = await Promise.all([
      otherVersion(visit.ctx, found),
      neighbours(visit, found),
      expected(visit.ctx, found),
    ]);
    return {
      doc: await trialPage(visit.ctx, found, search),
      search,
      lead: around(found, other, near),
      below: expects,
      forms: await noteForm(visit, "trial", refOf(visit)),
    };
  }),
  shows("/trials/:run/:task/:n/json", async (visit) => {
    const { run, row } = await findTrial(visit.ctx, refOf(visit));
    return jsonFile(`trial-${row.task}-${row.n}`, await trialTree(visit.ctx, run, row));
  }),
  shows("/pair", async ({ ctx, query }) => {
    const [a, b] = [query.get("a") ?? "", query.get("b") ?? ""];
    const { run, row, planned } = await findTrial(ctx, a);
    const env = encodeURIComponent(run.environment);
    const ways = html`<p class="ways"><a href="/console/sandboxes/${env}/tasks/${planned.index}">The task and its proof</a> <a href="/console/tasks/${env}/${encodeURIComponent(row.task)}">Every try of it, to lay others beside each other</a></p>`;
    return { doc: await pairPage(ctx, a, b), lead: [flipsAround(await amongFlips(ctx, a, b)), ways] };
  }),
  shows("/tasks/:env/:task", async (visit) => {
    const { doc, tries, index } = await taskPage(visit.ctx, visit.param("env"), visit.param("task"));
    const options = tries.map(({ ref, text }) => ({ value: ref, text }));
    const env = encodeURIComponent(visit.param("env"));
    const lead = html`<p class="ways"><a href="/console/sandboxes/${env}/tasks/${index}">Its checks and what review proved</a> <a href="/console/start?environment=${env}">Run an agent on its sandbox</a></p>`;
    const form = getForm(
      "/pair",
      "Show side by side",
      [choice("a", "One trial", options, tries.at(-1)?.ref), choice("b", "Another trial", options, tries[0]?.ref)],
      { row: true },
    );
    return { doc, lead, forms: tries.length < 2 ? null : block("Two trials side by side", form) };
  }),
  shows("/evidence/:eid", async (visit) => {
    const eid = visit.param("eid");
    const { doc, traces, next, tools } = await evidencePage(visit.ctx, eid, pageOf(visit).cursor);
    const record = await visit.ctx.store.records.get(Evidence, eid);
    const lead = [
      html`<p class="ways"><a href="/console/label?${new URLSearchParams({ eid })}">Label its traces one after another</a></p>`,
      record && buildForm(visit, record),
    ];
    const form = filterForm("/traces", visit, [
      hidden("eid", eid),
      filterText(visit, "q", "Words"),
      filterText(visit, "tool", "Calls the tool", 16, tools),
      filterChoice(visit, "sort", "Order", [
        AS_SENT,
        ...TRACE_SORTS.map((value) => ({ value, text: SORT_WORDS[value] })),
      ]),
    ]);
    const [list] = doc.sections.flatMap((each) => (each.show === "table" && each.heading === TRACES ? [each] : []));
    // Boxes to tick are the console's own: under the list's heading stands its filter, and then the list with them.
    const heading = { show: "text" as const, heading: TRACES, paragraphs: [] };
    const sections = doc.sections.map((section) => (section === list ? heading : section));
    const file = csvLink("/traces", { query: new URLSearchParams({ eid }) }, next !== undefined);
    const below = [
      list && ticksForm(traces, tickTable(list, traces)),
      more(`/evidence/${encodeURIComponent(eid)}`, next, "More traces"),
      record?.kind === "traces" && html`<p>${file}</p>`,
    ];
    const filter = record?.kind === "traces" ? { heading: TRACES, form } : undefined;
    return { doc: { ...doc, sections }, lead, filter, below };
  }),
  shows("/evidence/:eid/traces/:trace", async (visit) => {
    const search = searchOf(visit);
    const doc = await tracePage(visit.ctx, visit.param("eid"), visit.param("trace"), search);
    const place = `${visit.param("eid")}/${visit.param("trace")}`;
    return {
      doc,
      search,
      lead: await traceWays(visit),
      forms: [await traceTasks(visit), await noteForm(visit, "trace", place)],
    };
  }),
  shows("/evidence/:eid/traces/:trace/json", async ({ ctx, param }) => {
    const { id, trace } = await traceOf(ctx, param("eid"), param("trace"));
    return jsonFile(`trace-${id}`, trace);
  }),
];

/** The traces beside one in its record, and its label: the form stands where traces are labelled one after another. */
async function traceWays({ ctx, param }: Visit): Promise<ComponentChildren> {
  const row = await traceOf(ctx, param("eid"), param("trace"));
  const { before, after } = await tracesAround(ctx, row);
  const way = (rel: "prev" | "next", to: PageLink | undefined, text: string) =>
    to !== undefined && html`<a rel=${rel} href=${pathOf(to)}>${text}</a> `;
  const label = new URLSearchParams({ eid: param("eid"), at: String(row.position), one: "yes" });
  const json = `/console/evidence/${encodeURIComponent(param("eid"))}/traces/${encodeURIComponent(param("trace"))}/json`;
  return html`<p class="ways">${way("prev", before, "Previous trace")}${way("next", after, "Next trace")}<a href="/console/label?${label}">Label it: did it go right?</a> <a href="/console/traces?${new URLSearchParams({ session: row.trace.session })}">Traces of its session</a> <a href=${json}>As JSON</a></p>`;
}

function refText({ run, task, n }: FoundTrial["row"]): string {
  return `${run}/${task}/${n}`;
}

function refOf({ param }: Visit): string {
  return `${param("run")}/${param("task")}/${param("n")}`;
}

function searchOf({ query }: Visit): string {
  return cut(query.get("q") ?? "", SEARCH_CHARS);
}

function jsonFile(name: string, value: unknown) {
  const content = `${JSON.stringify(value, null, 2)}\n`;
  return { file: { name: `${name}.json`, type: "application/json", content } };
}

/** The way back to the comparison, and on to the tasks that flipped beside this one. */
function flipsAround(among: Awaited<ReturnType<typeof amongFlips>>): ComponentChildren {
  if (among === undefined) return null;
  const { comparison, at, of, before, after } = among;
  const way = (to: PageLink | undefined, rel: "prev" | "next", key: string, text: string) =>
    to !== undefined && html`<a rel=${rel} data-key=${key} href=${pathOf(to)}>${text}</a>`;
  return html`
    <p class="ways" data-island="keys">
      <a href=${pathOf(comparison)}>The comparison</a>
      ${at !== undefined && html`<span>Flipped task ${at + 1} of ${of}</span>`}
      ${way(before, "prev", "[", "Previous one")}
      ${way(after, "next", "]", "Next one")}
    </p>
  `;
}

/** Runs of a sandbox, the newest, among which another version's is looked for. */
const RUNS = 20;

/** The same try of the task in the newest run of another version of the agent. */
async function otherVersion(ctx: Ctx, { run, row }: FoundTrial) {
  const { items } = await ctx.store.records.list(Run, { where: { environment: run.environment }, limit: RUNS });
  const { agent, version } = run.player;
  const other = items.find(
    ({ player, tasks }) =>
      agent !== null && player.agent === agent && player.version !== version && tasks.some(({ id }) => id === row.task),
  );
  if (other === undefined) return undefined;
  const trial = (await trialsOfRun(ctx, other)).find(({ task, n }) => task === row.task && n === row.n);
  return trial && { name: playerName(other.player), trial };
}

interface Neighbours {
  readonly before: TrialRow | undefined;
  readonly after: TrialRow | undefined;
  /** The list that they are of, where the trial was opened from one that was narrowed. */
  readonly list?: { readonly query: string; readonly at: number; readonly of: number };
}

/** The trials before and after one: in the list that it was opened from, else in its run, task by task and try by try. */
async function neighbours({ ctx, query }: Visit, { run, row, all }: FoundTrial): Promise<Neighbours> {
  const list = query.get("list");
  if (list !== null) {
    const { found } = await groupTrials(ctx, run.group, trialFilter({ query: new URLSearchParams(list) }));
    const at = found.findIndex((each) => refText(each.row) === refText(row));
    const rowAt = (i: number) => found[i]?.row;
    if (at >= 0)
      return { before: rowAt(at - 1), after: rowAt(at + 1), list: { query: list, at: at + 1, of: found.length } };
  }
  const at = all.indexOf(row);
  return { before: all[at - 1], after: all[at + 1] };
}

/** The ways to the trials beside this one, to its run and its task, and to the other version's trial. */
function around(
  { run, row, planned }: FoundTrial,
  other: Awaited<ReturnType<typeof otherVersion>>,
  { before, after, list }: Neighbours,
): ComponentChildren {
  const way = (rel: "prev" | "next", text: string, to: TrialRow | undefined) => {
    if (to === undefined) return null;
    const among = list === undefined ? {} : { against: list.query };
    const href = pathOf({ page: "trial", id: refText(to), ...among });
    return html`<a rel=${rel} href=${href}>${text} (${to.end})</a> `;
  };
  const task = `/console/sandboxes/${encodeURIComponent(run.environment)}/tasks/${planned.index}`;
  const tries = pathOf({ page: "task", id: `${run.environment}/${row.task}` });
  return html`
    <p class="ways">
      ${list && html`<a href=${pathOf({ page: "trials", id: run.group, against: list.query })}>The list</a> <span>${list.at} of ${list.of}</span> `}
      ${way("prev", "Previous trial", before)}${way("next", "Next trial", after)}
      <a href=${pathOf({ page: "group", id: run.group })}>The run</a> ${run.imported === undefined && html`<a href=${task}>The task, with its proof</a> `}<a href=${tries}>Every run of it</a>
      ${other !== undefined && html` <a href=${pathOf({ page: "pair", id: refText(row), against: refText(other.trial) })}>Beside ${cut(other.name, 40)} (${other.trial.end})</a>`}
    </p>
  `;
}

/** Characters of the right answer that are shown. */
const ANSWER = 600;

/** What the trial is held to: each check of its task in words, and how the task is solved; nothing of tasks from elsewhere. */
async function expected(ctx: Ctx, { row, planned }: FoundTrial): Promise<ComponentChildren> {
  const record = await ctx.store.records.get(TaskRecord, row.task);
  if (record === undefined) return null;
  const { checks, script } = record.task;
  const calls = script.calls.map(({ tool }) => tool).join(", ");
  return block(
    "What the task expects",
    record.digest !== planned.digest &&
      html`<p class="warn">The task was changed after this run: it reads as it is now.</p>`,
    html`<ul>${checks.map((check) => html`<li>${describeCheck(check, record.task)}</li>`)}</ul>`,
    html`<details><summary>How it is solved: ${counted(script.calls.length, "call")}</summary><p>${calls === "" ? "Without a call." : `Calls ${calls}.`} Then it says: “${cut(script.answer, ANSWER)}”</p></details>`,
  );
}

/** A page's table of traces, each with a box that picks it. */
function tickTable({ caption, columns, rows }: Extract<PageSection, { show: "table" }>, traces: readonly string[]) {
  return table(
    caption,
    [
      { name: "Pick", pick: true },
      ...columns.map(({ name, kind }) => ({ name, n: kind === "number", wide: kind === "wide" })),
    ],
    rows.map((row, i) => {
      const [request = ""] = row;
      const asked = typeof request === "object" ? request.text : String(request);
      return [pickTrace(traces[i] ?? "", asked), ...row.map((value) => cell(value, { link: pathOf }))];
    }),
  );
}
