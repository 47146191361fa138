import { countOf } from "../../count-of.ts";
import { stems } from "../../text/stems.ts";
import { Tier, weakestTier } from "../../tier.ts";
import { cut } from "../pages/words.ts";
import { Finding } from "../render/finding.ts";
import { basis, headline } from "../render/sentences.ts";
import { tellFact } from "./root-facts.ts";
import { rowLines } from "./root-rows.ts";
import { type Ask, subjectGroup, subjectPair } from "./root-subject.ts";
import type { FoundTool, ReadTools, ToolRead } from "./root-tools.ts";
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

/** Records that a question may name by their ids, and the tool that reads each. */
const BY_ID: readonly { readonly prefix: string; readonly tool: string; readonly param: string }[] = [
  { prefix: "rg", tool: "run_group", param: "gid" },
  { prefix: "env", tool: "environment_tasks", param: "env_id" },
  { prefix: "pc", tool: "provider_comparison", param: "pcid" },
];

/** What a question that names no record is about: the newest, or the first there is. */
const IMPLIED: readonly {
  readonly params: readonly string[];
  readonly from: string;
  readonly args: Args;
  readonly pick: (body: Body) => readonly unknown[];
}[] = [
  { params: ["surface"], from: "surfaces_list", args: {}, pick: ({ surfaces }) => [surfaces[0]?.name] },
  { params: ["aid"], from: "agents_list", args: {}, pick: ({ agents }) => [ownAgents(agents)[0]?.id] },
];

/** The run groups that a question is about, by what a tool has to be given. */
const GROUPS: Readonly<
  Record<string, (ask: Ask, text: string) => Promise<{ args: Args; note: readonly string[] } | undefined>>
> = {
  async gid(ask, text) {
    const of = await subjectGroup(ask, text);
    return of && { args: { gid: of.group }, note: of.note };
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
  org_changes_get: ({ lines }) =>
    `${countOf(size(lines), "change")}, the newest first; who made each is in the records named.`,
};

/** Arguments of a tool where the question gives none. */
const GIVEN: Readonly<Record<string, Args>> = { org_status: { format: "md" }, compare_runs: { format: "json" } };

/** A tool is asked where it knows more than this of a question's words: one of two, since what is known weighs less. */
const KNOWN = 0.4;
/** A tool is asked only where it is about half of the question's words: a true answer to another question misleads. */
const ABOUT = 0.5;
/** Half of a question known of half of what a tool is about is chance: an everyday word that both have. */
const BOTH = 1;
/** How much of a question a tool has to know, and to be about, that is named without being read. */
const UNREAD = 0.6;
/** What changes something is named only where at least half is known: a wrong hint costs more than none. */
const SURE = 0.5;
/** How many tools a question may be put to, where the first ones refuse. */
const TRIES = 3;
/** What is answered by yes, no or a number, so that none is an answer. */
const WHETHER = /^(is|are|was|were|do|does|did|has|have|can|how (many|much))\b|\bnow\b/i;
const PLAIN = 6;
const CITES = 12;
const ID = /\b[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}\b/g;

interface ReadCall {
  readonly tool: string;
  readonly read: ToolRead;
}

/** Answers by rule: the tools that a question's ids or words ask for, with their verdict lines; or that it cannot be told. */
export async function answerByRule(tools: ReadTools, text: string, signal: AbortSignal): Promise<RootAnswer> {
  const asked: ReadCall[] = [];
  const lines: string[] = [];
  const ask: Ask = async (tool, args) => {
    const read = await tools.call(tool, args, signal);
    asked.push({ tool, read });
    return read;
  };
  const ids = byIds(text);
  for (const { tool, args } of ids) lines.push(...said(tool, await ask(tool, args)));
  if (lines.length === 0) lines.push(...operationNamed(tools, text));
  const fact = lines.length === 0 ? await tellFact(ask, text) : [];
  lines.push(...(fact ?? []));
  const found =
    fact !== undefined
      ? []
      : tools.find(withoutNow(text)).filter(({ known, about, effect, reads }) => {
          if (effect !== "read") return known >= SURE && about > 0;
          // What is named without being read has to be the right one by its words alone.
          return reads ? known > KNOWN && about >= ABOUT && known + about >= BOTH : known > UNREAD && about > UNREAD;
        });
  const acts = tools.operator(text);
  const [best] = found;
  // What the operator's command knows more of is no act of this workspace, however near one comes.
  const led = best !== undefined && !best.reads && (acts[0]?.known ?? 0) > best.known;
  const acting = best !== undefined && !best.reads;
  const none: string[] = [];
  for (const tool of acting ? [] : found.slice(0, TRIES)) {
    const told = tool.reads ? await tell(tool, ask, text) : [elsewhere(tool)];
    if (told.length === 0) continue;
    const empty = isEmpty(told[0] ?? "");
    (empty ? none : lines).push(...told);
    // "There are none" answers whether there are any; what else was asked for may stand elsewhere, and then leads.
    if (WHETHER.test(text) || !empty) break;
  }
  lines.push(...(lines.length === 0 ? none : none.map((line) => (line.startsWith("- ") ? line : `- ${line}`))));
  if (acting && !led) lines.push(...doing(found));
  if (acting || (fact === undefined && lines.length === 0)) {
    const by = lines.length > 0 ? "- or, by" : "By";
    lines.push(...acts.map(({ act }, i) => `${led && i > 0 ? "- or, by" : by} whoever runs the service: ${act}`));
  }
  if (lines.length === 0)
    return cannot(fact === undefined ? tools.find(text).filter(({ known }) => known > KNOWN) : []);
  return {
    answer: lines.join("\n"),
    cites: asked.flatMap(({ tool, read }) => (read.status < 300 ? citesOf(tool, read.body) : [])).slice(0, CITES),
    calls: asked.map(({ tool, read }) => ({ tool, status: read.status })),
    tier: weakestTier(asked.map(({ read }) => tierOf(read.body))) ?? "deterministic",
  };
}

/** What is answered where no record could tell; `near` are tools that came nearest. */
export function cannot(near: readonly FoundTool[] = []): RootAnswer {
  const names = near.slice(0, 3).map(({ name }) => name);
  const nearest = names.length === 0 ? "" : ` The nearest tools: ${names.join(", ")}; name a record by its id.`;
  return {
    answer: `That cannot be told from this workspace's records.${nearest} Ask about its status, runs and their comparison, failures, tasks and environments, fidelity, coverage, agents, evidence, sources, schedules, reports or spend; or about a run group, environment or provider comparison by its id.`,
    cites: [],
    calls: [],
    tier: "deterministic",
  };
}

/** Asks a tool, with the newest records where it needs some; no line where there are none, or it refuses. */
async function tell({ name, required }: FoundTool, ask: Ask, text: string): Promise<string[]> {
  let args: Args = GIVEN[name] ?? {};
  let note: readonly string[] = [];
  const groups = GROUPS[required.join()];
  if (groups !== undefined) {
    const of = await groups(ask, text);
    if (of === undefined) return [`${name} would tell it, and no run that it could tell of is stored yet.`];
    args = { ...args, ...of.args };
    note = of.note;
  } else if (required.join() === "env_id") return tellEnvironments(name, ask, text);
  else if (required.length > 0) {
    const implied = IMPLIED.find(({ params }) => required.every((param) => params.includes(param)));
    if (!implied) return [];
    const read = await ask(implied.from, implied.args);
    const values = read.status < 300 ? implied.pick(read.body) : [];
    if (values.length === 0 || values.some((value) => typeof value !== "string"))
      return [`${name} would tell it, and there is nothing yet that it could tell of: see ${implied.from}.`];
    args = { ...args, ...Object.fromEntries(implied.params.map((param, i) => [param, values[i]])) };
  }
  const read = await ask(name, args);
  return read.status < 300 ? [...said(name, read), ...note] : [];
}

/** Asks a tool about each environment that a question names, or about all of them; their lines say which. */
async function tellEnvironments(tool: string, ask: Ask, text: string): Promise<string[]> {
  const environments = await environmentsFor(ask, text);
  if (environments.length === 0)
    return [`${tool} would tell it, and there is nothing yet that it could tell of: see surfaces_list.`];
  const lines: string[] = [];
  for (const { id, label } of environments) {
    const read = await ask(tool, { env_id: id });
    const [first, ...rest] = read.status < 300 ? said(tool, read) : [];
    if (first !== undefined) lines.push(environments.length > 1 ? `${label}: ${first}` : first, ...rest);
  }
  return lines;
}

/** What the answer of a tool says, in lines. */
function said(tool: string, { status, body, verdict, counts = [] }: ToolRead): string[] {
  if (status >= 300) return [`${tool} refused: ${reasonOf(body)}`];
  const line = verdict ?? SAYS[tool]?.(body) ?? formLine(tool, body);
  return [line, ...counts.map((count) => `- ${count}`), ...rowLines(tool, body)].filter((each) => each !== "");
}

/** A question without words for the present, where it asks of something: every answer is of now. */
function withoutNow(text: string): string {
  const rest = text.replaceAll(/\b(right now|at the moment|now)\b/gi, " ");
  return stems(rest).length > 0 ? rest : text;
}

/** Whether an answer's first line tells of none. */
function isEmpty(line: string): boolean {
  return /^(0|No) [a-z]/.test(line);
}

/** Where the answer is had that this assistant cannot give: it reads, and with no more than scope read. */
function elsewhere({ name, title, effect, scope }: FoundTool): string {
  if (effect === "read" && scope === "read")
    return `${name} ("${title}") answers that as a file: call the tool itself.`;
  return effect === "read"
    ? `${name} tells that, to a token of scope ${scope}; this assistant reads with scope read alone.`
    : `${name} does that ("${title}"), with a token of scope ${scope}. This assistant only reads: call the tool itself.`;
}

/** What does what is asked for: the nearest operation, and those that know as many of the words, should it be another. */
function doing([nearest, ...others]: readonly FoundTool[]): string[] {
  if (nearest === undefined) return [];
  const equal = others.filter(({ known, effect }) => known >= nearest.known && effect !== "read").slice(0, 2);
  return [
    elsewhere(nearest),
    ...(nearest.effect === "read" ? [] : [`- ${takes(nearest)}`]),
    ...equal.map((tool) => `- or ${tool.name} ("${tool.title}"): ${takes(tool)}`),
  ];
}

function takes({ required }: FoundTool): string {
  return required.length === 0 ? "it needs no argument" : `it needs ${required.join(", ")}`;
}

/** An operation that a text names, told of: what it does and what it takes. */
function operationNamed(tools: ReadTools, text: string): string[] {
  for (const word of text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? []) {
    const [tool] = tools.find(word);
    if (tool?.name === word)
      return [
        `${word}: ${tool.title} (scope ${tool.scope}, ${tool.effect === "read" ? "only reads" : "changes something"}); ${takes(tool)}.`,
        ...(tool.takes.length > 0 ? [`- it takes: ${tool.takes.join(", ")}`] : []),
      ];
  }
  return [];
}

/** An answer in a line, by its form: the rows of the list that it is named after, or of its longest; else its plain members. */
function formLine(tool: string, body: Body): string {
  const lists = Object.entries(Object(body)).filter(([, part]) => Array.isArray(part)) as [string, Body[]][];
  const [longest] = [...lists].sort((a, b) => b[1].length - a[1].length);
  const first = lists.find(([name]) => tool.startsWith(name)) ?? longest;
  // None of what the tool is not named after answers nothing.
  if (first?.[1].length === 0 && !tool.includes(singular(first[0]))) return "";
  // Rows that have no names say nothing to a person: another tool may tell it, or none does.
  if (first?.[1].some((row) => typeof row === "object" && !NAMES.some((name) => Object(row)[name]))) return "";
  if (first) return rowsLine(singular(first[0]), first[1]);
  const plain = Object.entries(Object(body)).filter(
    ([name, part]) => !KEPT.has(name) && (part === null || typeof part !== "object"),
  );
  // A whole record read out is no answer to a question.
  if (plain.length > PLAIN) return "";
  return plain.map(([name, part]) => `${name.replaceAll("_", " ")}: ${cut(String(part), 80)}`).join("; ");
}

/** Members that say of what or how an answer was made. */
const KEPT = new Set(["org", "workspace", "tier", "method", "as_of", "next"]);
const NAMES = ["name", "label", "title", "surface"];

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

/** Ids of records that stand in a text, each once. */
export function idsIn(text: string): string[] {
  return [...new Set(text.match(ID) ?? [])];
}

/** The records that a tool's answer is of. */
export function citesOf(tool: string, body: unknown): { tool: string; id: string }[] {
  return idsIn(JSON.stringify(body) ?? "").map((id) => ({ tool, id }));
}

function byIds(text: string): { tool: string; args: Record<string, unknown> }[] {
  const ids = idsIn(text.toLowerCase());
  const groups = ids.filter((id) => id.startsWith("rg_"));
  const [a, b] = groups;
  if (a !== undefined && b !== undefined) return [{ tool: "compare_runs", args: { a, b, format: "json" } }];
  return ids.flatMap((id) => {
    const known = BY_ID.find(({ prefix }) => id.startsWith(`${prefix}_`));
    return known ? [{ tool: known.tool, args: { [known.param]: id } }] : [];
  });
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
