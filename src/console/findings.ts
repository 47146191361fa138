import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { NEWEST as MODE_RUNS, triesOfModes } from "../../chapters/findings/modes/mode-trials.ts";
import type { modeView } from "../../chapters/findings/modes/mode-view.ts";
import { comparePage } from "../../chapters/findings/pages/compare.ts";
import { coveragePage } from "../../chapters/findings/pages/coverage.ts";
import { groupPage, RUN_TASK_SORTS } from "../../chapters/findings/pages/group.ts";
import { fittingTasks, packetPage } from "../../chapters/findings/pages/packet.ts";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { MODEL_TASKS, providerPage } from "../../chapters/findings/pages/provider.ts";
import { counted, cut, minuteOf } from "../../chapters/findings/pages/words.ts";
import { mainGroupFor } from "../../chapters/findings/reports/org-finding.ts";
import { ModeStatus } from "../../chapters/records/evidence/feedback.ts";
import { FailureModeProposal } from "../../chapters/records/findings/findings.ts";
import { playerName, RunGroup } from "../../chapters/records/runs/runs.ts";
import { TaskStatus } from "../../chapters/records/sandboxes/sandboxes.ts";
import { findGroups } from "../../chapters/runs/groups/find-groups.ts";
import { environmentTasks } from "../../chapters/sandboxes/tasks/task-records.ts";
import type { Tier } from "../../chapters/tier.ts";
import { Family } from "../../worlds/tasks/schema.ts";
import type { Narrowing } from "../pages/render.ts";
import { block, choice, folded, getForm, hidden, longField, postForm, tick } from "./forms.ts";
import { budgetPages } from "./home/budget.ts";
import { groupTable, pickForm } from "./lists/groups.ts";
import { amountOf, filterChoice, filterForm, filterText, oneOf, pages, textOf } from "./lists/query.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { field, needed, type Visit } from "./visit.ts";
import { personaJobForm } from "./work/persona-jobs.ts";
import { previewPath } from "./work/redact.ts";
import { firstEvidence } from "./work/send.ts";

interface Modes {
  readonly failure_modes: readonly ReturnType<typeof modeView>[];
  readonly tier: Tier;
  readonly next?: string;
}

/** What was run and what was found: the pages that members look at most. */
export const findingPages: readonly ConsoleRoute[] = [
  shows("/groups/:gid", group),
  shows("/compare", comparison),
  shows("/sandboxes/:env", async (visit) => {
    const env = visit.param("env");
    const lead = html`<p class="ways"><a href="/console/start?environment=${encodeURIComponent(env)}">Run an agent on it</a> <a href="/console/review?env=${encodeURIComponent(env)}">Review its tasks one by one, filtered</a> <a href="/console/sandboxes/${encodeURIComponent(env)}/new-task">Add a task</a> <a href="#runs">Runs on it</a></p>`;
    const place = `/sandboxes/${encodeURIComponent(env)}`;
    const from = Math.floor(amountOf(visit, "cursor") ?? 0);
    const only = {
      status: oneOf(visit, "status", TaskStatus.options),
      family: oneOf(visit, "family", Family.options),
      q: textOf(visit, "q"),
      from,
      most: TASKS,
    };
    const [doc, runs, tasks] = await Promise.all([
      packetPage(visit.ctx, env, undefined, only),
      runsOn(visit, env),
      environmentTasks(visit.ctx, env),
    ]);
    const next = from + TASKS < fittingTasks(tasks, only).length ? String(from + TASKS) : undefined;
    const forms = [runs, freeze(visit, "packet", env)];
    return { doc, lead, filter: taskFilter(visit, env), below: pages(place, visit, next), forms };
  }),
  shows("/providers/:pcid", async (visit) => {
    const pcid = visit.param("pcid");
    const { environment } = await visit.call<{ environment: string }>("provider_comparison", { pcid });
    const sandbox = encodeURIComponent(environment);
    const ways = html`<p class="ways"><a href="/console/sandboxes/${sandbox}">The sandbox</a> <a href="/console/start?environment=${sandbox}">Run an agent on it</a> <a href="/console/groups?who=built-in">All runs of built-in players</a></p>`;
    const form = filterForm(`/providers/${encodeURIComponent(pcid)}`, visit, [
      filterChoice(visit, "tasks", "Tasks", [
        { value: "", text: "all" },
        { value: "differ", text: "not met alike" },
        { value: "failed", text: "failed by some model" },
      ]),
    ]);
    const doc = await providerPage(visit.ctx, pcid, undefined, oneOf(visit, "tasks", MODEL_TASKS));
    return { doc, lead: ways, filter: { heading: "Tasks", form }, forms: freeze(visit, "provider_comparison", pcid) };
  }),
  shows("/failure-modes", modes),
  does("/failure-modes", async (visit) => {
    await visit.call("failure_mode_proposals_post", { text: needed(visit, "text"), author: visit.member.name });
    return { to: "/console/proposals" };
  }),
  shows("/coverage", async (visit) => ({
    doc: await coveragePage(visit.ctx),
    forms: await personaJobForm(visit),
    lead: [
      await firstEvidence(visit),
      html`<p class="ways"><a href="/console/surfaces">Systems, to draw sandboxes with tasks</a> <a href="/console/review">All tasks</a></p>`,
    ],
  })),
  ...budgetPages,
  does("/freeze", async (visit) => {
    const against = field(visit, "against");
    const made = await visit.call<{ id: string }>("reports_post", {
      kind: needed(visit, "kind"),
      id: needed(visit, "id"),
      ...(against === undefined ? {} : { against }),
      ...redactBy(visit),
    });
    return { to: `/console/reports/${made.id}` };
  }),
];

async function group(visit: Visit) {
  const gid = visit.param("gid");
  const only = {
    q: textOf(visit, "q"),
    end: oneOf(visit, "end", ["met", "failed"]),
    family: oneOf(visit, "family", Family.options),
    sort: oneOf(visit, "sort", RUN_TASK_SORTS),
  };
  const doc = await groupPage(visit.ctx, gid, undefined, only);
  const { groups: others } = await findGroups(visit.ctx, { limit: 50 });
  const own = await visit.ctx.store.records.get(RunGroup, gid);
  // What a run is compared with most is an earlier one of its own agent.
  const isOwn = ({ player, created_at }: (typeof others)[number]) =>
    own !== undefined && player.name === own.player.name && created_at <= own.created_at ? 0 : 1;
  const options = others
    .filter(({ group, counts }) => group !== gid && counts.met + counts.failed > 0)
    .sort((a, b) => isOwn(a) - isOwn(b))
    .map((row) => ({
      value: row.group,
      text: `${cut(playerName(row.player), 60)}, ${row.status}, ${minuteOf(row.created_at)}`,
    }));
  const where = `/console/groups/${encodeURIComponent(gid)}`;
  const main = own && (await mainGroupFor(visit.ctx, own));
  const lead = html`
    <p class="ways">
      ${main !== undefined && html`<a href="/console/compare?${new URLSearchParams({ a: main, b: gid })}">Against the main version</a> `}
      <a href="${where}/live">How it went, trial by trial</a>
      ${" "}<a href="/console/start?group=${encodeURIComponent(gid)}">Run its tasks once more</a>
      ${" "}<a href="/console/calibrate?group=${encodeURIComponent(gid)}">Label its trials</a>
    </p>
  `;
  const forms = [
    options.length === 0
      ? null
      : block("Compare", getForm("/compare", "Compare", [choice("a", "With", options), hidden("b", gid)])),
    block("Send", html`<p><a href="/console/delivery?group=${encodeURIComponent(gid)}">Send what it showed</a></p>`),
    freeze(visit, "run_group", gid),
  ];
  const form = filterForm(`/groups/${encodeURIComponent(gid)}`, visit, [
    filterText(visit, "q", "Words"),
    filterChoice(visit, "end", "Ended", [
      ...ANY,
      { value: "failed", text: "failed at least once" },
      { value: "met", text: "never failed" },
    ]),
    familyChoice(visit),
    filterChoice(visit, "sort", "Order", [
      { value: "", text: "failed most first" },
      { value: "slowest", text: "slowest first" },
      { value: "dearest", text: "dearest first" },
      { value: "number", text: "as written" },
    ]),
  ]);
  return { doc, lead, filter: { heading: "Tasks", form }, forms };
}

const ANY = [{ value: "", text: "any" }];

function familyChoice(visit: Visit): ComponentChild {
  return filterChoice(visit, "family", "Family", [...ANY, ...Family.options.map((value) => ({ value, text: value }))]);
}

/** Narrows the tasks of a sandbox by its address. */
function taskFilter(visit: Visit, env: string): Narrowing {
  const form = filterForm(`/sandboxes/${encodeURIComponent(env)}`, visit, [
    filterText(visit, "q", "Tasks with the words"),
    filterChoice(visit, "status", "Stands", [...ANY, ...TaskStatus.options.map((value) => ({ value, text: value }))]),
    familyChoice(visit),
  ]);
  return { heading: "Tasks", form };
}

/** Tasks of a sandbox on one page. */
const TASKS = 20;
/** Runs of the newest ones that were on a sandbox. */
const NEWEST = 100;

/** The newest runs on a sandbox, two of which can be compared. */
async function runsOn(visit: Visit, env: string): Promise<ComponentChildren> {
  const { groups, next } = await findGroups(visit.ctx, { limit: NEWEST });
  const rows = groups.filter(({ environments }) => environments.some(({ environment }) => environment === env));
  const among = next === undefined ? "" : ` among the newest ${NEWEST} of all`;
  if (rows.length === 0) return html`<p id="runs">Nothing was run on it yet${among}.</p>`;
  return folded(
    `Runs on it: ${rows.length}`,
    html`<div id="runs">${pickForm(await groupTable(visit, `Runs on this sandbox${among}, newest first. Tick two or more to compare them.`, rows))}</div>`,
  );
}

async function comparison(visit: Visit) {
  const [a, b] = [visit.query.get("a") ?? "", visit.query.get("b") ?? ""];
  const change = oneOf(visit, "change", ["worse", "better", "same"]);
  const doc = await comparePage(visit.ctx, a, b, undefined, { change, family: oneOf(visit, "family", Family.options) });
  const via = visit.query.get("via");
  if (via !== null && visit.member.role !== "viewer" && /^[a-z][a-z0-9_-]{0,39}$/.test(via))
    await visit.call("delivery_opens_post", { group: b, via, member: visit.member.id });
  const send = `/console/delivery?${new URLSearchParams({ group: b, against: a })}`;
  const forms = [
    block("Send", html`<p><a href=${send}>Send this comparison</a></p>`),
    freeze(visit, "comparison", b, a),
  ];
  const lead = [
    html`
      <p class="ways">
        <a href="/console/groups/${encodeURIComponent(a)}">The run before</a> <a href="/console/groups/${encodeURIComponent(b)}">The run after</a>${" "}
        <a href="/console/compare?${new URLSearchParams({ a: b, b: a })}">The other way round</a> <a href="/console/delivery/pr_comment?${new URLSearchParams({ group: b, against: a })}">As a comment</a>${" "}
        <a href="/console/start?group=${encodeURIComponent(a)}">Run the tasks of the run before once more</a>
      </p>
    `,
  ];
  const form = html`
    <form method="get" action="/console/compare" class="filter">
      ${[
        hidden("a", a),
        hidden("b", b),
        filterChoice(visit, "change", "Tasks", [
          { value: "", text: "all" },
          { value: "worse", text: "that got worse" },
          { value: "better", text: "that got better" },
          { value: "same", text: "that stayed" },
        ]),
        familyChoice(visit),
      ]}
      <button class="plain">Show</button>
    </form>
  `;
  const list = doc.sections.find(({ heading = "" }) => TASK_LISTS.includes(heading));
  return { doc, lead, filter: list && { heading: list.heading ?? "", form }, forms };
}

/** What a comparison's list of tasks is called, narrowed or not. */
const TASK_LISTS: readonly string[] = ["Tasks", "Missed, and not flipped"];

async function modes(visit: Visit) {
  const { failure_modes: all, tier, next } = await visit.call<Modes>("failure_modes", pageOf(visit));
  const waiting = await visit.ctx.store.records.count(FailureModeProposal, { state: "proposed" });
  const status = oneOf(visit, "status", ModeStatus.options);
  const words = (textOf(visit, "q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const rows = all.filter((mode) => {
    const text = `${mode.title}\n${mode.behaviour ?? ""}`.toLowerCase();
    return (status === undefined || mode.status === status) && words.every((word) => text.includes(word));
  });
  const tries = await triesOfModes(visit.ctx, rows);
  const doc: PageDoc = {
    v: 1,
    title: "Failure modes",
    made_at: visit.ctx.now(),
    ...(all.length === 0 || next !== undefined || visit.query.has("cursor")
      ? {}
      : { verdict: modesVerdict(all, tier) }),
    sections: [
      rows.length === 0
        ? {
            show: "text",
            paragraphs: [
              all.length > 0
                ? "None on this page fits. Take a filter away."
                : "Nobody has recorded a failure mode. Note one on the page of a trial or a trace that shows it, or report one below.",
            ],
          }
        : {
            show: "table",
            caption: `Oldest first, with the trials and traces that show each (trials of agents among the newest ${MODE_RUNS} runs by their root cause) and the tasks that hold agents to it.`,
            tier,
            columns: [
              { name: "What goes wrong", kind: "wide" },
              { name: "Behaviour" },
              { name: "Status" },
              { name: "Trials", kind: "number" },
              { name: "Traces", kind: "number" },
              { name: "Tasks", kind: "number" },
              { name: "How it stands", kind: "wide" },
            ],
            rows: rows.map((mode, i) => [
              { text: cut(mode.title, 200), link: { page: "mode", id: mode.id } },
              mode.behaviour?.replaceAll("_", " ") ?? "not classified",
              mode.status,
              tries[i]?.length ?? 0,
              new Set([...mode.cites.flatMap(({ trace, session }) => trace ?? session ?? []), ...mode.reported]).size,
              mode.tasks.length,
              mode.line,
            ]),
          },
    ],
  };
  const lead = [
    html`<p><a href="/console/proposals">${waiting === 0 ? "What was proposed" : `Settle ${counted(waiting, "proposal")}`}</a></p>`,
    all.length > 0 &&
      filterForm("/failure-modes", visit, [
        filterText(visit, "q", "Words"),
        filterChoice(visit, "status", "Stands", [
          { value: "", text: "any" },
          ...ModeStatus.options.map((value) => ({ value, text: value })),
        ]),
      ]),
  ];
  const add = block(
    "Report one",
    postForm(visit, "/failure-modes", "Propose it", longField("text", "What goes wrong, in your words", { rows: 3 }), {
      plain: true,
    }),
    html`<p class="soft">Rules read its behaviour and tool from your words; it counts once it is confirmed.</p>`,
  );
  return { doc, lead, forms: [pages("/failure-modes", visit, next), add] };
}

function modesVerdict(all: Modes["failure_modes"], tier: Tier): NonNullable<PageDoc["verdict"]> {
  const stand = all.filter(({ status }) => status !== "retired" && status !== "fixed");
  const open = stand.filter(({ tasks }) => tasks.length === 0).length;
  return {
    text: `${counted(stand.length, "failure mode")} ${stand.length === 1 ? "stands" : "stand"}${open === 0 ? "" : `; no task holds agents to ${open === stand.length ? (open === 1 ? "it" : "them") : `${open} of them`}`}.`,
    tone: open === 0 ? "plain" : "warn",
    tier,
    how: "Those that are fixed or retired do not stand.",
  };
}

/** A form that freezes what the page shows now. */
function freeze(visit: Visit, kind: string, id: string, against?: string): ComponentChildren {
  return folded(
    "Keep as a report",
    html`
      <p>
        A report shows this page as it is now, and can be shared by a link once you have seen it.${" "}
        <a href=${previewPath({ kind, id, against })}>See what would be taken out of it</a>
      </p>
    `,
    postForm(visit, "/freeze", "Make a report", [
      hidden("kind", kind),
      hidden("id", id),
      against === undefined ? null : hidden("against", against),
      whole(),
    ]),
  );
}

/** A member's word that nothing which identifies people is taken out of a report. */
export function whole(): ComponentChildren {
  return tick("whole", "Leave names, addresses and ids in it", false);
}

/** What a form with that tick says of it. */
export function redactBy(visit: Visit): { readonly redact?: false } {
  return field(visit, "whole") === "yes" ? { redact: false } : {};
}

/** Which page of a list is asked for. */
export function pageOf({ query }: Visit): { readonly cursor?: string } {
  const cursor = query.get("cursor");
  return cursor === null ? {} : { cursor };
}

/** The way to the next page of a list. */
export function more(place: string, next: string | undefined, text = "Older ones"): ComponentChildren {
  if (next === undefined) return null;
  return html`<p><a href="/console${place}?${new URLSearchParams({ cursor: next })}">${text}</a></p>`;
}
