import { html } from "htm/preact";
import type { ComponentChild, ComponentChildren } from "preact";
import { comparePage } from "../../chapters/findings/pages/compare.ts";
import { coveragePage } from "../../chapters/findings/pages/coverage.ts";
import { groupPage } from "../../chapters/findings/pages/group.ts";
import { fittingTasks, packetPage } from "../../chapters/findings/pages/packet.ts";
import { counted, cut, minuteOf } from "../../chapters/findings/pages/words.ts";
import { mainGroupFor } from "../../chapters/findings/reports/org-finding.ts";
import { playerName, RunGroup } from "../../chapters/records/runs/runs.ts";
import { TaskStatus } from "../../chapters/records/sandboxes/sandboxes.ts";
import { comparisonOf } from "../../chapters/runs/compare/providers.ts";
import { findGroups } from "../../chapters/runs/groups/find-groups.ts";
import { environmentTasks } from "../../chapters/sandboxes/tasks/task-records.ts";
import { Family } from "../../worlds/tasks/schema.ts";
import type { Narrowing } from "../pages/render.ts";
import { block, choice, folded, getForm, hidden, postForm, tick } from "./forms.ts";
import { CONSOLE, pathOf } from "./frame.ts";
import { budgetPages } from "./home/budget.ts";
import { comparisonFile, runTasksFile, runTasksOf, withDifferences } from "./lists/compared.ts";
import { csvLink } from "./lists/csv.ts";
import { groupTable, pickForm } from "./lists/groups.ts";
import { amountOf, filterChoice, filterForm, filterText, oneOf, pages, sameList, textOf } from "./lists/query.ts";
import { type ConsoleRoute, does, shows } from "./route.ts";
import { madeOf } from "./sandbox/made-of.ts";
import { field, needed, type Visit } from "./visit.ts";
import { personaJobForm } from "./work/persona-jobs.ts";
import { previewPath } from "./work/redact.ts";
import { newestTrials, rateOfTask } from "./work/review-list.ts";
import { firstEvidence } from "./work/send.ts";
import { runBefore, setUp } from "./work/set-up.ts";

/** What was run and what was found: the pages that members look at most. */
export const findingPages: readonly ConsoleRoute[] = [
  shows("/groups/:gid", group),
  shows("/compare", comparison),
  comparisonFile,
  runTasksFile,
  shows("/sandboxes/:env", async (visit) => {
    const env = visit.param("env");
    const place = `/sandboxes/${encodeURIComponent(env)}`;
    const lead = [
      html`<p class="ways"><a href="/console/start?environment=${encodeURIComponent(env)}">Run an agent on it</a> <a href="${CONSOLE}${place}/world">Rows of its world</a> <a href="${CONSOLE}${place}/try">Try a call</a> <a href="/console/review?env=${encodeURIComponent(env)}">Review its tasks one by one, filtered</a> <a href="${CONSOLE}${place}/new-task">Add a task</a> <a href="#runs">Runs on it</a> <a href="${CONSOLE}${place}/revisions">What changed it</a></p>`,
      await madeOf(visit, env),
    ];
    const from = Math.floor(amountOf(visit, "cursor") ?? 0);
    const only = {
      status: oneOf(visit, "status", TaskStatus.options),
      family: oneOf(visit, "family", Family.options),
      q: textOf(visit, "q"),
      from,
      most: TASKS,
    };
    const fit = fittingTasks(await environmentTasks(visit.ctx, env), only);
    const played = await newestTrials(visit, fit.slice(from, from + TASKS));
    const newest = new Map([...played].map(([task, trials]) => [task, rateOfTask(trials) ?? ""]));
    const [doc, runs] = await Promise.all([
      packetPage(visit.ctx, env, undefined, { ...only, newest }),
      runsOn(visit, env),
    ]);
    const next = from + TASKS < fit.length ? String(from + TASKS) : undefined;
    const forms = [runs, freeze(visit, "packet", env)];
    const file = csvLink("/review", { query: new URLSearchParams({ env }) }, false);
    const below = [pages(place, visit, next), html`<p>${file}</p>`];
    return { doc, lead, filter: taskFilter(visit, env), below, forms };
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
  const doc = await groupPage(visit.ctx, gid, undefined, runTasksOf(visit));
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
  const { ctx } = visit;
  const [main, before, setup, models] = own
    ? await Promise.all([mainGroupFor(ctx, own), runBefore(ctx, own), setUp(ctx, own), comparisonOf(ctx, own)])
    : [];
  const lead = html`
    <p class="ways">
      ${main !== undefined && html`<a href="/console/compare?${new URLSearchParams({ a: main, b: gid })}">Against the main version</a> `}
      ${before !== undefined && before.id !== main && html`<a href="/console/compare?${new URLSearchParams({ a: before.id, b: gid })}">Against ${before.other ? "the version before" : "the run before"}</a> `}
      ${models !== undefined && html`<a href=${pathOf({ page: "provider", id: models.id })}>${counted(models.pins.length, "model")} compared, this one among them</a> `}
      <a href="#list">Its tasks</a>
      ${" "}<a href="${where}/live">How it went, trial by trial</a>
      ${" "}<a href="/console/start?group=${encodeURIComponent(gid)}">Run its tasks once more</a>
      ${" "}<a href="/console/calibrate?group=${encodeURIComponent(gid)}">Label its trials</a>
      ${typeof own?.player.agent === "string" && html` <a href="/console/agents/${encodeURIComponent(own.player.agent)}">The agent</a>`}
      ${own?.runs.slice(0, SANDBOXES).map(({ environment, label }) => html` <a href="/console/sandboxes/${encodeURIComponent(environment)}">Sandbox ${cut(label, 40)}</a>`)}
      ${" "}<a href="${where}/trials/file" download>Its trials as CSV</a>
      ${" "}<a href=${sameList(`/groups/${encodeURIComponent(gid)}/tasks/file`, visit, {})} download>Its tasks as CSV</a>
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
  const [facts, ...rest] = doc.sections;
  const sections = [facts, setup, ...rest].flatMap((section) => section ?? []);
  return { doc: { ...doc, sections }, lead, filter: { heading: "Tasks", form }, forms };
}

/** Sandboxes of one run that its page leads to. */
const SANDBOXES = 3;
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
  const compared = await comparePage(visit.ctx, a, b, undefined, {
    change,
    family: oneOf(visit, "family", Family.options),
  });
  const doc = await withDifferences(visit.ctx, compared, a, b);
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
        <a href="/console/compare?${new URLSearchParams({ a: b, b: a })}">The other way round</a> ${visit.member.role !== "viewer" && html`<a href="/console/delivery/pr_comment?${new URLSearchParams({ group: b, against: a })}">As a comment</a> `}
        <a href="/console/start?group=${encodeURIComponent(a)}">Run the tasks of the run before once more</a>${" "}
        <a href="/console/compare/file?${new URLSearchParams({ a, b })}" download>Its tasks as CSV</a>
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

/** What a comparison's first list of tasks is called, narrowed or not. */
const TASK_LISTS: readonly string[] = ["Tasks", "What flipped"];

/** A form that freezes what the page shows now. */
export function freeze(visit: Visit, kind: string, id: string, against?: string): ComponentChildren {
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
