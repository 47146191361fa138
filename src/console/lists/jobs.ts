import { html } from "htm/preact";
import { JOB_WORDS, jobWords } from "../../../chapters/findings/pages/job-words.ts";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, minuteOf, seconds } from "../../../chapters/findings/pages/words.ts";
import { JobStatusSchema, type JobView } from "../../../chapters/job-view.ts";
import type { JobRow } from "../../../chapters/ports/store.ts";
import { table } from "../../pages/html.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { csvFile, isoTime, listEnd } from "./csv.ts";
import { worksOn } from "./job-of.ts";
import { filterChoice, filterForm, oneOf } from "./query.ts";

const PLACE = "/jobs";
/** Jobs of one page at least, where so many are left, and jobs that it looks through at most for those of a status. */
const SHOWN = 50;
const LOOKED_THROUGH = 1_000;
/** The work on one sandbox of a run: the run's own row stands for it. */
const PART = "run";
const KINDS = Object.keys(JOB_WORDS).filter((kind) => kind !== PART);

/** Background jobs of the org: what works now, on what, and what it came to. */
export const jobLists: readonly ConsoleRoute[] = [
  shows(PLACE, jobs),
  csvFile(
    PLACE,
    "jobs",
    ["job", "kind", "of", "status", "done", "total", "asked_for_at", "started_at", "ended_at", "by", "why"],
    async (visit, cursor) => {
      const { found, next } = await jobsOf(visit, cursor);
      const works = await worksOn(visit.ctx, found);
      const rows = found.map((job) => [
        ...[job.id, job.kind, (works.get(job.id) ?? []).map(({ text }) => text).join(", "), job.status],
        ...[job.done, job.total ?? undefined, isoTime(job.created_at), isoTime(job.started_at), isoTime(job.ended_at)],
        ...[job.by, job.note ?? undefined],
      ]);
      return { rows, next };
    },
  ),
];

/** The jobs that the query string asks for, from a cursor on, newest first; parts of a job are left to its own row. */
async function jobsOf(visit: Visit, from: string | undefined) {
  const live = oneOf(visit, "live", ["yes"]) !== undefined;
  const [kind, status] = [oneOf(visit, "kind", KINDS), oneOf(visit, "status", JobStatusSchema.options)];
  const found: JobRow[] = [];
  let [cursor, looked] = [from, 0];
  do {
    const page = await visit.ctx.store.jobs.list({
      limit: SHOWN,
      parent: null,
      ...(live ? { live } : {}),
      ...(kind === undefined ? {} : { kind }),
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const job of page.items) if ((status ?? job.status) === job.status) found.push(job);
    cursor = page.next;
    looked += page.items.length;
  } while (cursor !== undefined && found.length < SHOWN && looked < LOOKED_THROUGH);
  return { found, next: cursor, live, narrowed: kind !== undefined || status !== undefined };
}

async function jobs(visit: Visit): Promise<View> {
  const { found, next, live, narrowed } = await jobsOf(visit, visit.query.get("cursor") ?? undefined);
  const works = await worksOn(visit.ctx, found);
  const doc: PageDoc = { v: 1, title: "Background jobs", made_at: visit.ctx.now(), sections: [] };
  const now = visit.ctx.now();
  const took = ({ started_at, ended_at }: JobRow) =>
    started_at === null ? "" : seconds(1000 * Math.max(1, (ended_at ?? now) - started_at));
  const going = found.filter(({ ended_at }) => ended_at === null).length;
  const list = table(
    `Runs first, then the other jobs, each newest first; ${counted(going, "job")} of these ${going === 1 ? "has" : "have"} not ended. A run opens its trials, any other job what it came to.`,
    [
      { name: "Job" },
      { name: "Of", wide: true },
      { name: "Status" },
      { name: "How far" },
      { name: "Took", n: true },
      { name: "Asked for (UTC)" },
      { name: "By" },
      { name: "Why", wide: true },
    ],
    found.map((job) => [
      html`<a href=${jobPath(job)}>${jobWords(job.kind)}</a>`,
      (works.get(job.id) ?? []).map(
        ({ text, link }, i) => html`${i > 0 && ", "}<a href=${pathOf(link)}>${cut(text, 60)}</a>`,
      ),
      job.status,
      job.total === null ? "" : `${job.done} of ${job.total}`,
      took(job),
      minuteOf(job.created_at),
      cut(job.by, 40),
      cut(job.note ?? "", 200),
    ]),
  );
  const kinds = KINDS.map((value) => ({ value, text: jobWords(value) })).sort((a, b) => (a.text < b.text ? -1 : 1));
  const none = next
    ? `None among the ${LOOKED_THROUGH.toLocaleString("en")} that were looked through; the next page goes on.`
    : narrowed
      ? "No job fits. Take a filter away."
      : live
        ? "Nothing works or waits now."
        : "No job yet.";
  const lead = [
    html`<p class="ways"><a href="${CONSOLE}/live">Runs now</a> <a href="${CONSOLE}/groups">All runs</a></p>`,
    filterForm(PLACE, visit, [
      filterChoice(visit, "live", "Show", [
        { value: "", text: "all jobs" },
        { value: "yes", text: "those that have not ended" },
      ]),
      filterChoice(visit, "kind", "Kind", [{ value: "", text: "any" }, ...kinds]),
      filterChoice(visit, "status", "Status", [
        { value: "", text: "any" },
        ...JobStatusSchema.options.map((value) => ({ value, text: value })),
      ]),
    ]),
    found.length === 0 ? html`<p>${none}</p>` : list,
    listEnd(PLACE, visit, next),
  ];
  return { doc, lead };
}

/** Where a job is looked at: a run at its trials. */
export function jobPath({ id, kind }: Pick<JobView, "id" | "kind">): string {
  return kind === "run_group" ? `${pathOf({ page: "group", id })}/live` : pathOf({ page: "job", id });
}
