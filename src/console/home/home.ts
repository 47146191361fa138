import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import { listChanges } from "../../../chapters/automation/changes.ts";
import type { Ctx } from "../../../chapters/context.ts";
import { homePage } from "../../../chapters/findings/pages/home.ts";
import type { PageDoc, PageLink } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf } from "../../../chapters/findings/pages/words.ts";
import { shownTo } from "../../../chapters/modes/note-audience.ts";
import { everyRow } from "../../../chapters/page.ts";
import type { Doc } from "../../../chapters/record.ts";
import { IngestProposal } from "../../../chapters/records/evidence/after-ingest.ts";
import { FailureMode, FailureModeProposal } from "../../../chapters/records/findings/findings.ts";
import { Report } from "../../../chapters/records/findings/report.ts";
import { DimensionValue } from "../../../chapters/records/ontology/dimension.ts";
import { RunGroup } from "../../../chapters/records/runs/runs.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { readTrend } from "../../../chapters/runs/groups/trend.ts";
import { liveRuns } from "../../../chapters/runs/jobs/watch.ts";
import { block } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { namedGroups } from "../work/live.ts";
import { rateChart } from "./trends.ts";

/** Rows of a kind that are counted at most where the store cannot count them by time. */
const COUNTED = 500;
/** Changes that are told one by one. */
const TOLD = 6;

/** The first page. */
export const homePages: readonly ConsoleRoute[] = [shows("/", home)];

async function home(visit: Visit): Promise<View> {
  const { ctx } = visit;
  const [doc, trend, live, waiting, since] = await Promise.all([
    homePage(ctx),
    readTrend(ctx),
    liveRuns(ctx),
    waitingFor(ctx),
    sinceLastVisit(visit),
  ]);
  const running = live.runs.filter(({ kind, ended_at }) => kind === "run_group" && ended_at === null);
  const { nameOf } = await namedGroups(ctx, running);
  const chart = rateChart(trend);
  const compared = comparisonOf(doc);
  const lead = [
    compared !== undefined && html`<p class="ways"><a href=${pathOf(compared)}>Open the comparison</a></p>`,
    chart && [chart, html`<p><a href="${CONSOLE}/trends">Cost, latency, steps and errors over time</a></p>`],
    html`
      <div class="columns">
        ${block("Runs now", runningNow(running, nameOf))}
        ${block("Waits for a person", waitingList(waiting))}
        ${block("Since your last visit", since)}
      </div>
    `,
  ];
  return { doc, lead };
}

/** The comparison that the verdict is of, which the page's first facts lead to. */
function comparisonOf({ sections: [first] }: PageDoc): PageLink | undefined {
  const value = first?.show === "facts" ? first.facts[0]?.value : undefined;
  const link = typeof value === "object" ? value.link : undefined;
  return link?.page === "compare" ? link : undefined;
}

type Live = Awaited<ReturnType<typeof liveRuns>>["runs"];

function runningNow(running: Live, nameOf: (id: string) => string): ComponentChild {
  if (running.length === 0) return html`<p>Nothing. <a href="${CONSOLE}/start">Start a run</a></p>`;
  const far = ({ done, total }: Live[number]) => (total === null ? "" : `, ${done} of ${total}`);
  return html`
    <ul>
      ${running.map(
        (job) =>
          html`<li><a href="${CONSOLE}/groups/${encodeURIComponent(job.id)}/live">${nameOf(job.id)}</a>, ${job.status}${far(job)}, by ${cut(job.by, 40)}</li>`,
      )}
    </ul>
  `;
}

interface Waiting {
  readonly n: number;
  readonly what: string;
  readonly place: string;
}

/** What only a person can settle, by kind, with where that is done. */
async function waitingFor({ store: { records } }: Ctx): Promise<readonly Waiting[]> {
  const [held, drafts, modes, ingest, values] = await Promise.all([
    records.count(TaskRecord, { status: "held" }),
    records.count(TaskRecord, { status: "draft" }),
    records.count(FailureModeProposal, { state: "proposed" }),
    records.count(IngestProposal, { state: "open" }),
    records.count(DimensionValue, { status: "proposed" }),
  ]);
  const all: Waiting[] = [
    { n: held, what: counted(held, "held task"), place: "/review?status=held" },
    { n: drafts, what: `${counted(drafts, "task")} without a review`, place: "/review?status=draft" },
    { n: modes, what: `${counted(modes, "proposed failure mode")}`, place: "/proposals" },
    { n: ingest, what: `${counted(ingest, "proposal")} after new evidence`, place: "/proposals" },
    { n: values, what: `${counted(values, "proposed dimension value")}`, place: "/coverage" },
  ];
  return all.filter(({ n }) => n > 0);
}

function waitingList(waiting: readonly Waiting[]): ComponentChild {
  const label = html`<a href="${CONSOLE}/label">Label traces</a>`;
  if (waiting.length === 0) return html`<p>Nothing. ${label}</p>`;
  return html`
    <ul>${waiting.map(({ what, place }) => html`<li><a href=${CONSOLE + place}>${what}</a></li>`)}<li>${label}</li></ul>
  `;
}

/** What came to be after the member's visit before this one ended. */
async function sinceLastVisit({ ctx, session }: Visit): Promise<ComponentChild> {
  const since = session.left_at;
  if (since === undefined) return html`<p>This is your first visit here.</p>`;
  const [groups, modes, reports, changes] = await Promise.all([
    newer(ctx, RunGroup, since),
    newer(ctx, FailureMode, since, (mode) => shownTo(mode, "customer")),
    newer(ctx, Report, since),
    listChanges(ctx, { since, limit: TOLD + 1 }),
  ]);
  const lines = [
    groups === "0" ? undefined : html`<a href="${CONSOLE}/groups">${groups} new ${groups === "1" ? "run" : "runs"}</a>`,
    modes === "0"
      ? undefined
      : html`<a href="${CONSOLE}/failure-modes">${modes} new failure ${modes === "1" ? "mode" : "modes"}</a>`,
    reports === "0"
      ? undefined
      : html`<a href="${CONSOLE}/reports">${reports} new ${reports === "1" ? "report" : "reports"}</a>`,
    ...changes.lines
      .slice(0, TOLD)
      .map(
        ({ change, about, at }) =>
          html`${minuteOf(at)} ${change.replaceAll("_", " ")}: ${about.kind}${" "}${changeLink(about)}`,
      ),
    changes.lines.length > TOLD ? "and more" : undefined,
  ].filter((line) => line !== undefined);
  if (lines.length === 0) return html`<p>Nothing since ${minuteOf(since)} UTC.</p>`;
  return html`<p class="soft">After ${minuteOf(since)} UTC</p><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function changeLink({ kind, id }: { readonly kind: string; readonly id: string }): ComponentChild {
  const short = id.slice(-6);
  if (kind === "environment") return html`<a href="${CONSOLE}/sandboxes/${encodeURIComponent(id)}">${short}</a>`;
  if (kind === "surface") return html`<a href="${CONSOLE}/surfaces/${encodeURIComponent(id)}/fidelity">${short}</a>`;
  return html`${short}`;
}

/** How many records of a kind were made after a time, in words. */
async function newer<K extends typeof RunGroup | typeof FailureMode | typeof Report>(
  ctx: Ctx,
  kind: K,
  since: number,
  counts: (doc: Doc<K>) => boolean = () => true,
): Promise<string> {
  let n = 0;
  for await (const doc of everyRow((page) => ctx.store.records.list(kind, page))) {
    if (doc.created_at <= since) break;
    if (counts(doc)) n += 1;
    if (n === COUNTED) return `${COUNTED} and more`;
  }
  return String(n);
}
