import { canonicalJson } from "../../../worlds/digest.ts";
import type { Ctx } from "../../context.ts";
import { badField } from "../../errors.ts";
import { confidenceBands } from "../../organization/confidence.ts";
import { playerName, type TrialRow } from "../../records/runs/runs.ts";
import { compareGroups } from "../../runs/compare/compare.ts";
import { type GroupData, groupData } from "../../runs/groups/group-data.ts";
import { invented } from "../modes/invented.ts";
import { pairsIn } from "../pages/compare.ts";
import { listed } from "../pages/listed.ts";
import type { Cell, PageDoc, PageLink, PageSection } from "../pages/page-doc.ts";
import { endOf, type FoundTrial, findTrial, toneOf } from "../pages/trial.ts";
import { asTheyAre, counted, cut, inWords, seconds, shown, type Wording } from "../pages/words.ts";
import { align, jsonDifferences, textParts } from "./align.ts";
import { changedFields, toneOfCall } from "./steps.ts";

/** What of a call is compared. */
type Call = Omit<TrialRow["trial"]["calls"][number], "changed" | "changes" | "at">;
type Diff = TrialRow["trial"]["diff"];
type Answers = TrialRow["trial"]["answers"];
type Row = Extract<PageSection, { show: "sides" }>["rows"][number];

interface Names {
  readonly a: string;
  readonly b: string;
}

const LINE_CHARS = 200;
const NAME_CHARS = 60;
/** Differences of one call that are listed. */
const DIFFERENCES = 60;

/** Two trials of one task side by side: `<run>/<task>/<try>` each. Not found: 404; of two tasks: 400. */
export async function pairPage(ctx: Ctx, a: string, b: string): Promise<PageDoc> {
  const [left, right] = await Promise.all([findTrial(ctx, a), findTrial(ctx, b)]);
  if (left.planned.id !== right.planned.id)
    throw badField("b", "is a trial of another task: two trials of one task can be shown side by side");
  const groups = await Promise.all([groupData(ctx, left.run.group), groupData(ctx, right.run.group)]);
  const tier = groups.some(({ group }) => group.tier === "llm-derived") ? "llm-derived" : "deterministic";
  const told = answerRows(left.row.trial.answers, right.row.trial.answers);
  const names = sideNames(left, right);
  const calls = marked(callRows(left.row.trial.calls, right.row.trial.calls, names, true));
  return {
    v: 1,
    title: cut(left.planned.request, 110),
    made_at: ctx.now(),
    verdict: {
      text: `${names.a} ${endOf(left.row)}. ${names.b} ${endOf(right.row)}. ${firstDifference(calls, left.row, right.row)}`,
      tone: left.row.end === right.row.end ? "plain" : toneOf(right.row),
      tier,
      how: "Calls are aligned by tool and arguments, in their order.",
    },
    ...((await invented(ctx, groups)) ? { invented: true } : {}),
    sections: [
      ends(left, right, tier, names),
      { show: "sides", heading: "Calls", caption: callCaption(calls), tier: "deterministic", ...names, rows: calls },
      answers(calls.some(({ first }) => first) ? told : marked(told), names),
      checks(left.row, right.row, tier, names),
      ...world(left.row, right.row, names),
    ],
  };
}

/** Where a pair stands among the tasks that flipped between its two run groups. */
interface AmongFlips {
  readonly comparison: PageLink;
  /** From 0 on; absent where its task did not flip. */
  readonly at?: number;
  readonly of: number;
  readonly before?: PageLink | undefined;
  readonly after?: PageLink | undefined;
}

/** The flipped tasks before and after this one in the comparison of the two groups; undefined for two trials of one group. */
export async function amongFlips(ctx: Ctx, a: string, b: string): Promise<AmongFlips | undefined> {
  const [left, right] = await Promise.all([findTrial(ctx, a), findTrial(ctx, b)]);
  if (left.run.group === right.run.group) return undefined;
  const groups: [GroupData, GroupData] = [await groupData(ctx, left.run.group), await groupData(ctx, right.run.group)];
  const { flips } = compareGroups(...groups, await confidenceBands(ctx));
  const comparison: PageLink = { page: "compare", id: left.run.group, against: right.run.group };
  const at = flips.findIndex(({ task, environment }) => task === left.row.task && environment === left.run.environment);
  if (at < 0) return { comparison, of: flips.length };
  const pairOf = pairsIn(...groups);
  const [before, after] = [flips[at - 1], flips[at + 1]];
  return { comparison, at, of: flips.length, before: before && pairOf(before), after: after && pairOf(after) };
}

/** What the two are called; a letter stands by where both are called the same. */
function sideNames(left: FoundTrial, right: FoundTrial): Names {
  const [x, y] = [left, right].map(({ run, row }) => {
    const tried = row.n === 1 && left.row.n === right.row.n ? "" : `, try ${row.n}`;
    return `${cut(playerName(run.player), NAME_CHARS)}${tried}`;
  }) as [string, string];
  return x === y ? { a: `${x} (a)`, b: `${y} (b)` } : { a: x, b: y };
}

function ends(left: FoundTrial, right: FoundTrial, tier: "deterministic" | "llm-derived", names: Names): PageSection {
  const cells = ({ run, row }: FoundTrial, name: string): Cell[] => [
    { text: name, link: { page: "trial", id: `${row.run}/${row.task}/${row.n}` } },
    { text: row.end, tone: toneOf(row) },
    inWords(row.root_cause ?? row.cause ?? ""),
    row.n,
    row.trial.calls.length,
    seconds(row.ms),
    { text: "its run group", link: { page: "group", id: run.group } },
  ];
  return {
    show: "table",
    caption: "The two trials; each opens step by step.",
    tier,
    columns: [
      { name: "Trial" },
      { name: "End" },
      { name: "Why" },
      { name: "Try", kind: "number" },
      { name: "Calls", kind: "number" },
      { name: "Took", kind: "number" },
      { name: "Counted in" },
    ],
    rows: [cells(left, names.a), cells(right, names.b)],
  };
}

/** A value as a text that is told before it is cut: a name that is cut in two is not known again. */
const toldValue = (value: unknown, told: Wording) =>
  told === asTheyAre ? shown(value, LINE_CHARS) : cut(told(shown(value, Number.POSITIVE_INFINITY)), LINE_CHARS);

/** The calls of two trials in rows: aligned ones in one, with what differs between them; with `opens`, each with its answer. */
export function callRows(
  a: readonly Call[],
  b: readonly Call[],
  names: Names,
  opens = false,
  told: Wording = asTheyAre,
): Row[] {
  const side = (call: Call) => ({ ...titled(call, told), ...(opens ? { answer: { value: call.answer } } : {}) });
  const key = new Map([...a, ...b].map((call) => [call, canonicalJson([call.tool, call.args])]));
  const likeness = (x: Call, y: Call) => (x.tool !== y.tool ? 0 : key.get(x) === key.get(y) ? 3 : 1);
  return align(a, b, likeness).map(({ a: left, b: right }): Row => {
    const sides = { ...(left ? { a: side(left) } : {}), ...(right ? { b: side(right) } : {}) };
    if (!left || !right) return { ...sides, what: `only ${left ? names.a : names.b} called`, differences: [] };
    const named = (name: string, x: unknown, y: unknown) =>
      jsonDifferences(x, y).map(({ path, ...values }) => ({
        path: path === "" ? name : `${name}.${path}`,
        ...("a" in values ? { a: toldValue(values.a, told) } : {}),
        ...("b" in values ? { b: toldValue(values.b, told) } : {}),
      }));
    const args = named("arguments", left.args, right.args);
    const answer = named("answer", left.answer, right.answer);
    const what = args.length > 0 ? "other arguments" : answer.length > 0 ? "another answer" : undefined;
    return {
      ...sides,
      ...(what === undefined ? {} : { what }),
      differences: [...args, ...answer].slice(0, DIFFERENCES),
    };
  });
}

function titled(call: Call, told: Wording) {
  return { title: `${call.tool} ${toldValue(call.args, told)}`, badge: call.answer_class, tone: toneOfCall(call) };
}

function firstDifference(rows: readonly Row[], a: TrialRow, b: TrialRow): string {
  const at = rows.findIndex(({ what }) => what !== undefined);
  if (at >= 0) return `They first differ at row ${at + 1} of their calls: ${rows[at]?.what}.`;
  const said = (row: TrialRow) => row.trial.answers.map(({ text }) => text).join("\n");
  return said(a) === said(b) ? "They made the same calls and said the same." : "They differ in their answers alone.";
}

function callCaption(rows: readonly Row[]): string {
  const differ = rows.filter(({ what }) => what !== undefined).length;
  const told = differ === 0 ? "none of them" : `${differ} of them`;
  return `${counted(rows.length, "row")} of aligned calls, ${told} with a difference${differ === 0 ? "" : "; the first is marked"}.`;
}

/** The rows with the first one that differs marked. */
export function marked(rows: readonly Row[]): Row[] {
  const at = rows.findIndex(({ what }) => what !== undefined);
  return rows.map((row, i) => (i === at ? { ...row, first: true } : row));
}

/** The answers of two trials turn by turn, with what only one of them said. */
export function answerRows(x: Answers, y: Answers): Row[] {
  const told = (answer: (typeof x)[number] | undefined, i: number) =>
    answer === undefined
      ? undefined
      : { title: `Turn ${i + 1}`, ...(answer.class === undefined ? {} : { badge: answer.class }) };
  return Array.from({ length: Math.max(x.length, y.length) }, (_, i): Row => {
    const [left, right] = [x[i], y[i]];
    const [sideA, sideB] = [told(left, i), told(right, i)];
    return {
      ...(sideA ? { a: sideA } : {}),
      ...(sideB ? { b: sideB } : {}),
      ...(left?.text === right?.text ? {} : { what: "another answer" }),
      differences: [],
      text: answerParts(left?.text ?? "", right?.text ?? ""),
    };
  });
}

/** Two answers word by word; those that have less than half in common one after the other, for words of both in turn are not read. */
function answerParts(a: string, b: string): NonNullable<Row["text"]> {
  const parts = textParts(a, b);
  const long = (text: string) => text.replaceAll(/\s/g, "").length;
  const shared = parts.reduce((sum, { text, only }) => sum + (only === undefined ? long(text) : 0), 0);
  if (a === "" || b === "" || 2 * shared >= Math.max(long(a), long(b))) return parts;
  return [{ text: a, only: "a" }, { text: "\n\n" }, { text: b, only: "b" }];
}

function answers(rows: Row[], names: { readonly a: string; readonly b: string }): PageSection {
  return {
    show: "sides",
    heading: "What they said",
    caption:
      "The answers of both, turn by turn, as one text where they are alike: what only one of them said is marked.",
    tier: "deterministic",
    ...names,
    rows,
  };
}

function checks(a: TrialRow, b: TrialRow, tier: "deterministic" | "llm-derived", names: Names): PageSection {
  const tone = { met: "good", not_met: "bad", not_decided: "warn" } as const;
  const cell = (check: TrialRow["checks"][number] | undefined): Cell =>
    check === undefined ? "" : { text: check.verdict.replace("_", " "), tone: tone[check.verdict] };
  const all = Array.from({ length: Math.max(a.checks.length, b.checks.length) }, (_, i) => [a.checks[i], b.checks[i]]);
  return {
    show: "table",
    heading: "Checks",
    caption: "What each check decided of both.",
    tier,
    columns: [{ name: "Check" }, { name: names.a }, { name: names.b }, { name: "Why", kind: "wide" }],
    rows: all.map(([x, y]) => [inWords((x ?? y)?.kind ?? ""), cell(x), cell(y), why(x?.reason, y?.reason, names)]),
  };
}

/** Why a check decided as it did: once where both are told the same. */
function why(a: string | undefined, b: string | undefined, names: Names): string {
  if (a === b) return cut(a ?? "", 400);
  const told = [a && `${names.a}: ${cut(a, 400)}`, b && `${names.b}: ${cut(b, 400)}`];
  return told.filter(Boolean).join("; ");
}

/** The rows of the world that either changed: what each field is after both, where they differ. */
export function changeRows(a: Diff, b: Diff, names: Names, told: Wording = asTheyAre): Row[] {
  const rows = (diff: Diff) => new Map(diff.map((change) => [`${change.table}\n${change.key}`, change]));
  const [x, y] = [rows(a), rows(b)];
  return [...new Set([...x.keys(), ...y.keys()])].sort().map((key): Row => {
    const [left, right] = [x.get(key), y.get(key)];
    const [p, q] = [fieldsOf(left, told), fieldsOf(right, told)];
    const fields = [...new Set([...p.keys(), ...q.keys()])].filter(
      (field) => p.get(field)?.whole !== q.get(field)?.whole,
    );
    const only = left === undefined ? names.b : names.a;
    const what = left && right ? (fields.length === 0 ? undefined : "another change") : `only ${only} changed`;
    const { table, key: row } = (left ?? right) as Diff[number];
    const title = { title: `changed ${table} ${cut(told(row), 80)}` };
    return {
      ...(left ? { a: title } : {}),
      ...(right ? { b: title } : {}),
      ...(what === undefined ? {} : { what }),
      differences: fields
        .slice(0, DIFFERENCES)
        .map((path) => ({ path, a: p.get(path)?.after ?? AS_DRAWN, b: q.get(path)?.after ?? AS_DRAWN })),
    };
  });
}

const AS_DRAWN = "as drawn";

/** What a change made of each field that is another after it. */
function fieldsOf(change: Diff[number] | undefined, told: Wording) {
  const most = told === asTheyAre ? LINE_CHARS : Number.POSITIVE_INFINITY;
  const fields = change === undefined ? [] : changedFields(change, most);
  return new Map(fields.map((each) => [each.field, { ...each, after: cut(told(each.after), LINE_CHARS) }]));
}

/** What the two left the world as: fields that differ between them, and folded away those that are alike. */
function world(a: TrialRow, b: TrialRow, names: Names): PageSection[] {
  const heading = "Changes to the world";
  const fields = (row: TrialRow) =>
    new Map<string, ReturnType<typeof changedFields>[number] & { table: string; key: string }>(
      row.trial.diff.flatMap((change) => {
        const { table, key } = change;
        const fields = changedFields(change, LINE_CHARS);
        return fields.map((each) => [`${table}\n${key}\n${each.field}`, { table, key, ...each }] as const);
      }),
    );
  const [x, y] = [fields(a), fields(b)];
  const keys: string[] = [...new Set([...x.keys(), ...y.keys()])].sort();
  if (keys.length === 0) return [{ show: "text", heading, paragraphs: ["Both left the world as it was drawn."] }];
  const differs = (key: string) => x.get(key)?.whole !== y.get(key)?.whole;
  const after = (of: typeof x, key: string): Cell => {
    const value = of.get(key)?.after;
    return value === undefined ? AS_DRAWN : differs(key) ? { text: value, tone: "warn" } : value;
  };
  const section = (
    told: { heading: string; caption: string; place?: string },
    fields: readonly string[],
  ): PageSection => ({
    show: "table",
    ...told,
    tier: "deterministic",
    columns: [
      { name: "Row and field" },
      { name: `After ${names.a}` },
      { name: `After ${names.b}` },
      { name: "As drawn", kind: "wide" },
    ],
    ...listed(fields, (key) => {
      const { table = "", key: row = "", field = "", before: drawn = "" } = x.get(key) ?? y.get(key) ?? {};
      return [`${table} ${cut(row, 80)}: ${field}`, after(x, key), after(y, key), drawn];
    }),
  });
  const [other, same] = [keys.filter(differs), keys.filter((key) => !differs(key))];
  const caption = "Fields that are not as they were drawn at the end of either, and differ between the two.";
  const alike = {
    heading: `Changed alike by both: ${counted(same.length, "field")}`,
    caption: "Fields that both changed, to the same.",
    place: "alike",
  };
  return [
    other.length === 0
      ? { show: "text", heading, paragraphs: ["Both left the world the same."] }
      : section({ heading, caption }, other),
    ...(same.length === 0 ? [] : [section(alike, same)]),
  ];
}
