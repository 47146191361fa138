import type { Ctx } from "../../context.ts";
import { notFound } from "../../errors.ts";
import { everyRow } from "../../page.ts";
import { playerName, Run, type TrialRow } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import type { RunDoc } from "../../runs/groups/group-data.ts";
import { trialsOfRun } from "../../runs/trials/trial-rows.ts";
import { findEnvironment } from "../../sandboxes/environments/environment-records.ts";
import { inventedSurfaces } from "../modes/invented.ts";
import type { Cell, PageDoc, PageSection } from "../pages/page-doc.ts";
import { toneOf } from "../pages/trial.ts";
import { counted, cut, inWords, minuteOf, seconds } from "../pages/words.ts";

/** The newest runs of a task that its page looks at. */
const RUNS = 30;

/** A try of a task, as it is named and told. */
export interface TaskTry {
  readonly ref: string;
  readonly text: string;
}

/** Every try of a task by run, the newest run first: versions by tries, each a way to its trial. Not found: 404. */
export async function taskPage(
  ctx: Ctx,
  environment: string,
  task: string,
): Promise<{ readonly doc: PageDoc; readonly tries: readonly TaskTry[]; readonly index: number }> {
  const found = await findEnvironment(ctx, environment);
  const record = await ctx.store.records.get(TaskRecord, task);
  if (record?.environment !== found.id) throw notFound("task");
  const runs: RunDoc[] = [];
  for await (const run of everyRow((page) =>
    ctx.store.records.list(Run, { ...page, where: { environment: found.id } }),
  )) {
    if (run.tasks.some(({ id }) => id === task)) runs.push(run);
    if (runs.length === RUNS) break;
  }
  const played = await Promise.all(
    runs.map(async (run) => {
      const own = (await trialsOfRun(ctx, run)).filter((row) => row.task === task).sort((a, b) => a.n - b.n);
      return { run, own };
    }),
  );
  const most = Math.max(1, ...played.flatMap(({ own }) => own.map(({ n }) => n)));
  const trials = played.flatMap(({ own }) => own);
  const met = trials.filter(({ end }) => end === "met").length;
  const valid = trials.filter(({ end }) => end === "met" || end === "failed").length;
  const grid: PageSection = {
    show: "table",
    heading: "Runs and tries",
    caption: `The newest ${runs.length === RUNS ? `${RUNS} ` : ""}runs of the task, each with its tries; an end opens the trial, a name the run.`,
    tier: runs.some(({ tier }) => tier === "llm-derived") ? "llm-derived" : "deterministic",
    columns: [
      { name: "Agent" },
      { name: "Run at (UTC)" },
      ...Array.from({ length: most }, (_, i) => ({ name: `Try ${i + 1}` })),
      { name: "Why" },
      { name: "Calls", kind: "number" },
      { name: "Took", kind: "number" },
    ],
    rows: played.map(({ run, own }): Cell[] => [
      { text: cut(playerName(run.player), 60), link: { page: "group", id: run.group } },
      minuteOf(run.created_at),
      ...Array.from({ length: most }, (_, i): Cell => {
        const row = own.find(({ n }) => n === i + 1);
        if (row === undefined) return "";
        return { text: row.end, tone: toneOf(row), link: { page: "trial", id: `${row.run}/${row.task}/${row.n}` } };
      }),
      [...new Set(own.flatMap(({ root_cause, cause, end }) => (end === "met" ? [] : (root_cause ?? cause ?? []))))]
        .map(inWords)
        .join(", "),
      range(own.map(({ trial }) => trial.calls.length)),
      own.length === 0 ? "" : `${seconds(Math.max(...own.map(({ ms }) => ms)))}${own.length === 1 ? "" : " at most"}`,
    ]),
  };
  const doc: PageDoc = {
    v: 1,
    title: cut(record.task.request, 110),
    made_at: ctx.now(),
    verdict: {
      text:
        valid === 0
          ? "No valid trial of this task."
          : `Met in ${met} of ${counted(valid, "valid trial")}${byPlayer(played)}.`,
      tone: valid === 0 ? "plain" : met === valid ? "good" : met === 0 ? "bad" : "warn",
      tier: "deterministic",
      how: `Task ${record.index} of ${found.label}, ${record.task.family}; ${counted(runs.length, "run")}.`,
    },
    ...((await inventedSurfaces(ctx, [found.surface])) ? { invented: true } : {}),
    sections: [
      {
        show: "facts",
        facts: [
          { name: "Sandbox", value: { text: cut(found.label, 60), link: { page: "packet", id: found.id } } },
          {
            name: "Stands",
            value: record.status,
            ...(record.reason === undefined ? {} : { how: cut(record.reason, 240) }),
          },
          {
            name: "Checks",
            value: String(record.task.checks.length),
            how: record.task.checks.map(({ kind }) => inWords(kind)).join(", "),
          },
        ],
      },
      grid,
    ],
  };
  const tries = played.flatMap(({ run, own }) =>
    own.map((row) => ({
      ref: `${row.run}/${row.task}/${row.n}`,
      text: `${cut(playerName(run.player), 60)}, ${minuteOf(run.created_at)}, try ${row.n}: ${row.end}`,
    })),
  );
  return { doc, tries, index: record.index };
}

/** Players that the headline tells one by one. */
const NAMED = 3;

/** How often each player met the task, where they are few. */
function byPlayer(played: readonly { readonly run: RunDoc; readonly own: readonly TrialRow[] }[]): string {
  const each = Map.groupBy(played, ({ run }) => playerName(run.player));
  if (each.size < 2 || each.size > NAMED) return "";
  const parts = [...each].map(([name, runs]) => {
    const rows = runs.flatMap(({ own }) => own).filter(({ end }) => end === "met" || end === "failed");
    return `${cut(name, 40)} ${rows.filter(({ end }) => end === "met").length} of ${rows.length}`;
  });
  return `: ${parts.join(", ")}`;
}

/** The least and the most of some numbers. */
function range(of: readonly number[]): string {
  const [least, most] = [Math.min(...of), Math.max(...of)];
  return of.length === 0 ? "" : least === most ? String(least) : `${least} to ${most}`;
}
