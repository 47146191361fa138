import type { Ctx } from "../../context.ts";
import { playerName, type TrialRow } from "../../records/runs/runs.ts";
import { groupData } from "../../runs/groups/group-data.ts";
import { invented } from "../modes/invented.ts";
import { listed } from "../pages/listed.ts";
import type { PageDoc } from "../pages/page-doc.ts";
import { toneOf } from "../pages/trial.ts";
import { counted, cut, dollars, inWords, seconds, tokensText } from "../pages/words.ts";
import { VERDICT_TONE } from "./steps.ts";

/** What trials of a group are narrowed to; every one of them where nothing is named. */
export interface TrialFilter {
  readonly cause?: string | undefined;
  readonly check?: string | undefined;
  /** What `check` came to. */
  readonly verdict?: CheckVerdict | undefined;
  readonly end?: string | undefined;
  /** The family of its task. */
  readonly family?: string | undefined;
  /** Words of the request, or of why it ended so. */
  readonly q?: string | undefined;
  readonly sort?: TrialSort | undefined;
}

/** How trials can be put in order; by their task where nothing is named. */
export const TRIAL_SORTS = ["slowest", "dearest", "most calls", "most tokens", "most errors"] as const;
export type TrialSort = (typeof TRIAL_SORTS)[number];
/** What a check of a trial can come to. */
export const CHECK_VERDICTS = ["met", "not_met", "not_decided"] as const;
type CheckVerdict = (typeof CHECK_VERDICTS)[number];

/** What trials of a group can be narrowed to: each that one of them has. */
interface TrialChoices {
  readonly causes: readonly string[];
  readonly checks: readonly string[];
  readonly ends: readonly string[];
  readonly families: readonly string[];
}

/** The trials of a group that fit, in order: those that failed the check first. Not found: 404. */
export async function groupTrials(ctx: Ctx, gid: string, filter: TrialFilter) {
  const data = await groupData(ctx, gid);
  const { cause, check, verdict, end, family, sort } = filter;
  const words = (filter.q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const all = data.runs.flatMap(({ run, trials }) => {
    const tasks = new Map(run.tasks.map((task) => [task.id, task]));
    return trials.map((row) => ({ run, row, task: tasks.get(row.task) }));
  });
  const says = ({ row, task }: (typeof all)[number]) => {
    const text = [task?.request ?? "", ...row.checks.map(({ reason }) => reason)].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const rank = (row: TrialRow) => Math.min(3, ...decided(row, check).map(({ verdict }) => RANK[verdict]));
  const found = all
    .filter(
      ({ row, ...rest }) =>
        (words.length === 0 || says({ row, ...rest })) &&
        (cause === undefined || row.root_cause === cause) &&
        (end === undefined || row.end === end) &&
        (family === undefined || rest.task?.family === family) &&
        (check === undefined || decided(row, check).some((each) => (verdict ?? each.verdict) === each.verdict)),
    )
    .sort(
      (x, y) =>
        order(sort, x.row, y.row) ||
        rank(x.row) - rank(y.row) ||
        (x.task?.index ?? 0) - (y.task?.index ?? 0) ||
        x.row.n - y.row.n,
    );
  return { data, all, found };
}

function decided(row: TrialRow, check: string | undefined) {
  return row.checks.filter(({ kind }) => kind === check);
}

/** The trials of a group that a root cause, a kind of check or an end is told of. Not found: 404. */
export async function groupTrialsPage(
  ctx: Ctx,
  gid: string,
  filter: TrialFilter,
): Promise<{ readonly doc: PageDoc; readonly choices: TrialChoices }> {
  const { data, all, found } = await groupTrials(ctx, gid, filter);
  const { cause, check, verdict, end, family } = filter;
  const words = (filter.q ?? "").trim();
  const wanted = [
    ...(cause === undefined ? [] : [`have the root cause ${inWords(cut(cause, 60))}`]),
    ...(check === undefined
      ? []
      : [`hold the check ${inWords(cut(check, 60))}${verdict === undefined ? "" : `, ${inWords(verdict)},`}`]),
    ...(end === undefined ? [] : [`ended ${cut(end, 60)}`]),
    ...(family === undefined ? [] : [`are of the family ${cut(family, 60)}`]),
    ...(words === "" ? [] : ["hold these words"]),
  ].join(" and ");
  const player = data.runs[0] === undefined ? data.group.player.name : playerName(data.runs[0].run.player);
  const { tier } = data.group;
  const each = (of: (row: TrialRow) => readonly string[]) => [...new Set(all.flatMap(({ row }) => of(row)))].sort();
  const choices = {
    causes: each(({ root_cause }) => (root_cause === null ? [] : [root_cause])),
    checks: each(({ checks }) => checks.map(({ kind }) => kind)),
    ends: each((row) => [row.end]),
    families: [...new Set(all.flatMap(({ task }) => task?.family ?? []))].sort(),
  };
  const narrowed = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined)).toString();
  // The way on from a trial stays in the list that it was opened from.
  const among = narrowed === "" ? {} : { against: narrowed };
  const doc: PageDoc = {
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
            caption: `Each request opens its trial, the number of its task every run of it${check === undefined ? "" : "; those that failed the check stand first"}.`,
            tier,
            columns: [
              { name: "Request", kind: "wide" },
              { name: "End" },
              { name: "Root cause" },
              { name: "Task", kind: "number" },
              { name: "Try", kind: "number" },
              { name: "Time", kind: "number" },
              { name: "Calls", kind: "number" },
              { name: "Errors", kind: "number" },
              { name: "Tokens", kind: "number" },
              { name: "Cost", kind: "number" },
              ...(check === undefined ? [] : [{ name: "Verdict" }]),
              { name: "Why", kind: "wide" },
            ],
            ...listed(found, ({ run, row, task }) => {
              const checks =
                check === undefined ? row.checks.filter(({ verdict }) => verdict !== "met") : decided(row, check);
              const [own] = checks.sort((x, y) => RANK[x.verdict] - RANK[y.verdict]);
              const why = row.root_cause ?? row.cause ?? "";
              return [
                {
                  text: cut(task?.request ?? row.task, 200),
                  link: { page: "trial", id: `${row.run}/${row.task}/${row.n}`, ...among },
                },
                { text: row.end, tone: toneOf(row) },
                row.root_cause === null
                  ? inWords(why)
                  : { text: inWords(why), link: { page: "trials", id: gid, against: `cause=${row.root_cause}` } },
                { text: `${task?.index ?? ""}`, link: { page: "task", id: `${run.environment}/${row.task}` } },
                row.n,
                seconds(row.ms),
                row.trial.calls.length,
                errorsOf(row) || "",
                row.tokens === undefined ? "" : tokensText(row.tokens),
                row.usd === undefined ? "" : dollars(row.usd),
                ...(check === undefined || own === undefined
                  ? []
                  : [{ text: own.verdict.replace("_", " "), tone: VERDICT_TONE[own.verdict] }]),
                own === undefined
                  ? ""
                  : `${check === undefined ? `${inWords(own.kind)}: ` : ""}${cut(own.reason, 300)}`,
              ];
            }),
          },
    ],
  };
  return { doc, choices };
}

function order(sort: TrialSort | undefined, x: TrialRow, y: TrialRow): number {
  return sort === undefined ? 0 : AMOUNTS[sort](y) - AMOUNTS[sort](x);
}

const AMOUNTS: Readonly<Record<TrialSort, (row: TrialRow) => number>> = {
  slowest: ({ ms }) => ms,
  dearest: ({ usd = 0 }) => usd,
  "most calls": ({ trial }) => trial.calls.length,
  "most tokens": ({ tokens }) => (tokens === undefined ? 0 : tokens.input + tokens.output),
  "most errors": errorsOf,
};

/** Calls of a trial that the world answered with an error. */
export function errorsOf({ trial }: TrialRow): number {
  return trial.calls.filter(({ is_error }) => is_error).length;
}

const RANK = { not_met: 0, not_decided: 1, met: 2 } as const;
