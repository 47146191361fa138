import { countOf } from "../../count-of.ts";
import { Tier, weakestTier } from "../../tier.ts";
import { cut } from "../pages/words.ts";
import { Finding } from "../render/finding.ts";
import { basis, headline } from "../render/sentences.ts";
import { unknownCompared } from "./root-compared.ts";
import { CAN_BE_ASKED, FACTS, HEEDS_PERIOD } from "./root-facts.ts";
import { halvesOf, inContext } from "./root-halves.ts";
import { byIds, citesOf, isId } from "./root-ids.ts";
import { nearestByNames } from "./root-names.ts";
import { elsewhere, givenFor, operationNamed } from "./root-operations.ts";
import { periodIn } from "./root-period.ts";
import { rowLines } from "./root-rows.ts";
import { type Ask, subjectGroup, subjectPair } from "./root-subject.ts";
import {
  type FoundTool,
  howOf,
  isAct,
  isNear,
  type NearAnswer,
  OFFERED,
  type ReadTools,
  type ToolRead,
} from "./root-tools.ts";
import { whyNotDone, whyUnrecorded } from "./root-unrecorded.ts";
import { environmentsFor } from "./root-world-facts.ts";

/** What an answer is made of: its words, the records it rests on, the tools that were called, and how it was made. */
export interface RootAnswer {
  readonly answer: string;
  readonly cites: readonly { readonly tool: string; readonly id: string }[];
  readonly calls: readonly { readonly tool: string; readonly status: number }[];
  readonly tier: Tier;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there makes a line of its own.
type Body = any;
type Args = Readonly<Record<string, unknown>>;

/** What a question that names no record is about: the newest, or the first there is. */
interface Implied {
  readonly params: readonly string[];
  readonly from: string;
  readonly args: Args;
  readonly pick: (body: Body) => readonly unknown[];
  /** Whether it is one of many, which is then said. */
  readonly newest?: true;
}
const IMPLIED: readonly Implied[] = [
  { params: ["surface"], from: "surfaces_list", args: {}, pick: ({ surfaces }) => [surfaces[0]?.name] },
  { params: ["aid"], from: "agents_list", args: {}, pick: ({ agents }) => [ownAgents(agents)[0]?.id] },
];

/** The list whose first record is the newest that a tool can tell of, by what it has to be given; of the same names by the tool. */
const NEWEST: Readonly<Record<string, string>> = {
  bundle_id: "bundles_list",
  cid: "calibration_list",
  eid: "evidence_list",
  fid: "facets_list",
  job_id: "jobs_list",
  pcid: "comparisons_list",
  report_id: "reports_list",
  wid: "worldplans_list",
  sandbox_door_get: "sandboxes_list",
  sandbox_get: "sandboxes_list",
  schedules_get: "schedules_list",
  served_repo_get: "served_repo_list",
  served_repo_read: "served_repo_list",
  sources_get: "sources_list",
};

function newestFor(name: string, required: readonly string[]): Implied | undefined {
  const [param, ...others] = required;
  const from = NEWEST[name] ?? NEWEST[param ?? ""];
  if (param === undefined || from === undefined || others.length > 0) return undefined;
  // A list names its records by their ids, whatever the member is called, and the newest first.
  const pick = (body: Body) => [idsOfRow(Object.values(Object(body)).find(Array.isArray)?.[0])[0]];
  return { params: [param], from, args: {}, pick, newest: true };
}

function idsOfRow(row: Body): string[] {
  const values = [Object(row).id, ...Object.values(Object(row))];
  return values.filter(isId);
}

/** The run groups that a question is about, by what a tool has to be given. */
const GROUPS: Readonly<
  Record<string, (ask: Ask, text: string) => Promise<{ args: Args; note: readonly string[] } | undefined>>
> = {
  async gid(ask, text) {
    const of = await subjectGroup(ask, text);
    return of && { args: { gid: of.group }, note: of.note };
  },
  async rid(ask, text) {
    const of = await subjectGroup(ask, text);
    return of && { args: { rid: of.run }, note: of.note };
  },
  async job_calls(ask, text) {
    const of = await subjectGroup(ask, text);
    return of && { args: { job_id: of.group }, note: of.note };
  },
  async group(ask, text) {
    const of = await subjectGroup(ask, text);
    return of && { args: { group: of.group }, note: of.note };
  },
  async "a,b"(ask, text) {
    const pair = await subjectPair(ask, text);
    return pair && { args: { a: pair[0].group, b: pair[1].group }, note: pair[1].note };
  },
};

/** Answers whose line cannot be told from their form. */
const SAYS: Readonly<Record<string, (body: Body) => string>> = {
  delivery_get: ({ finding, why }) => findingLine(finding, why),
  judge_get: ({ judge }) => `${judge.model ?? "No model"} judges here. ${judge.note ?? ""}`.trim(),
  org_readiness_get: ({ criteria, ready }) => `${size(ready)} of ${size(criteria)} criteria are ready.`,
  agents_list: ({ agents }) => rowsLine("agent", ownAgents(agents)),
  evidence_list: ({ evidence, next }) =>
    `${countOf(sum(evidence.map(({ stats }: Body) => stats?.traces)), "trace")} with ${countOf(sum(evidence.map(({ stats }: Body) => stats?.calls)), "tool call")} in ${next === undefined ? "" : "the newest "}${countOf(evidence.length, "evidence record")}.`,
  run_groups_list: ({ groups }) =>
    rowsLine(
      "run group",
      groups.map(({ player, group, counts, status }: Body) => {
        const who = [player?.name, player?.version].filter(Boolean).join(" ") || group;
        return counts === undefined ? `${who} (${status})` : `${who} met ${counts.met} of ${counts.planned}`;
      }),
    ),
  reports_list: ({ reports }) =>
    `${rowsLine("report", reports).slice(0, -1)}; ${reports.filter(({ shared }: Body) => shared).length || "none"} shared by a public link.`,
  org_changes_get: ({ lines }) =>
    `${countOf(size(lines), "change")} of environments, compiled versions, ontologies and readings, the newest first; who made each is in the records named. Runs (jobs_list), uploads (evidence_list), agents (agents_list), and to an admin tokens (org_tokens_list), are not among them.`,
};

/** Arguments of a tool where the question gives none. */
const GIVEN: Readonly<Record<string, Args>> = { org_status: { format: "md" }, compare_runs: { format: "json" } };

/** What is this much as near as the nearest may be meant as well, and is told too; what is only named takes one line. */
const CLOSE = { answered: 0.93, named: 0.75 } as const;
/** How many lines are told of what may be meant as well. */
const BESIDE = 4;
/** How many members of a record are read out. */
const PLAIN = 8;
const CITES = 12;

interface ReadCall {
  readonly tool: string;
  readonly read: ToolRead;
}

/** Answers by rule: the tools that a question's ids or words ask for, with their verdict lines; or that it cannot be told. */
export async function answerByRule(tools: ReadTools, text: string, signal: AbortSignal): Promise<RootAnswer> {
  const asked: ReadCall[] = [];
  const lines: string[] = [];
  const known = new Map<string, Promise<ToolRead>>();
  const ask: Ask = async (tool, args) => {
    const key = JSON.stringify([tool, args]);
    const before = known.get(key);
    const read = before ?? tools.call(tool, args, signal);
    known.set(key, read);
    if (before === undefined) asked.push({ tool, read: await read });
    return read;
  };
  const ids = byIds(text);
  for (const { tool, args } of ids) lines.push(...said(tool, tools.named(tool)?.title ?? tool, await ask(tool, args)));
  if (lines.length === 0) lines.push(...operationNamed(tools, text));
  if (lines.length === 0) lines.push(...(await byWords(tools, ask, text)));
  if (lines.length === 0) {
    const named = await nearestByNames((tool, args) => tools.call(tool, args, signal), tools, text);
    if (named !== undefined) lines.push(...(await byWords(named, ask, text)));
    if (lines.length === 0) return cannot((named ?? tools).nearest(text));
  }
  return {
    answer: lines.join("\n"),
    cites: asked.flatMap(({ tool, read }) => (read.status < 300 ? citesOf(tool, read.body) : [])).slice(0, CITES),
    calls: asked.map(({ tool, read }) => ({ tool, status: read.status })),
    tier: weakestTier(asked.map(({ read }) => tierOf(read.body))) ?? "deterministic",
  };
}

/** What is answered where nothing known is near, or where it is not clear enough what is asked; `near` is what came nearest. */
export function cannot(near: readonly NearAnswer[] = []): RootAnswer {
  const known = near.filter(({ score }) => score >= OFFERED).slice(0, 2);
  const lines =
    known.length === 0
      ? ["That cannot be told by this assistant: no question that it knows comes near."]
      : [
          "It is not clear what is asked. The nearest that can be answered, to be asked in these words:",
          ...known.map(inWords),
        ];
  return { answer: [...lines, CAN_BE_ASKED].join("\n"), cites: [], calls: [], tier: "deterministic" };
}

/** A known question, and the tool that answers it where it is one alone. */
function inWords(near: NearAnswer): string {
  return `- "${near.question}"${"tool" in near ? ` (${near.tool.name})` : ""}`;
}

/** Lines told of each half; how near to a half what all is nearest to has to be to be taken, and how near another. */
const HALF = { lines: 6, like: 0.9, other: 2 } as const;

/** What is told by the words of a question: of both of its halves, else of all of it. */
async function byWords(tools: ReadTools, ask: Ask, text: string): Promise<string[]> {
  const near = tools.nearest(text);
  const halves = await byHalves(near, tools, ask, text);
  return halves.length > 0 ? halves : byNearest(near, ask, text);
}

/** What each half of a question says that asks two things; none where it is one, or a half is near to nothing that is told. */
async function byHalves(whole: readonly NearAnswer[], tools: ReadTools, ask: Ask, text: string): Promise<string[]> {
  const halves = halvesOf(text);
  // The meaning of a word is told by itself.
  if (halves === undefined || whole[0] === undefined || whole[0].score === Number.POSITIVE_INFINITY) return [];
  const about = nameOf(whole[0]);
  const near = [tools.nearest(halves[0]), tools.nearest(halves[1], halves[0])].map((found) => {
    const same = found.find(
      (each) => about !== "" && nameOf(each) === about && each.score >= HALF.like * found[0]!.score,
    );
    return [...(same === undefined ? [] : [same]), ...found];
  });
  const clear = ([first]: readonly NearAnswer[]) =>
    first !== undefined && (nameOf(first) === about || first.score >= HALF.other);
  if (!near.every((each) => isNear(each) && clear(each) && !isAct(each[0]!))) return [];
  const told: string[][] = [];
  for (const [at, [first]] of near.entries()) {
    if (howOf(first!) === "answered" && whyUnrecorded(text, nameOf(first!)) !== undefined) return [];
    told.push((await tellOrWhere(first!, ask, at === 0 ? halves[0] : inContext(halves))).slice(0, HALF.lines));
  }
  return [...new Set(told.flat())];
}

/** What the nearest says, and another that may be meant as well; none where nothing is near enough. */
async function byNearest(near: readonly NearAnswer[], ask: Ask, text: string): Promise<string[]> {
  const notDone = whyNotDone(text);
  if (notDone !== undefined) return [notDone];
  const [first, second] = near;
  if (first === undefined || !isNear(near)) return [];
  const unknown = await unknownCompared(ask, nameOf(first), text);
  if (unknown.length > 0) return unknown;
  const unrecorded = howOf(first) === "answered" ? whyUnrecorded(text, nameOf(first)) : undefined;
  if (unrecorded !== undefined) return [unrecorded];
  const told = await tellOrWhere(first, ask, text);
  if (second === undefined || second.score < CLOSE[howOf(second)] * first.score) return told;
  const other = (await tellOrWhere(second, ask, text)).slice(0, BESIDE);
  if (other.every((line) => told.includes(line))) return told;
  return [...told, `Or, if "${second.question}" is meant:`, ...other];
}

/** What a near answer says, else where it is told; and whether it heeds the span of time that is asked for. */
async function tellOrWhere(near: NearAnswer, ask: Ask, text: string): Promise<string[]> {
  const told = await tellNear(near, ask, text);
  if (told.length === 0)
    return "tool" in near
      ? elsewhere(near.tool)
      : [`There is nothing yet that it could be told from: it was taken for "${near.question}".`];
  const period = "text" in near || isAct(near) || HEEDS_PERIOD.has(nameOf(near)) ? undefined : periodIn(text);
  return period === undefined
    ? told
    : [...told, `- of the newest or of all that is stored: it is not narrowed to "${period.said}"`];
}

function nameOf(near: NearAnswer): string {
  return "fact" in near ? near.fact : "tool" in near ? near.tool.name : "";
}

async function tellNear(near: NearAnswer, ask: Ask, text: string): Promise<string[]> {
  if ("fact" in near) return (await FACTS[near.fact]?.(ask, text)) ?? [];
  if ("text" in near) return [near.text];
  const { tool } = near;
  return tool.reads ? tell(tool, ask, text) : elsewhere(tool, await givenFor(tool, ask, text));
}

/** Asks a tool, with the newest records where it needs some; no line where there are none, or it refuses. */
async function tell({ name, title, required }: FoundTool, ask: Ask, text: string): Promise<string[]> {
  const period = name === "org_changes_get" ? periodIn(text) : undefined;
  let args: Args = period === undefined ? (GIVEN[name] ?? {}) : { since: period.from };
  let note: readonly string[] = [];
  const groups = NEWEST[name] === undefined ? (GROUPS[name] ?? GROUPS[required.join()]) : undefined;
  if (groups !== undefined) {
    const of = await groups(ask, text);
    if (of === undefined) return [`${name} would tell it, and no run that it could tell of is stored yet.`];
    args = { ...args, ...of.args };
    note = of.note;
  } else if (required.join() === "env_id") return tellEnvironments({ name, title }, ask, text);
  else if (required.length > 0) {
    const implied =
      IMPLIED.find(({ params }) => required.every((param) => params.includes(param))) ?? newestFor(name, required);
    if (!implied) return [];
    const read = await ask(implied.from, implied.args);
    const values = read.status < 300 ? implied.pick(read.body) : [];
    if (values.length === 0 || values.some((value) => typeof value !== "string"))
      return [`${name} would tell it, and there is nothing yet that it could tell of: see ${implied.from}.`];
    args = { ...args, ...Object.fromEntries(implied.params.map((param, i) => [param, values[i]])) };
    if (implied.newest) note = [`- of the newest, ${values.join(", ")}; ${implied.from} lists all`];
  }
  const read = await ask(name, args);
  const told = read.status < 300 ? said(name, title, read) : [];
  // What it was asked about says nothing by itself.
  return told.length > 0 ? [...told, ...note] : [];
}

/** Asks a tool about each environment that a question names, or about all of them; their lines say which. */
async function tellEnvironments(
  { name: tool, title }: Pick<FoundTool, "name" | "title">,
  ask: Ask,
  text: string,
): Promise<string[]> {
  const environments = await environmentsFor(ask, text);
  if (environments.length === 0)
    return [`${tool} would tell it, and there is nothing yet that it could tell of: see surfaces_list.`];
  const lines: string[] = [];
  for (const { id, label } of environments) {
    const read = await ask(tool, { env_id: id });
    const [first, ...rest] = read.status < 300 ? said(tool, title, read) : [];
    if (first !== undefined) lines.push(environments.length > 1 ? `${label}: ${first}` : first, ...rest);
  }
  return lines;
}

/** What the answer of a tool says, in lines. */
function said(tool: string, title: string, { status, body, verdict, counts = [] }: ToolRead): string[] {
  if (status >= 300) return [`${tool} refused: ${reasonOf(body)}`];
  const line = verdict ?? SAYS[tool]?.(body) ?? formLine(tool, title, body);
  return [line, ...counts.map((count) => `- ${count}`), ...rowLines(tool, body)].filter((each) => each !== "");
}

/** An answer in a line, by its form: the rows of the list that it is named after, or of its longest; else its plain members. */
function formLine(tool: string, title: string, body: Body): string {
  const lists = Object.entries(Object(body)).filter(([, part]) => Array.isArray(part)) as [string, Body[]][];
  const [longest] = [...lists].sort((a, b) => b[1].length - a[1].length);
  const first = lists.find(([name]) => tool.startsWith(name)) ?? longest;
  if (first?.[1].length === 0 && !tool.includes(singular(first[0]))) return `${title}: there are none yet.`;
  // Rows that have no names say nothing to a person: another tool may tell it, or none does.
  if (first?.[1].some((row) => typeof row === "object" && !NAMES.some((name) => Object(row)[name]))) return "";
  if (first) return rowsLine(singular(first[0]), first[1]);
  const plain = Object.entries(Object(body)).filter(
    ([name, part]) => !KEPT.has(name) && (part === null || typeof part !== "object"),
  );
  return plain
    .slice(0, PLAIN)
    .map(([name, part]) => `${name.replaceAll("_", " ")}: ${cut(String(part), 80)}`)
    .join("; ");
}

/** Members that say of what or how an answer was made. */
const KEPT = new Set(["org", "workspace", "tier", "method", "as_of", "next"]);
const NAMES = ["name", "label", "title", "surface", "value"];

function rowsLine(what: string, rows: readonly Body[]): string {
  const names = rows.map((row) =>
    typeof row === "object" && row !== null ? NAMES.map((name) => row[name]).find(Boolean) : row,
  );
  const shown = names.slice(0, 8).map((name) => cut(String(name ?? "one without a name"), 60));
  const more = names.length - shown.length;
  const list = rows.length === 0 ? "" : `: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return `${countOf(rows.length, what.replaceAll("_", " "))}${list}.`;
}

function singular(name: string): string {
  return name.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
}

function ownAgents(agents: readonly Body[]): Body[] {
  return agents.filter(({ versions }) => Array.isArray(versions) && versions.length > 0);
}

function findingLine(finding: unknown, why: string): string {
  const parsed = Finding.safeParse(finding);
  if (!parsed.success) return `There is no finding yet: ${why}`;
  return `${headline(parsed.data, (text) => cut(text, 60))} ${basis(parsed.data)}`;
}

function reasonOf(body: unknown): string {
  const { reason } = Object(body) as { reason?: unknown };
  return typeof reason === "string" ? reason : "it gave no reason.";
}

function tierOf(body: unknown): Tier {
  const parsed = Tier.safeParse((Object(body) as { tier?: unknown }).tier);
  return parsed.success ? parsed.data : "deterministic";
}

function sum(numbers: readonly unknown[]): number {
  return numbers.reduce<number>((all, one) => all + (Number(one) || 0), 0);
}

function size(value: unknown): number {
  return Array.isArray(value) ? value.length : Number(value);
}
