import { html } from "htm/preact";
import type { ComponentChild } from "preact";
import type { Ctx } from "../../../chapters/context.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf } from "../../../chapters/findings/pages/words.ts";
import type { JobView } from "../../../chapters/job-view.ts";
import type { Doc } from "../../../chapters/record.ts";
import { playerName, Run, RunGroup } from "../../../chapters/records/runs/runs.ts";
import type { Ends } from "../../../chapters/runs/trials/rates.ts";
import { table } from "../../pages/html.ts";
import { block, postForm } from "../forms.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { metCell } from "../lists/groups.ts";
import { jobLog } from "../lists/job-log.ts";
import { type ConsoleRoute, does, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";

/** A run while it works, as `watch_job` answers it. */
export interface Watched extends JobView {
  readonly n: number;
  readonly of: number;
  readonly tally: Ends;
  readonly trials: readonly {
    readonly run: string;
    readonly task: string;
    readonly n: number;
    readonly attempt: number;
    readonly end: string;
    readonly cause: string | null;
    readonly ended_at: number;
    readonly calls: number;
  }[];
  readonly in_flight: readonly {
    readonly run: string;
    readonly task: string;
    readonly n: number;
    readonly started_at: number;
    readonly calls: readonly { readonly tool: string }[];
  }[];
  readonly now: number;
  readonly estimate_seconds?: number;
}

/** Trials that the page lists, newest first. */
const SHOWN = 40;
/** Runs whose trials are read for the list of all, newest first. */
const NEAR = 20;
/** How often the page is loaded anew where no script runs, seconds. */
const REFRESH_S = 4;

/** A run that fills in while it goes, and what can be done with it. */
export const livePages: readonly ConsoleRoute[] = [
  shows("/live", live),
  shows("/groups/:gid/live", watched),
  does("/groups/:gid/stop", async (visit) => {
    await visit.call("job_stop", { job_id: visit.param("gid"), by: visit.member.name });
    return { to: `${place(visit)}/live` };
  }),
  does("/groups/:gid/resume", async (visit) => {
    const args = { resume: visit.param("gid"), by: visit.member.name };
    const { group } = await visit.call<{ group: string }>("start_run", args);
    return { to: `${CONSOLE}/groups/${encodeURIComponent(group)}/live` };
  }),
  does("/groups/:gid/finish", async (visit) => {
    await visit.call("finish_run", { job: visit.param("gid"), by: visit.member.name });
    return { to: place(visit) };
  }),
];

function place(visit: Visit): string {
  return `${CONSOLE}/groups/${encodeURIComponent(visit.param("gid"))}`;
}

/** The groups of these jobs, and what each is called: who plays it. */
export async function namedGroups(ctx: Ctx, jobs: readonly { readonly id: string }[]) {
  const docs = await ctx.store.records.getMany(
    RunGroup,
    jobs.map(({ id }) => id),
  );
  const known = new Map(docs.map((group) => [group.id, group]));
  const nameOf = (id: string) => {
    const group = known.get(id);
    return group === undefined ? "a run" : cut(playerName(group.player), 60);
  };
  return { known, nameOf };
}

async function live(visit: Visit): Promise<View> {
  const doc: PageDoc = { v: 1, title: "Runs now", made_at: visit.ctx.now(), sections: [] };
  const going = await isLive(visit);
  const lead = [
    html`<p class="ways"><a href="${CONSOLE}/start">Start a run</a> <a href="${CONSOLE}/groups">All runs</a> <a href="${CONSOLE}/jobs">All background jobs</a></p>`,
    fillingIn(await liveTable(visit), going ? `${CONSOLE}/live/events` : undefined),
  ];
  return { doc, lead };
}

/** A part that fills in by its events where script runs; without, the page is loaded anew. */
export function fillingIn(part: ComponentChild, events: string | undefined): ComponentChild {
  return [
    events !== undefined && html`<noscript><meta http-equiv="refresh" content=${REFRESH_S} /></noscript>`,
    html`<div data-island=${events && "live"} data-events=${events}>${part}</div>`,
  ];
}

const liveGroups = async (visit: Visit) =>
  (await visit.call<{ runs: readonly JobView[] }>("live_runs")).runs.filter(({ kind }) => kind === "run_group");

/** Whether any run works or waits now. */
export async function isLive(visit: Visit): Promise<boolean> {
  return (await liveGroups(visit)).some(({ ended_at }) => ended_at === null);
}

/** Runs that work now or ended just now, each with how far it is, what it met so far, and a button that stops it. */
export async function liveTable(visit: Visit): Promise<ComponentChild> {
  const all = await liveGroups(visit);
  const groups = [
    ...all.filter(({ ended_at }) => ended_at === null),
    ...all.filter(({ ended_at }) => ended_at !== null),
  ];
  if (groups.length === 0) return html`<p>Nothing runs, and nothing ended within the last 15 minutes.</p>`;
  const { known, nameOf } = await namedGroups(visit.ctx, groups);
  const near = await Promise.all(
    groups.slice(0, NEAR).map(({ id }) => visit.call<Watched>("watch_job", { job_id: id })),
  );
  const watched = new Map(near.map((job) => [job.id, job]));
  const held = groups.filter(({ status }) => status === "held");
  const list = table(
    "Runs that work or wait now, then those that ended within the last 15 minutes, each newest first.",
    [
      { name: "Played by" },
      { name: "Met so far", n: true },
      { name: "How far" },
      { name: "Stop" },
      { name: "On" },
      { name: "Started (UTC)" },
      { name: "By" },
    ],
    groups.map((job) => {
      const where = `/groups/${encodeURIComponent(job.id)}`;
      const now = watched.get(job.id);
      const name = nameOf(job.id);
      return [
        html`<a href="${CONSOLE}${where}/live">${name}</a>`,
        now === undefined ? "" : metCell(job.id, now.tally),
        howFar(job, now),
        job.ended_at === null
          ? postForm(visit, `${where}/stop`, "Stop", null, { plain: true, name: `Stop ${name}` })
          : "",
        cut((known.get(job.id)?.runs ?? []).map(({ label }) => label).join(", "), 80),
        minuteOf(job.created_at),
        cut(job.by, 40),
      ];
    }),
  );
  return [liveVerdict(groups, watched), waitLine(held, nameOf), list];
}

/** How far the runs that work are together, and how many trials failed in them. */
function liveVerdict(groups: readonly JobView[], watched: ReadonlyMap<string, Watched>): ComponentChild {
  const going = groups.filter(({ ended_at, status }) => ended_at === null && status !== "held");
  if (going.length === 0) return html`<p class="verdict is-plain" role="status">No run works now.</p>`;
  const near = going.flatMap(({ id }) => watched.get(id) ?? []);
  const sum = (of: (job: Watched) => number) => near.reduce((all, job) => all + of(job), 0);
  const failed = sum(({ tally }) => tally.failed);
  return html`
    <p class="verdict is-${failed === 0 ? "plain" : "warn"}" role="status">${counted(going.length, "run")} ${going.length === 1 ? "works" : "work"}: ${sum(({ n }) => n)} of ${counted(
      sum(({ of }) => of),
      "trial",
    )} ended, ${failed} failed so far.</p>
  `;
}

/** Which runs are held back, with why and the way to the budget. */
export function waitLine(held: readonly JobView[], nameOf: (id: string) => string): ComponentChild {
  if (held.length === 0) return null;
  const said = `${counted(held.length, "run")} ${held.length === 1 ? "waits" : "wait"} for budget`;
  return html`
    <p class="verdict is-warn"><a href=${pathOf({ page: "spend", id: "" })}>${said}</a></p>
    ${held.map(({ id, note }) => note && html`<p>${nameOf(id)}: ${cut(note, 300)}</p>`)}
    <p><a class="button" href=${pathOf({ page: "spend", id: "" })}>Raise the budget</a></p>
  `;
}

/** How far a run is, as a bar, and below it how it stands. */
function howFar({ done, total, ended_at, status }: JobView, now: Watched | undefined): ComponentChild {
  const [n, of] = now === undefined ? [done, total] : [now.n, now.of];
  const left =
    now?.estimate_seconds === undefined || ended_at !== null ? "" : `, about ${duration(now.estimate_seconds)} left`;
  const said = of === null ? "" : `${n} of ${counted(of, "trial")}${left}`;
  const stands = html`<span class=${status === "held" ? "warn" : "soft"} style="display:block">${status}</span>`;
  if (of === null) return stands;
  return html`
    <progress max=${Math.max(1, of)} value=${n} aria-label="Trials that have ended" style="display:block;width:7rem">${said}</progress>
    <span class="t">${said}</span>${stands}
  `;
}

async function watched(visit: Visit): Promise<View> {
  const gid = visit.param("gid");
  const { store } = visit.ctx;
  const group = await store.records.get(RunGroup, gid);
  // A run that was taken in whole never ran here.
  if (group !== undefined && (await store.jobs.get(gid)) === undefined) return { to: place(visit) };
  const job = await visit.call<Watched>("watch_job", { job_id: gid });
  const going = job.ended_at === null;
  const player = group?.player;
  const name = player === undefined ? "Run" : cut(playerName(player), 60);
  const doc: PageDoc = {
    v: 1,
    title: `${name}, ${going ? "while it runs" : "how it went"}`,
    made_at: visit.ctx.now(),
    sections: [],
  };
  const requests = await requestsOf(visit.ctx, gid);
  const lead = [
    fillingIn(
      progress(job, requests, await failedChecks(visit.ctx, job)),
      going ? `${place(visit)}/events` : undefined,
    ),
    controls(visit, job),
    group === undefined ? null : again(group, job),
  ];
  return { doc, lead, forms: await jobLog(visit, gid) };
}

/** What each task of a group asks for, by the task's id. */
export async function requestsOf({ store: { records } }: Ctx, gid: string): Promise<ReadonlyMap<string, string>> {
  const group = await records.get(RunGroup, gid);
  const runs = await records.getMany(
    Run,
    (group?.runs ?? []).map(({ run }) => run),
  );
  return new Map(runs.flatMap(({ tasks }) => tasks.map(({ id, request }) => [id, request] as const)));
}

type Ended = Watched["trials"][number];
const nameOfTrial = ({ run, task, n }: Pick<Ended, "run" | "task" | "n">) => `${run}/${task}/${n}`;

/** Trials that have ended, as many as are shown: what failed first, then what does not count, each newest first. */
function shownTrials({ trials }: Watched): readonly Ended[] {
  const place = ({ end }: Ended) => (end === "failed" ? 0 : end === "met" ? 2 : 1);
  return trials.toSorted((a, b) => place(a) - place(b)).slice(0, SHOWN);
}

/** The check that each shown trial failed by, with why, by the trial's name. */
export async function failedChecks({ store }: Ctx, job: Watched): Promise<ReadonlyMap<string, string>> {
  const failed = shownTrials(job).filter(({ end }) => end === "failed");
  const told = failed.map(async (each) => {
    const row = (await store.trials.get(each.run, each.task, each.n)).find(({ attempt }) => attempt === each.attempt);
    const check = row?.checks.find(({ verdict }) => verdict === "not_met");
    const why = check === undefined ? "" : `${check.kind.replaceAll("_", " ")}: ${cut(check.reason, 160)}`;
    return [nameOfTrial(each), why] as const;
  });
  return new Map(await Promise.all(told));
}

/** What the run has come to, as the page shows it and as its events bring it anew. */
export function progress(
  job: Watched,
  requests: ReadonlyMap<string, string>,
  failed: ReadonlyMap<string, string>,
): ComponentChild {
  const { n, of, tally, status, note, in_flight, trials, estimate_seconds: left, now, ended_at } = job;
  const valid = tally.met + tally.failed;
  const nameOf = (task: string) => cut(requests.get(task) ?? task.slice(-6), 90);
  const beside = tally.infra + tally.invalid;
  const told = left === undefined || ended_at !== null ? "" : `, about ${duration(left)} left`;
  const where = `${CONSOLE}/groups/${encodeURIComponent(job.id)}`;
  const landed = status === "landed";
  const uncounted = beside === 0 ? "" : `; not counted: ${tally.infra} infra, ${tally.invalid} invalid`;
  return html`
    <p class="verdict is-plain" role="status">
      ${
        landed
          ? `${tally.met} of ${valid} met; ${tally.failed} failed${uncounted}.`
          : `${n} of ${counted(of, "trial")} ${n === 1 ? "has" : "have"} ended${told}; the run is ${status}${note ? `: ${note}` : "."}`
      }
    </p>
    ${!landed && html`<progress max=${Math.max(1, of)} value=${n} aria-label="Trials that have ended">${n} of ${of}</progress>`}
    <p>
      ${ended_at !== null && `It took ${duration(ended_at - job.created_at)}. `}${landed ? `${n} of ${counted(of, "trial")} ended.` : `Met ${tally.met} of ${valid} valid${uncounted}.`}
      ${ended_at !== null && html` <a href=${where}>Open the result</a>`}
    </p>
    ${
      in_flight.length > 0 &&
      table(
        `Under way: ${in_flight.some(({ calls }) => calls.length > 0) ? "what each has called so far" : "none has called a tool yet"}.`,
        [
          { name: "Task", wide: true },
          { name: "Try", n: true },
          { name: "For", n: true },
          { name: "Calls", wide: true },
        ],
        in_flight.map((each) => [
          html`<a href="${where}/live/${[each.run, each.task, String(each.n)].map(encodeURIComponent).join("/")}">${nameOf(each.task)}</a>`,
          each.n,
          duration(now - each.started_at),
          cut(each.calls.map(({ tool }) => tool).join(", "), 160),
        ]),
      )
    }
    ${
      trials.length > 0 &&
      table(
        `Ended: what failed first, with the check that it failed, then newest first${trials.length > SHOWN ? `; ${SHOWN} of ${trials.length}` : ""}.`,
        [
          { name: "Task", wide: true },
          { name: "Try", n: true },
          { name: "End" },
          { name: "Calls", n: true },
          { name: "Ended (UTC)" },
        ],
        shownTrials(job).map((each) => {
          const tone = each.end === "met" ? "good" : each.end === "failed" ? "bad" : "warn";
          const path = [each.run, each.task, String(each.n)].map(encodeURIComponent).join("/");
          const why = failed.get(nameOfTrial(each)) || each.cause?.replaceAll("_", " ");
          return [
            html`<a href="${CONSOLE}/trials/${path}">${nameOf(each.task)}</a>${why && html`<br /><span class=${tone}>${why}</span>`}`,
            each.n,
            html`<span class=${tone}>${each.end}</span>`,
            each.calls,
            minuteOf(each.ended_at),
          ];
        }),
      )
    }
  `;
}

function controls(visit: Visit, { id, ended_at, status, n }: Watched): ComponentChild {
  const where = `/groups/${encodeURIComponent(id)}`;
  if (ended_at === null)
    return block(
      "Stop it",
      html`<p>Trials that have ended stay; the run can be continued later.</p>`,
      postForm(visit, `${where}/stop`, "Stop", null, { plain: true }),
    );
  if (status === "landed") return null;
  return block(
    "Go on with it",
    html`<p>Only what is missing is played: trials that have ended stay as they are.</p>`,
    postForm(visit, `${where}/resume`, "Go on", null),
    n > 0 && html`<p>Or leave it at the ${counted(n, "trial")} that ended.</p>`,
    n > 0 && postForm(visit, `${where}/finish`, "Land what has ended", null, { plain: true }),
  );
}

/** The ways to run once more what an ended run was of. */
function again({ id, player, runs }: Doc<typeof RunGroup>, { ended_at, tally }: Watched): ComponentChild {
  if (ended_at === null) return null;
  const who = player.agent === null ? `harness:${player.harness ?? ""}` : `agent:${player.agent}`;
  const link = (asked: Record<string, string>) =>
    `${CONSOLE}/start?${new URLSearchParams({ player: who, version: player.version ?? "", ...asked })}`;
  const [only, ...others] = runs;
  const on: Record<string, string> = only === undefined || others.length > 0 ? {} : { environment: only.environment };
  return block(
    "Once more",
    html`
      <ul>
        <li><a href=${link({ group: id })}>The same tasks</a></li>
        ${tally.failed > 0 && html`<li><a href=${link({ ...on, selection: "failed_last" })}>Only the tasks that it failed</a></li>`}
      </ul>
    `,
  );
}

/** Seconds in words, as coarse as it is long. */
function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.ceil(seconds))} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${Number((seconds / 3600).toFixed(1))} h`;
}
