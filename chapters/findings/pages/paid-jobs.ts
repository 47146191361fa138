import type { Ctx } from "../../context.ts";
import { playerName, Run, RunGroup } from "../../records/runs/runs.ts";
import type { Tier } from "../../tier.ts";
import { jobWords } from "./job-words.ts";
import { listed } from "./listed.ts";
import type { Cell, PageSection } from "./page-doc.ts";
import { cut, dollars, minuteOf } from "./words.ts";

/** What a job spent on model calls. */
export interface Paid {
  /** Null of what was paid for without a job. */
  readonly job: string | null;
  readonly kind: string;
  readonly who: string;
  /** Unix seconds of its first call. */
  readonly started: number;
  readonly usd: number;
}

/** The same, with what it is, which opens the job where one is kept, and with who played where it is a run. */
export interface PaidJob extends Paid {
  readonly what: Cell;
  readonly of: Cell;
}

/** Jobs that are told, the dearest. */
const JOBS = 20;

/** The jobs that cost the most first; the dearest runs with who played them, and how their record stands. */
export async function paidJobs(ctx: Ctx, jobs: readonly Paid[]): Promise<PaidJob[]> {
  const dearest = [...jobs].sort((x, y) => y.usd - x.usd || y.started - x.started);
  const runs = await ctx.store.records.getMany(
    Run,
    dearest.slice(0, JOBS).flatMap(({ job, kind }) => (kind === "run" && job !== null ? [job] : [])),
  );
  const groups = await ctx.store.records.getMany(RunGroup, [...new Set(runs.map(({ group }) => group))]);
  const retired = new Map(groups.map(({ id, retired_at }) => [id, retired_at]));
  const known = new Map(runs.map((run) => [run.id, run]));
  const runCell = (job: string | null): Cell => {
    const run = known.get(job ?? "");
    if (run === undefined) return "a run of which no record is kept";
    const at = retired.get(run.group);
    const since = at === undefined ? "" : `, retired ${minuteOf(at)}`;
    return { text: `${cut(playerName(run.player), 60)}${since}`, link: { page: "group", id: run.group } };
  };
  const others = dearest.slice(0, JOBS).flatMap(({ job, kind }) => (kind === "run" || job === null ? [] : [job]));
  const rows = await Promise.all(others.map((id) => ctx.store.jobs.get(id)));
  const kept = new Set(rows.map((row) => row?.id));
  const whatCell = ({ job, kind }: Paid): Cell => {
    const text = jobWords(kind);
    return job !== null && kept.has(job) ? { text, link: { page: "job", id: job } } : text;
  };
  return dearest.map((each) => ({
    ...each,
    what: whatCell(each),
    of: each.kind === "run" ? runCell(each.job) : "",
  }));
}

/** What each job spent, as a table. */
export function paidTable(
  jobs: readonly PaidJob[],
  told: { heading: string; caption: string; tier: Tier },
): PageSection {
  return {
    show: "table",
    ...told,
    columns: [
      { name: "Job" },
      { name: "Spent", kind: "number" },
      { name: "Of" },
      { name: "Started (UTC)", kind: "number" },
      { name: "Asked by" },
    ],
    ...listed(
      jobs,
      ({ what, started, who, usd, of }) => [what, dollars(usd), of, minuteOf(started), cut(who, 60)],
      JOBS,
    ),
  };
}
