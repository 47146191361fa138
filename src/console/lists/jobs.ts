import { html } from "htm/preact";
import type { PageDoc } from "../../../chapters/findings/pages/page-doc.ts";
import { counted, cut, inWords, minuteOf, seconds } from "../../../chapters/findings/pages/words.ts";
import type { JobView } from "../../../chapters/job-view.ts";
import { table } from "../../pages/html.ts";
import { CONSOLE, pathOf } from "../frame.ts";
import { type ConsoleRoute, shows } from "../route.ts";
import type { View, Visit } from "../visit.ts";
import { filterChoice, filterForm, oneOf, pages } from "./query.ts";

const PLACE = "/jobs";
/** Jobs of one page. */
const SHOWN = 50;

/** Background jobs of the org: what works now, and what it came to. */
export const jobLists: readonly ConsoleRoute[] = [shows(PLACE, jobs)];

async function jobs(visit: Visit): Promise<View> {
  const live = oneOf(visit, "live", ["yes"]) !== undefined;
  const cursor = visit.query.get("cursor");
  const { jobs: found, next } = await visit.call<{ jobs: readonly JobView[]; next?: string }>("jobs_list", {
    limit: SHOWN,
    ...(live ? { live } : {}),
    ...(cursor === null ? {} : { cursor }),
  });
  const doc: PageDoc = { v: 1, title: "Background jobs", made_at: visit.ctx.now(), sections: [] };
  const now = visit.ctx.now();
  const took = ({ started_at, ended_at }: JobView) =>
    started_at === null ? "" : seconds(1000 * Math.max(1, (ended_at ?? now) - started_at));
  const going = found.filter(({ ended_at }) => ended_at === null).length;
  const list = table(
    `Newest first; ${counted(going, "job")} of these ${going === 1 ? "has" : "have"} not ended. A run opens its trials, any other job what it came to.`,
    [
      { name: "Job" },
      { name: "Status" },
      { name: "How far" },
      { name: "Took", n: true },
      { name: "Asked for (UTC)" },
      { name: "By" },
      { name: "Why", wide: true },
    ],
    found.map((job) => [
      html`<a href=${jobPath(job)}>${inWords(job.kind)}</a>`,
      job.status,
      job.total === null ? "" : `${job.done} of ${job.total}`,
      took(job),
      minuteOf(job.created_at),
      cut(job.by, 40),
      cut(job.note ?? "", 200),
    ]),
  );
  const lead = [
    html`<p class="ways"><a href="${CONSOLE}/live">Runs now</a> <a href="${CONSOLE}/groups">All runs</a></p>`,
    filterForm(PLACE, visit, [
      filterChoice(visit, "live", "Show", [
        { value: "", text: "all jobs" },
        { value: "yes", text: "those that have not ended" },
      ]),
    ]),
    found.length === 0 ? html`<p>${live ? "Nothing works or waits now." : "No job yet."}</p>` : list,
    pages(PLACE, visit, next),
  ];
  return { doc, lead };
}

/** Where a job is looked at: a run at its trials. */
export function jobPath({ id, kind }: Pick<JobView, "id" | "kind">): string {
  return kind === "run_group" ? `${pathOf({ page: "group", id })}/live` : pathOf({ page: "job", id });
}
