import type { Ctx } from "../../context.ts";
import { playerName, type TrialRow } from "../../records/runs/runs.ts";
import { groupData } from "../../runs/groups/group-data.ts";
import { invented } from "../modes/invented.ts";
import { listed } from "../pages/listed.ts";
import type { PageDoc } from "../pages/page-doc.ts";
import { toneOf } from "../pages/trial.ts";
import { counted, cut, inWords } from "../pages/words.ts";
import { VERDICT_TONE } from "./steps.ts";

/** What trials of a group are narrowed to; every one of them where nothing is named. */
export interface TrialFilter {
  readonly cause?: string | undefined;
  readonly check?: string | undefined;
  readonly end?: string | undefined;
}

/** The trials of a group that a root cause, a kind of check or an end is told of. Not found: 404. */
export async function groupTrialsPage(ctx: Ctx, gid: string, filter: TrialFilter): Promise<PageDoc> {
  const data = await groupData(ctx, gid);
  const { cause, check, end } = filter;
  const decided = (row: TrialRow) => row.checks.filter(({ kind }) => kind === check);
  const all = data.runs.flatMap(({ run, trials }) => {
    const tasks = new Map(run.tasks.map((task) => [task.id, task]));
    return trials.map((row) => ({ run, row, task: tasks.get(row.task) }));
  });
  const rank = (row: TrialRow) => Math.min(3, ...decided(row).map(({ verdict }) => RANK[verdict]));
  const found = all
    .filter(
      ({ row }) =>
        (cause === undefined || row.root_cause === cause) &&
        (end === undefined || row.end === end) &&
        (check === undefined || decided(row).length > 0),
    )
    .sort((x, y) => rank(x.row) - rank(y.row) || (x.task?.index ?? 0) - (y.task?.index ?? 0) || x.row.n - y.row.n);
  const wanted = [
    ...(cause === undefined ? [] : [`have the root cause ${inWords(cut(cause, 60))}`]),
    ...(check === undefined ? [] : [`hold the check ${cut(check, 60)}`]),
    ...(end === undefined ? [] : [`ended ${cut(end, 60)}`]),
  ].join(" and ");
  const player = data.runs[0] === undefined ? data.group.player.name : playerName(data.runs[0].run.player);
  const { tier } = data.group;
  return {
    v: 1,
    title: `Trials ${wanted === "" ? "of the run" : `that ${wanted}`}`,
    made_at: ctx.now(),
    verdict: {
      text:
        wanted === ""
          ? `${counted(all.length, "trial")} of ${player}.`
          : `${found.length} of ${counted(all.length, "trial")} of ${player} ${wanted}.`,
      tone: "plain",
      tier,
      how: "The newest attempt of every try, as it is graded now.",
    },
    ...((await invented(ctx, [data])) ? { invented: true } : {}),
    sections: [
      found.length === 0
        ? { show: "text", paragraphs: ["No trial of the group is such a one."] }
        : {
            show: "table",
            caption: `Each request opens its trial${check === undefined ? "" : "; those that failed the check stand first"}.`,
            tier,
            columns: [
              { name: "Request", kind: "wide" },
              { name: "End" },
              { name: "Root cause" },
              { name: "Try", kind: "number" },
              ...(check === undefined ? [] : [{ name: "Verdict" }]),
              { name: "Why", kind: "wide" },
              { name: "The same task" },
            ],
            ...listed(found, ({ run, row, task }) => {
              const checks = check === undefined ? row.checks.filter(({ verdict }) => verdict !== "met") : decided(row);
              const [own] = checks.sort((x, y) => RANK[x.verdict] - RANK[y.verdict]);
              return [
                {
                  text: cut(task?.request ?? row.task, 200),
                  link: { page: "trial", id: `${row.run}/${row.task}/${row.n}` },
                },
                { text: row.end, tone: toneOf(row) },
                inWords(row.root_cause ?? row.cause ?? ""),
                row.n,
                ...(check === undefined || own === undefined
                  ? []
                  : [{ text: own.verdict.replace("_", " "), tone: VERDICT_TONE[own.verdict] }]),
                own === undefined ? "" : `${check === undefined ? `${own.kind}: ` : ""}${cut(own.reason, 300)}`,
                { text: "every run of it", link: { page: "task", id: `${run.environment}/${row.task}` } },
              ];
            }),
          },
    ],
  };
}

const RANK = { not_met: 0, not_decided: 1, met: 2 } as const;
