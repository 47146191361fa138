import type { Ctx } from "../../context.ts";
import { AppError, notFound } from "../../errors.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import { findRun, groupData } from "../../runs/groups/group-data.ts";
import { trialsOfRun } from "../../runs/trials/trial-rows.ts";
import { invented } from "../modes/invented.ts";
import type { Cell, PageDoc, PageSection, Tone } from "./page-doc.ts";
import { counted, cut, shown } from "./words.ts";

const ANSWER_CHARS = 4000;
const LINE_CHARS = 300;

/** One trial as a page: how it ended and why, what was said and called in order, what each check decided. `ref` is `<run>/<task>/<try>`; not found: 404. */
export async function trialPage(ctx: Ctx, ref: string): Promise<PageDoc> {
  const [run = "", task = "", n = ""] = ref.split("/");
  if (!/^[1-9]\d{0,5}$/.test(n)) throw new AppError("bad_request", "A trial is named <run>/<task>/<try>.");
  const found = await findRun(ctx, run);
  const tries = (await trialsOfRun(ctx, found)).filter((trial) => trial.task === task).sort((a, b) => a.n - b.n);
  const row = tries.find((trial) => trial.n === Number(n));
  const planned = found.tasks.find((each) => each.id === task);
  if (!row || !planned) throw notFound("trial");
  const { player } = found;
  const name = player.version === null ? player.name : `${player.name} ${player.version}`;
  const why = row.root_cause ?? row.cause;
  const group = await groupData(ctx, found.group);
  return {
    v: 1,
    title: `${name}: ${cut(planned.request, 90)}`,
    made_at: ctx.now(),
    verdict: {
      text: `${row.end}${why === null ? "" : `: ${why}`}`,
      tone: toneOf(row),
      tier: group.group.tier,
      how: `Try ${row.n}, attempt ${row.attempt}; ${Math.round(row.ms)} ms; ${counted(row.trial.calls.length, "call")}; graded from its calls, its answer and the world's difference.`,
    },
    ...((await invented(ctx, [group])) ? { invented: true } : {}),
    sections: [
      checks(row, group.group.tier),
      timeline(row, planned.request),
      changes(row),
      ...log(row),
      beside(row, tries, found.group, group.group.tier),
    ],
  };
}

/** The tries of the same task in the same run, each a way to its page, and the group that they count in. */
function beside(
  row: TrialRow,
  tries: readonly TrialRow[],
  group: string,
  tier: "deterministic" | "llm-derived",
): PageSection {
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
        ],
        rows: tries.map((each) => [
          own(each),
          { text: each.end, tone: toneOf(each) },
          each.root_cause ?? each.cause ?? "",
          each.trial.calls.length,
          { text: "its run group", link: { page: "group", id: group } },
        ]),
      };
}

function toneOf({ end }: TrialRow): Tone {
  return end === "met" ? "good" : end === "failed" ? "bad" : "warn";
}

function checks(row: TrialRow, tier: "deterministic" | "llm-derived"): PageSection {
  const tone = { met: "good", not_met: "bad", not_decided: "warn" } as const;
  return {
    show: "table",
    heading: "Checks",
    caption: "What each check decided, and why.",
    tier,
    columns: [{ name: "Check" }, { name: "Verdict" }, { name: "Reason", kind: "wide" }],
    rows: row.checks.map((check) => [
      check.kind,
      { text: check.verdict.replace("_", " "), tone: tone[check.verdict] },
      cut(check.reason, 600),
    ]),
  };
}

function timeline({ trial }: TrialRow, request: string): PageSection {
  const said = (who: string, text: string, badge?: string) => ({
    who,
    title: cut(text, ANSWER_CHARS),
    ...(badge === undefined ? {} : { badge }),
  });
  const last = trial.answers.length - 1;
  return {
    show: "timeline",
    heading: "What happened",
    caption: "The request, every call with the world's answer, and what the agent said at the end.",
    tier: "deterministic",
    steps: [
      said("user", request),
      ...trial.calls.map((call) => {
        const bad = call.is_error || call.answer_class.startsWith("error:");
        const tone: Tone = bad ? "bad" : call.answer_class === "data" ? "good" : "plain";
        return {
          who: call.tool,
          title: shown(call.args, LINE_CHARS),
          tone,
          badge: call.changed ? `${call.answer_class}, changed the world` : call.answer_class,
          detail: shown(call.answer, ANSWER_CHARS),
        };
      }),
      ...trial.answers.map((answer, i) =>
        said(
          i === last ? "agent" : `agent, turn ${i + 1}`,
          answer.text === "" ? "(nothing)" : answer.text,
          answer.class,
        ),
      ),
    ],
  };
}

function changes({ trial }: TrialRow): PageSection {
  if (trial.diff.length === 0)
    return { show: "text", heading: "Changes to the world", paragraphs: ["The trial left the world as it was drawn."] };
  return {
    show: "table",
    heading: "Changes to the world",
    caption: "Rows of the world that are not as they were drawn, at the trial's end.",
    tier: "deterministic",
    columns: [
      { name: "Table" },
      { name: "Key" },
      { name: "Field" },
      { name: "Before", kind: "wide" },
      { name: "After", kind: "wide" },
    ],
    rows: trial.diff.flatMap(({ table, key, before, after }) => {
      const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
      const other = fields.filter((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]));
      const value = (row: Record<string, unknown> | undefined, field: string) =>
        row === undefined ? "(no row)" : field in row ? shown(row[field], LINE_CHARS) : "(none)";
      return other.map((field) => [table, cut(key, 80), field, value(before, field), value(after, field)]);
    }),
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
