import type { Ctx } from "../../context.ts";
import type { SharedWords } from "../../evidence/anonymize/shared-words.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import { compareGroups } from "../../runs/compare/compare.ts";
import { armNames } from "../../runs/compare/compare-verdict.ts";
import { type GroupData, groupData } from "../../runs/groups/group-data.ts";
import { comparePage, pairRowsIn } from "../pages/compare.ts";
import type { Cell, PageDoc, PageSection } from "../pages/page-doc.ts";
import { endOf } from "../pages/trial.ts";
import { asTheyAre, cut, type Wording } from "../pages/words.ts";
import { callRows, changeRows, marked } from "./pair.ts";

/** Flipped tasks whose trials a frozen page holds: its reader can open no other page. */
const OPENED = 20;
const NAME_CHARS = 60;
const ANSWER_CHARS = 1_500;
const REASON_CHARS = 300;

type Row = Extract<PageSection, { show: "sides" }>["rows"][number];
type Names = Readonly<Record<"a" | "b", string>>;

/**
 * A comparison as it is frozen: a task that flipped leads to its two trials, which are folded below on the same page. With
 * `words`, what identifies somebody is masked in them as in the requests. Not found: 404.
 */
export async function frozenComparison(ctx: Ctx, a: string, b: string, words?: SharedWords): Promise<PageDoc> {
  const groups: [GroupData, GroupData] = await Promise.all([groupData(ctx, a), groupData(ctx, b)]);
  const comparison = compareGroups(...groups, await confidenceBands(ctx));
  const pairOf = pairRowsIn(...groups);
  const pairs = comparison.flips.slice(0, OPENED).map((flip) => ({ flip, rows: pairOf(flip) }));
  // Whom the trials tell of is known from their rows: what was added in a trial stands in no table of the sandbox.
  for (const row of pairs.flatMap(({ rows }) => rows ?? []))
    words?.learn([
      row.trial.diff.flatMap(({ before, after }) => [before, after]),
      row.trial.calls.map(({ args, answer }) => [args, answer]),
    ]);
  const told: Wording = words === undefined ? asTheyAre : (text) => words.said(text);
  const doc = await comparePage(ctx, a, b, told);
  const at = doc.sections.findIndex(({ show, heading }) => show === "table" && heading === "What flipped");
  const flips = doc.sections[at];
  if (flips?.show !== "table") return doc;
  const { a: before, b: after } = armNames(comparison);
  const names = { a: cut(before, NAME_CHARS), b: cut(after, NAME_CHARS) };
  const opened = pairs.flatMap(({ flip, rows }, i) =>
    rows === undefined ? [] : [{ i, section: trialsOf(told(flip.request), rows, names, told, i) }],
  );
  const has = new Set(opened.map(({ i }) => i));
  const linked = {
    ...flips,
    caption: flips.caption.replace("a request opens both trials side by side", "a request leads to both trials, below"),
    rows: flips.rows.map(([request = "", ...rest], i): Cell[] =>
      has.has(i) ? [{ text: textOf(request), place: placeOf(i) }, ...rest] : [textOf(request), ...rest],
    ),
  };
  const sections = doc.sections.with(at, linked);
  return { ...doc, sections: sections.toSpliced(at + 1, 0, ...opened.map(({ section }) => section)) };
}

const placeOf = (i: number) => `flip-${i + 1}`;
const textOf = (cell: Cell) => (typeof cell === "object" ? cell.text : String(cell));

/** Two trials of a task side by side: how each ended, their calls, what they said and what they changed. */
function trialsOf(
  request: string,
  [x, y]: readonly [TrialRow, TrialRow],
  names: Names,
  told: Wording,
  i: number,
): PageSection {
  const ended = (name: string, row: TrialRow) => {
    const failed = row.checks.filter(({ verdict }) => verdict !== "met");
    const why = failed.map(({ kind, reason }) => `${kind}: ${cut(told(reason), REASON_CHARS)}`).join("; ");
    return `${name} ${endOf(row)}${why === "" ? "" : ` (${why})`}.`;
  };
  const calls = marked(callRows(x.trial.calls, y.trial.calls, names, false, told));
  const said = answerRows(x.trial.answers, y.trial.answers, told);
  return {
    show: "sides",
    place: placeOf(i),
    heading: `Flipped task ${i + 1}: ${cut(request, 240)}`,
    caption: `${ended(names.a, x)} ${ended(names.b, y)}`,
    tier: "deterministic",
    ...names,
    rows: [
      ...calls,
      ...(calls.some(({ first }) => first) ? said : marked(said)),
      ...changeRows(x.trial.diff, y.trial.diff, names, told),
    ],
  };
}

/** The answers of both turn by turn, each whole: parts of a text that is masked would not be known again. */
function answerRows(x: TrialRow["trial"]["answers"], y: TrialRow["trial"]["answers"], told: Wording): Row[] {
  return Array.from({ length: Math.max(x.length, y.length) }, (_, i): Row => {
    const [left, right] = [x[i], y[i]];
    const title = { title: `Turn ${i + 1}` };
    const [a, b] = [left, right].map((each) => cut(told(each?.text ?? ""), ANSWER_CHARS)) as [string, string];
    const alike = left?.text === right?.text;
    return {
      ...(left === undefined ? {} : { a: title }),
      ...(right === undefined ? {} : { b: title }),
      ...(alike ? {} : { what: "another answer" }),
      differences: [],
      text: alike ? [{ text: a }] : [{ text: a, only: "a" }, { text: "\n\n" }, { text: b, only: "b" }],
    };
  });
}
