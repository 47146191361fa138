import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { Ctx } from "../../../chapters/context.ts";
import { homePage } from "../../../chapters/findings/pages/home.ts";
import type { PageDoc, PageLink } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut } from "../../../chapters/findings/pages/words.ts";
import { IngestProposal } from "../../../chapters/records/evidence/after-ingest.ts";
import { FailureModeProposal } from "../../../chapters/records/findings/findings.ts";
import { DimensionValue } from "../../../chapters/records/ontology/dimension.ts";
import { TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { readTrend } from "../../../chapters/runs/groups/trend.ts";
import { liveRuns } from "../../../chapters/runs/jobs/watch.ts";
import { block } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { namedGroups } from "../work/live.ts";
import { sinceLastVisit } from "./since.ts";
import { rateChart } from "./trends.ts";

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
