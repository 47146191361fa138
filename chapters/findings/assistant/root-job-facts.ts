import { countOf } from "../../count-of.ts";
import { periodIn } from "./root-period.ts";
import { type Ask, bodyOf, timeOf } from "./root-subject.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;
const FAILED =
  /\b(fail\w*|broke\w*|break|errors?|died|crash\w*|went wrong|go wrong|stopped|cancell?ed|aborted|not finish\w*|why)\b/i;
const OPEN = /\b(wait\w*|pending|queue\w*|held|hold|approv\w*|consent|sign-?off|stuck|running|still|backlog|going)\b/i;

/** The jobs that a question is about: those that failed, those that are open, or all, of a span of time where it names one. */
export async function jobs(ask: Ask, text: string): Promise<string[]> {
  const list = await bodyOf(ask, "jobs_list", { limit: 500 });
  if (!Array.isArray(list?.jobs)) return [];
  if (OPEN.test(text) && !FAILED.test(text)) return openJobs(ask, list.jobs);
  // A run group and its runs are one piece of work: the inner ones say the same again.
  const own: Body[] = list.jobs.filter(({ parent }: Body) => parent === null || parent === undefined);
  const period = periodIn(text);
  const within = own.filter((job) => {
    const at = job.ended_at ?? job.created_at;
    return period === undefined || (at >= period.from && at < period.to);
  });
  const of = period === undefined ? "" : ` of ${period.said} (UTC)`;
  const counts = new Map<string, number>();
  for (const { status } of within) counts.set(status, (counts.get(status) ?? 0) + 1);
  const failed = within.filter(({ status, ended_at: end }) => end !== null && status !== "landed");
  const rows = FAILED.test(text) ? failed : within;
  const told = [...counts].map(([status, n]) => `${n} ${status}`).join(", ");
  const more = list.next === undefined ? "" : ` among the newest ${own.length}`;
  const newest = within.length === 0 && own[0] ? [`- the newest: ${rowOf(own[0])}`] : [];
  const first = FAILED.test(text)
    ? `${countOf(failed.length, "job")}${of} failed or ended before the end, of ${within.length}${more}${told ? `: ${told}` : ""}.`
    : `${countOf(within.length, "job")}${of}${more}${told ? `: ${told}` : ""}, the newest first.`;
  return [
    first,
    ...rows.slice(0, SHOWN).map((job) => `- ${rowOf(job)}`),
    ...(rows.length > SHOWN ? [`- and ${rows.length - SHOWN} more; jobs_list lists them`] : []),
    ...newest,
  ];
}

function rowOf({ id, kind, status, note, ended_at: end, created_at: begun }: Body): string {
  return `${kind} ${id}, ${status} ${timeOf(end ?? begun)}${note ? `: ${note}` : ""}`;
}

async function openJobs(ask: Ask, all: readonly Body[]): Promise<string[]> {
  const status = await bodyOf(ask, "org_status", { format: "json" });
  if (!status) return [];
  const { queued, running, held } = status.jobs;
  const open = all.filter(({ ended_at: end, parent }) => end === null && (parent === null || parent === undefined));
  return [
    `${countOf(running, "job")} ${running === 1 ? "runs" : "run"} now, ${queued} ${queued === 1 ? "waits" : "wait"} in the queue, ${held} ${held === 1 ? "is" : "are"} held for budget or consent.`,
    ...open.slice(0, SHOWN).map((job) => `- ${rowOf(job)}`),
  ];
}
