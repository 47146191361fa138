import { digestOf } from "../../../worlds/digest.ts";
import { decidedAt } from "../../../worlds/tasks/grading/decided-at.ts";
import type { Ctx } from "../../context.ts";
import { badRequest, notFound } from "../../errors.ts";
import { type GradingTier, playerName, type RunTask, type TrialRow } from "../../records/runs/runs.ts";
import { TaskRecord } from "../../records/sandboxes/sandboxes.ts";
import { CAUSE_WORDS } from "../../runs/compare/compare-verdict.ts";
import { findRun, groupData, type RunDoc } from "../../runs/groups/group-data.ts";
import { trialTree } from "../../runs/trials/trace-run.ts";
import { trialsOfRun } from "../../runs/trials/trial-rows.ts";
import { invented } from "../modes/invented.ts";
import { changedFields, decision, type PlacedCheck, searched, trialSteps, VERDICT_TONE } from "../viewer/steps.ts";
import type { Cell, PageDoc, PageSection, Step, Tone } from "./page-doc.ts";
import { counted, cut, dollars, inWords, seconds } from "./words.ts";

const LINE_CHARS = 300;
/** Changes of a step that are told beside the way to it. */
const FEW = 6;

/** A trial as it is named, with its run and all tries of its task. */
export interface FoundTrial {
  readonly run: RunDoc;
  readonly planned: RunTask;
  readonly row: TrialRow;
  readonly tries: readonly TrialRow[];
  /** Every trial of the run that counts, task by task in their order and try by try. */
  readonly all: readonly TrialRow[];
}

/** Finds a trial by `<run>/<task>/<try>`. Not found: 404; another form: 400. */
export async function findTrial(ctx: Ctx, ref: string): Promise<FoundTrial> {
  const [id = "", task = "", n = ""] = ref.split("/");
  if (!/^[1-9]\d{0,5}$/.test(n)) throw badRequest("A trial is named <run>/<task>/<try>.");
  const run = await findRun(ctx, id);
  const order = new Map(run.tasks.map((each) => [each.id, each.index]));
  const place = (trial: TrialRow) => order.get(trial.task) ?? Number.POSITIVE_INFINITY;
  const all = (await trialsOfRun(ctx, run)).sort((a, b) => place(a) - place(b) || a.n - b.n);
  const tries = all.filter((trial) => trial.task === task);
  const row = tries.find((trial) => trial.n === Number(n));
  const planned = run.tasks.find((each) => each.id === task);
  if (!row || !planned) throw notFound("trial");
  return { run, planned, row, tries, all };
}

/** How a trial ended, with the reason where it has one, in words. */
export function endOf({ end, root_cause, cause }: TrialRow): string {
  if (root_cause === "other") return `${end}, and why is not known`;
  if (root_cause !== null) return `${end}: it ${CAUSE_WORDS[root_cause]}`;
  return cause === null ? end : `${end}: ${cause.replaceAll("_", " ")}`;
}

/**
 * One trial as a page: how it ended and why, what was said and called in order, what each check decided and where. `of` is
 * `<run>/<task>/<try>`, or the trial where it was found already; not found: 404. With a search, the steps that hold its words.
 */
export async function trialPage(ctx: Ctx, of: string | FoundTrial, search = ""): Promise<PageDoc> {
  const { run, planned, row, tries } = typeof of === "string" ? await findTrial(ctx, of) : of;
  const [group, tree, placedChecks] = await Promise.all([
    groupData(ctx, run.group),
    trialTree(ctx, run, row),
    placed(ctx, row, planned),
  ]);
  const steps = trialSteps(row, planned.request, tree.exchanges, placedChecks).map((step, i) => ({
    ...step,
    n: i + 1,
  }));
  const { tier } = group.group;
  const asked = tree.exchanges.map(({ tokens }) => tokens);
  const took = asked.length > 0 || row.tokens === undefined ? asked : [row.tokens];
  const tokens = took.reduce((sum, { input, output }) => sum + input + output, 0);
  const how = [
    `Try ${row.n}, attempt ${row.attempt}`,
    seconds(row.ms),
    counted(row.trial.calls.length, "call"),
    ...(row.root_cause === null ? [] : [`root cause ${inWords(row.root_cause)}`]),
    ...(tokens === 0 ? [] : [`${tokens.toLocaleString("en")} tokens`]),
    ...(tree.usd === undefined || tree.usd === 0 ? [] : [dollars(tree.usd)]),
  ];
  return {
    v: 1,
    title: `${playerName(run.player)}: ${cut(planned.request, 90)}`,
    made_at: ctx.now(),
    verdict: {
      text: endOf(row),
      tone: toneOf(row),
      tier,
      how: `${how.join("; ")}; graded from its calls, its answer and the world's difference.`,
    },
    ...((await invented(ctx, [group])) ? { invented: true } : {}),
    sections: [
      checks(placedChecks, steps, tier),
      timeline(steps, search),
      changes(row, steps),
      ...log(row),
      otherTries(row, tries, run, tier),
    ],
  };
}

/** The tries of the same task in the same run, each a way to its page, and the group that they count in. */
function otherTries(
  row: TrialRow,
  tries: readonly TrialRow[],
  { group, environment }: RunDoc,
  tier: GradingTier,
): PageSection {
  const task = { text: "every run of it", link: { page: "task" as const, id: `${environment}/${row.task}` } };
  const json = { text: "JSON", link: { page: "trial_json" as const, id: `${row.run}/${row.task}/${row.n}` } };
  const own = (each: TrialRow): Cell =>
    each.n === row.n
      ? `${each.n} (this one)`
      : { text: String(each.n), link: { page: "trial", id: `${each.run}/${each.task}/${each.n}` } };
  return tries.length === 1
    ? {
        show: "facts",
        heading: "Beside it",
        facts: [
          { name: "Tries of this task", value: "this one alone", tier: "deterministic", how: "n = 1 in this run" },
          { name: "Counted in", value: { text: "its run group", link: { page: "group", id: group } } },
          { name: "The same task", value: task },
          { name: "As it is stored", value: json },
        ],
      }
    : {
        show: "table",
        heading: "Every try of this task",
        caption: `The ${tries.length} tries of this task in this run.`,
        tier,
        columns: [
          { name: "Try", kind: "number" },
          { name: "End" },
          { name: "Why" },
          { name: "Calls", kind: "number" },
          { name: "Counted in" },
          { name: "The same task" },
          { name: "Beside this one" },
        ],
        rows: tries.map((each) => [
          own(each),
          { text: each.end, tone: toneOf(each) },
          inWords(each.root_cause ?? each.cause ?? ""),
          each.trial.calls.length,
          { text: "its run group", link: { page: "group", id: group } },
          task,
          each.n === row.n
            ? json
            : {
                text: "side by side",
                link: {
                  page: "pair",
                  id: `${row.run}/${row.task}/${row.n}`,
                  against: `${each.run}/${each.task}/${each.n}`,
                },
              },
        ]),
      };
}

/** How a trial is coloured. */
export function toneOf({ end }: Pick<TrialRow, "end">): Tone {
  return end === "met" ? "good" : end === "failed" ? "bad" : "warn";
}

/** Each check with the step that it was decided at; those of a task that was changed since are placed by the trial as a whole. */
async function placed(ctx: Ctx, row: TrialRow, planned: RunTask): Promise<PlacedCheck[]> {
  const own = (await ctx.store.records.get(TaskRecord, planned.id))?.task.checks ?? [];
  const same = own.length === row.checks.length && digestOf(own) === planned.checks;
  return row.checks.map((check, i) => {
    const by = same ? own[i] : undefined;
    return { check, at: by === undefined || by.kind !== check.kind ? "whole" : decidedAt(by, check, row.trial) };
  });
}

function checks(all: readonly PlacedCheck[], steps: readonly Step[], tier: GradingTier): PageSection {
  const at = (placed: PlacedCheck) => {
    const text = decision(placed).text;
    return steps.find(({ decided = [] }) => decided.some((one) => one.text === text))?.n;
  };
  return {
    show: "table",
    heading: "Checks",
    caption: "What each check decided, why, and the step that decided it.",
    tier,
    columns: [{ name: "Check" }, { name: "Verdict" }, { name: "Reason", kind: "wide" }, { name: "Decided at" }],
    rows: all.map((placed) => {
      const { check } = placed;
      const step = at(placed);
      return [
        inWords(check.kind),
        { text: check.verdict.replace("_", " "), tone: VERDICT_TONE[check.verdict] },
        cut(check.reason, 600),
        step === undefined ? "the whole trial" : { text: `step ${step}`, place: `step-${step}` },
      ];
    }),
  };
}

function timeline(all: readonly Step[], search: string): PageSection {
  const { steps, note } = searched(all, search);
  const timed = all.filter(({ at }) => at !== undefined).length > 2;
  return {
    show: "timeline",
    heading: "What happened",
    caption: `${note}The request, every call with the world's answer and what it changed, and what the agent said.${timed ? " A time is what passed since the step before." : ""}`,
    tier: "deterministic",
    steps,
  };
}

/** What the trial changed: told once, at the steps that did, and here where it was not kept which did. */
function changes({ trial }: TrialRow, steps: readonly Step[]): PageSection {
  const heading = "Changes to the world";
  if (trial.diff.length === 0)
    return { show: "text", heading, paragraphs: ["The trial left the world as it was drawn."] };
  const changed = steps.filter((step) => step.changes !== undefined && step.changes.length > 0);
  if (trial.calls.every((call) => !call.changed || call.changes !== undefined) && changed.length > 0)
    return {
      show: "table",
      heading,
      caption: "What each call changed; a step opens it.",
      tier: "deterministic",
      columns: [{ name: "Call" }, { name: "At" }, { name: "Change", kind: "wide" }],
      rows: changed.map(({ who, n, changes: lines = [] }) => [
        who,
        { text: `step ${n}`, place: `step-${n}` },
        `${lines.slice(0, FEW).join("; ")}${lines.length > FEW ? ` and ${lines.length - FEW} more` : ""}`,
      ]),
    };
  return {
    show: "table",
    heading,
    caption: "Rows of the world that are not as they were drawn, at the trial's end.",
    tier: "deterministic",
    columns: [{ name: "Row and field" }, { name: "Before", kind: "wide" }, { name: "After", kind: "wide" }],
    rows: trial.diff.flatMap((change) =>
      changedFields(change, LINE_CHARS).map(({ field, before, after }) => [
        `${change.table} ${cut(change.key, 80)}: ${field}`,
        before,
        after,
      ]),
    ),
  };
}

function log({ log: lines }: TrialRow): PageSection[] {
  if (lines.trim() === "") return [];
  return [
    {
      show: "timeline",
      heading: "The agent's log",
      caption: "The last lines of its standard error.",
      tier: "deterministic",
      steps: [{ who: "stderr", title: "", detail: lines }],
    },
  ];
}
