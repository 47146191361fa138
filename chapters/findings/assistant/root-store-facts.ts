import { countOf } from "../../count-of.ts";
import { cut } from "../pages/words.ts";
import { periodIn } from "./root-period.ts";
import { resultOfAll } from "./root-run-facts.ts";
import { type Ask, bodyOf, subjectGroup, timeOf } from "./root-subject.ts";
import { environmentsFor } from "./root-world-facts.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;
/** Days that the summary of spend goes back. */
const LEDGER = 30;
const FAILS = /\b(worst|fail\w*|errors?|break\w*|broken|wrong|refused?)\b/i;
const NEVER = /\b(never|no traces?|not (once|ever|used|called|seen)|unused|unseen)\b/i;
const RUN = /\b(runs?|trials?|evaluations?|experiments?|run group)\b/i;

/** Words that say nothing of what is looked for in traces. */
const FILL = /^(the|an?|any|some(thing|body|one)?|it|was|were|is|are|been|be|has|have|had|there|my|our|of|in|to|that)$/;

interface Use {
  readonly tool: string;
  calls: number;
  failed: number;
}

type Counter = (use: { tool: string; calls: number; errors: number; refused: number }) => void;

/** The calls of each tool, in the newest run's trials where a question is of them, else in all traces. */
export async function toolUse(ask: Ask, text: string): Promise<string[]> {
  const uses = new Map<string, Use>();
  const count: Counter = ({ tool, calls, errors, refused }) => {
    const use = uses.get(tool) ?? { tool, calls: 0, failed: 0 };
    uses.set(tool, { tool, calls: use.calls + calls, failed: use.failed + errors + refused });
  };
  const of = RUN.test(text) ? await usesOfRun(ask, text, count) : await usesOfTraces(ask, count);
  if (of === undefined || uses.size === 0) return [];
  if (NEVER.test(text)) return neverCalled(ask, uses, of);
  const all = [...uses.values()];
  const total = all.reduce((sum, { calls }) => sum + calls, 0);
  const failed = all.reduce((sum, use) => sum + use.failed, 0);
  const named = toolNamed(all, ({ tool }) => tool, text);
  if (named)
    return [
      `${named.tool} is called ${named.calls} times of ${countOf(total, "call")} ${of}; ${named.failed} of them ended in an error or a refusal.`,
    ];
  if (FAILS.test(text)) {
    const failing = all.filter((use) => use.failed > 0).sort((a, b) => b.failed - a.failed || a.calls - b.calls);
    const [worst] = failing;
    if (worst === undefined)
      return [`No tool fails: none of ${countOf(total, "call")} ${of} ended in an error or a refusal.`];
    const rate = /\bhow (often|many|much)\b|\brate\b/i.test(text)
      ? [`${failed} of ${countOf(total, "call")} ${of} ended in an error or a refusal.`]
      : [];
    return [
      ...rate,
      `${worst.tool} fails most often: ${worst.failed} of its ${countOf(worst.calls, "call")} ${of} ended in an error or a refusal, of ${failed} in all.`,
      ...failing.slice(1, SHOWN).map((use) => `- ${use.tool}: ${use.failed} of ${use.calls} failed`),
    ];
  }
  const least = /\b(least|rarest|seldom|rarely)\b/i.test(text);
  const sorted = all.sort((a, b) => (least ? a.calls - b.calls : b.calls - a.calls));
  const top = sorted[0]!;
  return [
    `${top.tool} is called ${least ? "least" : "most"} often: ${top.calls} of ${countOf(total, "call")} ${of}.`,
    ...sorted.slice(1, SHOWN).map(({ tool, calls }) => `- ${tool}: ${calls}`),
    ...(sorted.length > SHOWN ? [`- and ${sorted.length - SHOWN} more tools`] : []),
  ];
}

/** What a text names by the name of its tool. */
export function toolNamed<T>(all: readonly T[], nameOf: (row: T) => string, text: string): T | undefined {
  const said = text.toLowerCase().split(/[^\w.-]+/);
  return all.find((row) => said.includes(nameOf(row).toLowerCase()));
}

/** The tools that environments offer and no call is of. */
async function neverCalled(ask: Ask, uses: ReadonlyMap<string, Use>, of: string): Promise<string[]> {
  const offered = new Set<string>();
  for (const { id } of await environmentsFor(ask, ""))
    for (const { name } of (await bodyOf(ask, "environment_tools", { env_id: id }))?.tools ?? []) offered.add(name);
  const never = [...offered].filter((name) => !uses.has(name));
  return [
    `${never.length} of ${countOf(offered.size, "tool")} that environments offer ${never.length === 1 ? "is" : "are"} never called ${of}${never.length > 0 ? `: ${never.join(", ")}` : ""}.`,
  ];
}

/** Counts the calls of each tool in each record of traces, and says in how many traces that is; undefined where none is stored. */
export async function usesOfTraces(ask: Ask, count: Counter): Promise<string | undefined> {
  const list = await bodyOf(ask, "evidence_list", { kind: "traces", limit: 100 });
  const records: Body[] = (list?.evidence ?? []).filter((row: Body) => !row.superseded);
  let traces = 0;
  for (const { id } of records) {
    const read = await bodyOf(ask, "evidence_get", { eid: id, summary: true });
    traces += read?.tools_of ?? 0;
    for (const use of read?.tools ?? []) count(use);
  }
  const newest = list?.next === undefined ? "" : "of the newest records ";
  return `in ${countOf(traces, "trace")} ${newest}`.trim();
}

async function usesOfRun(ask: Ask, text: string, count: Counter): Promise<string | undefined> {
  const subject = await subjectGroup(ask, text);
  const read = subject && (await bodyOf(ask, "job_calls", { job_id: subject.group }));
  if (!subject || !read) return undefined;
  for (const { calls } of read.tries)
    for (const { tool, answer_class: end } of calls)
      count({ tool, calls: 1, errors: String(end).startsWith("error") ? 1 : 0, refused: end === "refused" ? 1 : 0 });
  return `in ${countOf(read.tries.length, "trial")} of ${subject.who}`;
}

export async function untestedTools(ask: Ask): Promise<string[]> {
  const matrix = await bodyOf(ask, "coverage_matrix");
  if (!matrix) return [];
  const tools: Body[] = matrix.untested_tools;
  if (tools.length === 0) return ["Every tool that traces call is needed by a certified task."];
  return [
    `${countOf(tools.length, "tool")} that traces call ${tools.length === 1 ? "is" : "are"} needed by no certified task: ${tools.map(({ tool }) => tool).join(", ")}.`,
    ...tools.slice(0, SHOWN).map(({ tool, calls }) => `- ${tool}: ${countOf(calls, "call")} in traces`),
  ];
}

/** What of the evidence was refused, with the reasons. */
export async function refusedEvidence(ask: Ask): Promise<string[]> {
  const list = await bodyOf(ask, "evidence_list", { limit: 100 });
  if (!list?.evidence) return [];
  const some: Body[] = list.evidence.filter(({ stats }: Body) => stats?.refused > 0);
  const sum = some.reduce((all, { stats }) => all + stats.refused, 0);
  const rows: string[] = [];
  for (const { id, surface } of some.slice(0, SHOWN))
    for (const { line, reason } of ((await bodyOf(ask, "evidence_get", { eid: id }))?.refused ?? []).slice(0, SHOWN))
      rows.push(`- ${surface ?? id}, item ${line}: ${reason}`);
  const newest = list.next === undefined ? "" : "the newest ";
  const losses = lossesOf(list.evidence);
  return [
    `${countOf(sum, "item")} of ${newest}${countOf(list.evidence.length, "evidence record")} ${sum === 1 ? "was" : "were"} refused${some.length > 0 ? `, in ${some.length} of them` : ", for a secret or for another reason"}; ${losses.length === 0 ? "none was read with losses" : `read with losses: ${losses.join(", ")}`}.`,
    ...rows.slice(0, SHOWN),
    "- a file of which nothing could be taken leaves no record: it was refused to its sender",
  ];
}

/** What was left out of what was read, by name with how often. */
function lossesOf(evidence: readonly Body[]): string[] {
  const losses = new Map<string, number>();
  for (const { stats } of evidence)
    for (const [name, n] of Object.entries(stats?.losses ?? {})) losses.set(name, (losses.get(name) ?? 0) + Number(n));
  return [...losses].map(([name, n]) => `${name} ${n}`);
}

/** The call that finds the traces in which the words stand that a question names: it is beyond this reader's scope. */
export async function tracesWith(ask: Ask, text: string): Promise<string[]> {
  if (FAILS.test(text) && /\b(tools?|calls?)\b/i.test(text))
    return [
      'evidence_match with filter {"answer_class":"refused"} (or "error:failed", "error:not_found"; with "tool" of one tool alone) lists these traces, to a token of scope push; this assistant reads with scope read alone.',
      ...(await toolUse(ask, text)).map((line) => (line.startsWith("- ") ? line : `- ${line}`)),
    ];
  const said = /\b(?:about|where|with|mention\w*|contain\w*|in which|that say)\s+(.+?)[?.!]*$/i.exec(text)?.[1] ?? "";
  const words = (said.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => !FILL.test(word));
  return words.length === 0
    ? []
    : [
        `evidence_match with q "${words.join(" ")}" lists the traces in which these words stand, to a token of scope push; this assistant reads with scope read alone.`,
      ];
}

export async function newestEvidence(ask: Ask): Promise<string[]> {
  const list = await bodyOf(ask, "evidence_list", { kind: "traces", limit: 1 });
  const newest = list?.evidence[0];
  if (!newest) return list ? ["No traces are stored yet."] : [];
  const read = await bodyOf(ask, "evidence_get", { eid: newest.id });
  return typeof read?.created_at === "number"
    ? [
        `The newest traces were stored at ${timeOf(read.created_at)} by ${read.by ?? "an unknown sender"}: ${newest.line ?? newest.id}`,
      ]
    : [];
}

/** Some sessions of the newest record of traces, as a person reads them. */
export async function newestTraces(ask: Ask): Promise<string[]> {
  const list = await bodyOf(ask, "evidence_list", { kind: "traces", limit: 1 });
  const newest = list?.evidence[0];
  if (!newest) return list ? ["No traces are stored yet."] : [];
  const rows: Body[] = (await bodyOf(ask, "evidence_get", { eid: newest.id, summary: true }))?.preview ?? [];
  return [
    `The newest record of traces, ${newest.id}, holds ${countOf(newest.stats?.traces ?? 0, "trace")}; these are the first of it, not ordered by time.`,
    ...rows
      .slice(0, SHOWN)
      .map(({ request, calls, id }) => `- "${cut(request, 90)}": ${countOf(calls, "call")}; trace ${id}`),
    "- evidence_get with eid and trace reads one whole",
  ];
}

/** What people still have to say something of: traces without a label, tasks on hold, failures that wait for a word. */
export async function unlabelled(ask: Ask): Promise<string[]> {
  const labels = await bodyOf(ask, "labels_get");
  const status = await bodyOf(ask, "org_status", { format: "json" });
  const proposed = await bodyOf(ask, "failure_mode_proposals_list");
  const list = await bodyOf(ask, "evidence_list", { kind: "traces", limit: 100 });
  if (!labels || !status || !list) return [];
  const traces = list.evidence.reduce((sum: number, { stats }: Body) => sum + (stats?.traces ?? 0), 0);
  const open = (proposed?.proposals ?? []).filter((row: Body) => row.status === undefined || row.status === "proposed");
  return [
    `${countOf(labels.labels.length, "label")} of ${countOf(traces, "trace")} ${labels.labels.length === 1 ? "is" : "are"} stored, and none has to be: tasks and verdicts need none.`,
    `- ${countOf(status.tasks.held, "task")} on hold, ${countOf(open.length, "proposed failure mode")} to confirm or dismiss`,
    "- labels_post stores a person's word on a trace, calibration_post one beside the judge's",
  ];
}

/** How traces were stored. What they hold of people nobody has looked for. */
export async function privacy(ask: Ask): Promise<string[]> {
  const list = await bodyOf(ask, "evidence_list", { limit: 1 });
  if (!list) return [];
  const stored = Object.entries(list.data_access).map(([access, n]) => `${n} ${access}`);
  if (stored.length === 0) return ["No evidence is stored."];
  return [
    `Evidence records by data access: ${stored.join(", ")}.`,
    "- full: stored as it came, with what it says of people; anonymized: names, addresses and ids under keyed pseudonyms; shapes: types alone",
    "- no record says which personal data a trace holds; reports mask it before they are shared",
  ];
}

/** How many calls a trace makes on average. */
export async function callsOfTraces(ask: Ask): Promise<string[]> {
  const list = await bodyOf(ask, "evidence_list", { kind: "traces", limit: 100 });
  const rows: Body[] = (list?.evidence ?? []).filter(({ superseded }: Body) => !superseded);
  const sum = (name: string) => rows.reduce((all, { stats }) => all + (stats?.[name] ?? 0), 0);
  const traces = sum("traces");
  return traces === 0
    ? []
    : [
        `${(sum("calls") / traces).toFixed(1)} tool calls a trace on average: ${sum("calls")} in ${countOf(traces, "trace")}.`,
      ];
}

/** What the workspace itself says to do next. */
export async function nextStep(ask: Ask): Promise<string[]> {
  const { status, verdict, next } = await ask("org_status", { format: "json" });
  if (status >= 300 || next === undefined) return [];
  return [`Next: ${next}.`, ...(verdict === undefined ? [] : [`- ${verdict}`])];
}

/** How many records the workspace holds of what people build and run. */
export async function records(ask: Ask, text: string): Promise<string[]> {
  if (/\b(trials?|tries|attempts?)\b/i.test(text)) return resultOfAll(ask, text);
  const status = await bodyOf(ask, "org_status", { format: "json" });
  if (!status) return [];
  const { surfaces, environments, agents, groups } = status;
  return [
    `${countOf(agents, "connected agent")}, ${countOf(surfaces, "surface")} with ${countOf(environments, "environment")}, and ${countOf(groups, "run group")}.`,
  ];
}

/** What models cost in the days that a question names. */
export async function spendOf(ask: Ask, text: string, now = new Date()): Promise<string[]> {
  const spend = await bodyOf(ask, "spend_summary");
  if (!Array.isArray(spend?.days)) return [];
  const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
  // The ledger's summary reaches no further back.
  const earliest = day(now.getTime() / 1000 - (LEDGER - 1) * 86_400);
  const period = periodIn(text, now);
  const from = [period === undefined ? earliest : day(period.from), earliest].sort()[1]!;
  const to = period === undefined ? day(now.getTime() / 1000) : day(period.to - 1);
  const days: Body[] = spend.days.filter(({ day: of }: Body) => of >= from && of <= to);
  const usd = days.reduce((sum, row) => sum + Number(row.usd), 0);
  const [spent, cap] = [Number(spend.today.spent_usd), Number(spend.today.usd_per_day)];
  return [
    `${usd.toFixed(2)} USD spent on models from ${from} to ${to} (UTC); today ${spent.toFixed(2)} of ${cap.toFixed(2)} USD, so that ${Math.max(0, cap - spent).toFixed(2)} USD are left.`,
    ...days.map(({ day: of, usd: cost }: Body) => `- ${of}: ${Number(cost).toFixed(2)} USD`),
  ];
}
