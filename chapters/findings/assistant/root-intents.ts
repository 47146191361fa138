import { countOf } from "../../count-of.ts";
import { Tier, weakestTier } from "../../tier.ts";
import { cut } from "../pages/words.ts";
import { Finding } from "../render/finding.ts";
import { basis, headline } from "../render/sentences.ts";
import type { ReadTools, ToolRead } from "./root-tools.ts";

/** What an answer is made of: its words, the records it rests on, the tools that were called, and how it was made. */
export interface RootAnswer {
  readonly answer: string;
  readonly cites: readonly { readonly tool: string; readonly id: string }[];
  readonly calls: readonly { readonly tool: string; readonly status: number }[];
  readonly tier: Tier;
}

interface Intent {
  /** What it can tell, for a caller who asked for something else. */
  readonly about: string;
  readonly words: readonly RegExp[];
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** The answer in a line, where the tool has no verdict of its own. */
  readonly say?: (body: Body) => string;
  /** Another tool to ask with what the first one answered. */
  readonly follow?: (
    body: Body,
  ) => { readonly tool: string; readonly args: Readonly<Record<string, unknown>> } | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there makes a line of its own.
type Body = any;

/** What rules can answer. Of intents that fit equally well the first is taken. */
const INTENTS: readonly Intent[] = [
  {
    about: "the finding: how the tested version compares with main",
    words: [/finding/, /regress/, /\b(better|worse)\b/, /compar/, /\bmain\b/, /verdict/],
    tool: "delivery_get",
    say: ({ finding, why }) => findingLine(finding, why),
  },
  {
    about: "failure modes and why agents fail",
    words: [/fail/, /\bmodes?\b/, /\bbugs?\b/, /\bbroken?\b/, /root cause/],
    tool: "failure_modes",
  },
  {
    about: "spend and budget",
    words: [/spen[dt]/, /\bcosts?\b/, /budget/, /money/, /dollars?|usd|\$/],
    tool: "spend_summary",
  },
  {
    about: "coverage and its gaps",
    words: [/coverage/, /\bgaps?\b/, /persona/, /situation/],
    tool: "coverage_matrix",
  },
  {
    about: "which criteria are ready",
    words: [/\bready\b/, /readiness/, /criteri/],
    tool: "org_readiness_get",
    say: ({ criteria, ready }) => `${count(ready)} of ${count(criteria)} criteria are ready.`,
  },
  {
    about: "what runs now",
    words: [/running/, /\blive\b/, /right now/, /in progress/, /\bjobs?\b/],
    tool: "live_runs",
  },
  {
    about: "what people reported",
    words: [/feedback/, /\bnotes?\b/, /complain/, /\bsaid\b/],
    tool: "reports_ledger",
  },
  {
    about: "the newest run group and its rate",
    words: [/\bruns?\b/, /trial/, /\brates?\b/, /\bmet\b/, /\b(last|latest|newest)\b/, /pass(ed)?\b/, /score/],
    tool: "run_groups_list",
    args: { limit: 1 },
    say: ({ groups }) => (groups.length === 0 ? "Nothing has been run yet." : ""),
    follow: ({ groups }) => (groups[0] ? { tool: "run_group", args: { gid: groups[0].group } } : undefined),
  },
  {
    about: "agents and their versions",
    words: [/agents?\b/, /versions?\b/],
    tool: "agents_list",
    say: ({ agents }) => {
      const own = agents.filter((agent: Body) => typeof agent.id === "string");
      return `${countOf(own.length, "agent")}: ${named(own.map((agent: Body) => agent.name))}.`;
    },
  },
  {
    about: "sandboxes and their tasks",
    words: [/sandbox/, /environment/, /\btasks?\b/, /worlds?\b/],
    tool: "sandboxes_list",
    say: ({ sandboxes }) => `${sandboxes.length} sandboxes: ${named(sandboxes.map((sandbox: Body) => sandbox.label))}.`,
  },
  {
    about: "schedules",
    words: [/schedul/, /cadence/, /\bwhen\b/],
    tool: "schedules_list",
    say: ({ schedules }) =>
      `${countOf(schedules.length, "schedule")}: ${named(schedules.map((each: Body) => `${each.kind} ${each.cadence}`))}.`,
  },
  {
    about: "sources",
    words: [/sources?\b/, /connect/, /\bpull/, /\bsync/],
    tool: "sources_list",
    say: ({ sources }) =>
      `${countOf(sources.length, "source")}: ${named(sources.map((each: Body) => each.label ?? each.kind))}.`,
  },
  {
    about: "reports and the weekly page",
    words: [/reports?\b/, /weekly/, /\bpages?\b/, /shared?/],
    tool: "reports_list",
    say: ({ reports }) => `${countOf(reports.length, "report")}: ${named(reports.map((each: Body) => each.title))}.`,
  },
  {
    about: "the org as a whole",
    words: [/status/, /overview/, /summar/, /how are (we|things)/, /evidence/, /traces?\b/],
    tool: "org_status",
    args: { format: "md" },
  },
];

/** Records that a question may name by their ids, and the tool that reads each. */
const BY_ID: readonly { readonly prefix: string; readonly tool: string; readonly param: string }[] = [
  { prefix: "rg", tool: "run_group", param: "gid" },
  { prefix: "env", tool: "environment_tasks", param: "env_id" },
  { prefix: "pc", tool: "provider_comparison", param: "pcid" },
];

const CITES = 12;
const ID = /\b[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}\b/g;

/** Answers by rule: the tools that a question's words or ids ask for, with their verdict lines; or that it cannot be told. */
export async function answerByRule(tools: ReadTools, text: string, signal: AbortSignal): Promise<RootAnswer> {
  const asked = text.toLowerCase();
  const wanted = byIds(text);
  const intent = wanted.length > 0 ? undefined : bestIntent(asked);
  if (wanted.length === 0 && !intent) return cannot();
  const lines: string[] = [];
  const reads: { tool: string; read: ToolRead }[] = [];
  const ask = async (tool: string, args: Readonly<Record<string, unknown>>, say?: Intent["say"]) => {
    const read = await tools.call(tool, args, signal);
    reads.push({ tool, read });
    if (read.status >= 300) lines.push(`${tool} refused: ${reasonOf(read.body)}`);
    else lines.push(...[read.verdict ?? say?.(read.body) ?? "", ...(read.counts ?? []).map((line) => `- ${line}`)]);
    return read;
  };
  for (const { tool, args } of wanted) await ask(tool, args);
  if (intent) {
    const first = await ask(intent.tool, intent.args ?? {}, intent.say);
    const next = first.status < 300 ? intent.follow?.(first.body) : undefined;
    if (next) await ask(next.tool, next.args);
  }
  return {
    answer: lines.filter((line) => line !== "").join("\n"),
    cites: reads.flatMap(({ tool, read }) => (read.status < 300 ? citesOf(tool, read.body) : [])).slice(0, CITES),
    calls: reads.map(({ tool, read }) => ({ tool, status: read.status })),
    tier: weakestTier(reads.map(({ read }) => tierOf(read.body))) ?? "deterministic",
  };
}

/** What is answered where no record could tell. */
export function cannot(): RootAnswer {
  return {
    answer: `That cannot be told from this workspace's records. Questions it can answer: ${INTENTS.map(({ about }) => about).join("; ")}; or a run group, environment or provider comparison by its id.`,
    cites: [],
    calls: [],
    tier: "deterministic",
  };
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

function bestIntent(asked: string): Intent | undefined {
  const scored = INTENTS.map((intent) => ({ intent, n: intent.words.filter((word) => word.test(asked)).length }));
  const most = Math.max(...scored.map(({ n }) => n));
  return most === 0 ? undefined : scored.find(({ n }) => n === most)?.intent;
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

function count(value: unknown): number {
  return Array.isArray(value) ? value.length : Number(value);
}

function named(names: readonly unknown[]): string {
  const shown = names.slice(0, 8).map((name) => cut(String(name), 60));
  const more = names.length - shown.length;
  return `${shown.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}
