import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { Ctx } from "../../../chapters/context.ts";
import { type Home, homePage } from "../../../chapters/findings/pages/home.ts";
import { jobWords } from "../../../chapters/findings/pages/job-words.ts";
import { counted, cut, dollars } from "../../../chapters/findings/pages/words.ts";
import { isNear } from "../../../chapters/organization/budget.ts";
import { confidenceBands } from "../../../chapters/organization/confidence.ts";
import type { JobRow } from "../../../chapters/ports/store.ts";
import { IngestProposal } from "../../../chapters/records/evidence/after-ingest.ts";
import { Evidence } from "../../../chapters/records/evidence/evidence.ts";
import { FailureModeProposal } from "../../../chapters/records/findings/findings.ts";
import { Incident } from "../../../chapters/records/online/online.ts";
import { DimensionValue } from "../../../chapters/records/ontology/dimension.ts";
import { Environment, TaskRecord } from "../../../chapters/records/sandboxes/sandboxes.ts";
import { compareGroups } from "../../../chapters/runs/compare/compare.ts";
import { groupData } from "../../../chapters/runs/groups/group-data.ts";
import { readTrend } from "../../../chapters/runs/groups/trend.ts";
import { liveRuns } from "../../../chapters/runs/jobs/watch.ts";
import { planSentence } from "../../../chapters/runs/start/plan.ts";
import { block } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { jobPath } from "../lists/jobs.ts";
import { namedGroups } from "../live/runs.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { checksShort } from "../work/calibrations.ts";
import { firstEvidence } from "../work/send.ts";
import { sinceLastVisit } from "./since.ts";
import { rateChart } from "./trends.ts";

/** The first page. */
export const homePages: readonly ConsoleRoute[] = [shows("/", home)];

async function home(visit: Visit): Promise<View> {
  const { ctx } = visit;
  const { records } = ctx.store;
  const [{ doc, finding, budget, held }, trend, live, waiting, since, sandboxes, traces, working] = await Promise.all([
    homePage(ctx),
    readTrend(ctx),
    liveRuns(ctx),
    waitingFor(ctx),
    sinceLastVisit(visit),
    records.count(Environment),
    records.count(Evidence, { kind: "traces" }),
    ctx.store.jobs.list({ live: true, limit: LOOKED_AT }),
  ]);
  const others = working.items.filter(
    ({ kind, status }) => kind !== "run_group" && kind !== "run" && status !== "held",
  );
  const running = live.runs.filter(({ kind, ended_at }) => kind === "run_group" && ended_at === null);
  const { nameOf } = await namedGroups(ctx, running);
  const chart = rateChart(trend, "half");
  const lead = [
    finding && [comparedLine(finding), await powerLine(ctx, finding)],
    await firstEvidence(visit),
    html`
      <div class=${chart ? "charts" : undefined}>
        <div class="columns">
          ${block("Runs now", runningNow(running, nameOf), otherRunning(others), otherWaiting(held), spentLine(budget), sandboxes > 0 && startLink, html`<p><a href="${CONSOLE}/jobs">All background jobs</a></p>`)}
          ${block("Waits for a person", waitingList(waiting, traces > 0))}
          ${since !== null && block("Since your last visit", since)}
        </div>
        ${chart && block("Over versions", chart, html`<p><a href="${CONSOLE}/trends">Cost, latency, steps and errors over time</a></p>`)}
      </div>
    `,
  ];
  return { doc, lead };
}

/** The way to the comparison that the verdict is of, with what each of its two versions came to. */
function comparedLine({ main, tested, tasks_total: changed }: NonNullable<Home["finding"]>): ComponentChild {
  const of = ({ group, met, valid }: typeof main) =>
    html`<a href=${pathOf({ page: "group", id: group })}>${met} of ${valid}</a>`;
  const compared = pathOf({ page: "compare", id: main.group, against: tested.group });
  return html`
    <p class="ways">
      <a href=${compared}>Open the comparison</a>
      <span>${of(main)} met before, ${of(tested)} now; ${changed === 0 ? "no task" : html`<a href=${compared}>${counted(changed, "task")}</a>`} changed sides.</span>
    </p>
  `;
}

const startLink = html`<p><a class="button" href="${CONSOLE}/start">Start a run</a></p>`;

type Live = Awaited<ReturnType<typeof liveRuns>>["runs"];

function runningNow(running: Live, nameOf: (id: string) => string): ComponentChild {
  if (running.length === 0) return html`<p>Nothing.</p>`;
  const far = ({ done, total }: Live[number]) => (total === null ? "" : `, ${done} of ${total}`);
  return html`
    <ul>
      ${running.map(
        (job) =>
          html`<li><a href="${CONSOLE}/groups/${encodeURIComponent(job.id)}/live">${nameOf(job.id)}</a>, ${job.status}${far(job)}, by ${cut(job.by, 40)}${job.status === "held" && job.note && html`<br /><span class="warn">${cut(job.note, 300)}</span>`}</li>`,
      )}
    </ul>
  `;
}

/**
 * What a comparison that shows no difference could have shown: without it "none shown" reads as "none". Nothing where one is
 * shown, or nothing was compared.
 */
async function powerLine(ctx: Ctx, { main, tested, words, n }: NonNullable<Home["finding"]>): Promise<ComponentChild> {
  if (words !== "no difference shown" || n === 0) return null;
  const groups = await Promise.all([groupData(ctx, main.group), groupData(ctx, tested.group)]);
  const { smallest, plan } = compareGroups(...groups, await confidenceBands(ctx));
  // Of too few tasks the verdict itself says that they can show none.
  const least =
    smallest === undefined
      ? ""
      : `The smallest difference that could have shown: ${(100 * smallest.difference).toFixed(1)} points.`;
  return html`<p class="soft">${least} ${plan && planSentence(plan)}</p>`;
}

/** Jobs that are looked at for what works now, and those of them that are told one by one. */
const LOOKED_AT = 100;
const NAMED = 6;

/** Work under way that is no run: a build, a writing of tasks. */
function otherRunning(jobs: readonly JobRow[]): ComponentChild {
  if (jobs.length === 0) return null;
  const far = ({ done, total }: JobRow) => (total === null ? "" : `, ${done} of ${total}`);
  return html`
    <ul>
      ${jobs.slice(0, NAMED).map((job) => html`<li><a href=${jobPath(job)}>${jobWords(job.kind)}</a>, ${job.status}${far(job)}, by ${cut(job.by, 40)}</li>`)}
      ${jobs.length > NAMED && html`<li><a href="${CONSOLE}/jobs?live=yes">and ${jobs.length - NAMED} more</a></li>`}
    </ul>
  `;
}

/** Other work that the budget or a person holds back, with why. */
function otherWaiting(held: Home["held"]): ComponentChild {
  const others = held.filter(({ kind }) => kind !== "run_group");
  if (others.length === 0) return null;
  return html`<ul>${others.map(({ job, kind, why, by }) => html`<li><a href=${pathOf({ page: "job", id: job })}>${jobWords(kind)}</a>, held, by ${cut(by, 40)}<br /><span class="warn">${cut(why, 300)}</span></li>`)}</ul>`;
}

function spentLine(budget: Home["budget"]): ComponentChild {
  const { spent_usd, usd_per_day } = budget;
  const told =
    spent_usd > usd_per_day
      ? ", over the budget"
      : isNear(budget)
        ? `, ${Math.floor((100 * spent_usd) / usd_per_day)} % of it: work that asks models may soon wait`
        : "";
  return html`<p class=${told === "" ? undefined : "warn"}><a href=${pathOf({ page: "spend", id: "" })}>${dollars(spent_usd)} of today's ${dollars(usd_per_day)}</a> spent${told}</p>`;
}

interface Waiting {
  readonly n: number;
  readonly what: string;
  readonly place: string;
}

/** What only a person can settle, by kind, with where that is done. */
async function waitingFor(ctx: Ctx): Promise<readonly Waiting[]> {
  const { records } = ctx.store;
  const [incidents, held, drafts, modes, values, open, offered, checks] = await Promise.all([
    records.count(Incident, { status: "open" }),
    records.count(TaskRecord, { status: "held" }),
    records.count(TaskRecord, { status: "draft" }),
    records.count(FailureModeProposal, { state: "proposed" }),
    records.count(DimensionValue, { status: "proposed" }),
    records.count(IngestProposal, { state: "open" }),
    records.count(IngestProposal, { state: "open", kind: "value" }),
    checksShort(ctx),
  ]);
  const all: Waiting[] = [
    { n: incidents, what: counted(incidents, "open incident"), place: "/delivery/alerts" },
    { n: held, what: counted(held, "held task"), place: "/review?status=held" },
    { n: drafts, what: `${counted(drafts, "task")} without a review`, place: "/review?status=draft" },
    { n: modes, what: `${counted(modes, "proposed failure mode")}`, place: "/proposals" },
    { n: values, what: counted(values, "value read from evidence", "values read from evidence"), place: "/proposals" },
    // An offer of a value is that value.
    { n: open - offered, what: `${counted(open - offered, "offer")} after new evidence`, place: "/proposals" },
    {
      n: checks,
      what: counted(checks, "check that lacks labels", "checks that lack labels"),
      place: "/calibrations",
    },
  ];
  return all.filter(({ n }) => n > 0);
}

function waitingList(waiting: readonly Waiting[], traces: boolean): ComponentChild {
  const label = traces && html`<a href="${CONSOLE}/label">Label traces</a>`;
  if (waiting.length === 0) return html`<p>Nothing. ${label}</p>`;
  return html`
    <ul>${waiting.map(({ what, place }) => html`<li><a href=${CONSOLE + place}>${what}</a></li>`)}${label && html`<li>${label}</li>`}</ul>
  `;
}
