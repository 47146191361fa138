import { countOf } from "../../count-of.ts";
import { cut } from "../pages/words.ts";
import { type Ask, bodyOf, subjectGroup, timeOf } from "./root-subject.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;
const FAILS = /\b(fail\w*|errors?|break\w*|broken|wrong|refused?)\b/i;
const RUN = /\b(runs?|trials?|evaluations?|experiments?|run group)\b/i;

interface Use {
  readonly tool: string;
  calls: number;
  failed: number;
}

type Counter = (tool: string, calls: number, failed: number) => void;

/** The calls of each tool, in the newest run's trials where a question is of them, else in all traces. */
export async function toolUse(ask: Ask, text: string): Promise<string[]> {
  const uses = new Map<string, Use>();
  const count = (tool: string, calls: number, failed: number) => {
    const use = uses.get(tool) ?? { tool, calls: 0, failed: 0 };
    uses.set(tool, { tool, calls: use.calls + calls, failed: use.failed + failed });
  };
  const of = RUN.test(text) ? await usesOfRun(ask, text, count) : await usesOfTraces(ask, count);
  if (of === undefined || uses.size === 0) return [];
  const all = [...uses.values()];
  const total = all.reduce((sum, { calls }) => sum + calls, 0);
  const failed = all.reduce((sum, use) => sum + use.failed, 0);
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

async function usesOfTraces(ask: Ask, count: Counter): Promise<string | undefined> {
  const list = await bodyOf(ask, "evidence_list", { kind: "traces", limit: 100 });
  const records: Body[] = (list?.evidence ?? []).filter((row: Body) => !row.superseded);
  let traces = 0;
  for (const { id } of records) {
    const read = await bodyOf(ask, "evidence_get", { eid: id, summary: true });
    traces += read?.tools_of ?? 0;
    for (const use of read?.tools ?? []) count(use.tool, use.calls, use.errors + use.refused);
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
      count(tool, 1, end === "refused" || String(end).startsWith("error") ? 1 : 0);
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

export async function taskCounts(ask: Ask): Promise<string[]> {
  const status = await bodyOf(ask, "org_status", { format: "json" });
  if (!status) return [];
  const { draft, certified, held, refused, retired } = status.tasks;
  const all = draft + certified + held + refused;
  return [
    `${all} tasks in ${countOf(status.environments, "environment")}, ${certified} of them certified; ${held} held, ${refused} refused, ${draft} not reviewed${retired > 0 ? `, and ${retired} more retired` : ""}.`,
  ];
}

export async function jobs(ask: Ask): Promise<string[]> {
  const status = await bodyOf(ask, "org_status", { format: "json" });
  if (!status) return [];
  const { queued, running, held } = status.jobs;
  return [
    `${countOf(running, "job")} ${running === 1 ? "runs" : "run"} now, ${queued} ${queued === 1 ? "waits" : "wait"} in the queue, ${held} ${held === 1 ? "is" : "are"} held for budget or consent.`,
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

/** The tasks whose request or operation has the words that a question names. */
export async function tasksAbout(ask: Ask, text: string): Promise<string[]> {
  const said =
    /\b(?:about|mention\w*|involv\w*|concern\w*|deal\w* with|contain\w*)\s+(.+?)[?.!]*$/i.exec(text)?.[1] ?? "";
  const words = said.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  // By how words begin: cancellations, cancelled and cancel_reservation are one.
  const roots = words.filter((word) => !/^(the|any|all|and|for|our|its)$/.test(word)).map((word) => word.slice(0, 6));
  const surfaces = await bodyOf(ask, "surfaces_list");
  const ids: string[] = (surfaces?.surfaces ?? []).flatMap(({ environments = [] }: Body) =>
    environments.map(({ id }: Body) => id),
  );
  if (roots.length === 0 || ids.length === 0) return [];
  const found: Body[] = [];
  let all = 0;
  for (const env_id of ids) {
    const tasks: Body[] = (await bodyOf(ask, "environment_tasks", { env_id }))?.tasks ?? [];
    all += tasks.length;
    for (const task of tasks) {
      const holds = JSON.stringify([task.request, task.tools, task.cell, task.family]).toLowerCase();
      if (roots.every((root) => holds.includes(root))) found.push(task);
    }
  }
  return [
    `${found.length} of ${countOf(all, "task")} ${found.length === 1 ? "is" : "are"} about ${said}, by the words of request, tools and use case.`,
    ...found.slice(0, SHOWN).map(({ index, request, status }) => `- task ${index} (${status}): "${cut(request, 90)}"`),
    ...(found.length > SHOWN ? [`- and ${found.length - SHOWN} more`] : []),
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
export async function records(ask: Ask): Promise<string[]> {
  const status = await bodyOf(ask, "org_status", { format: "json" });
  if (!status) return [];
  const { surfaces, environments, agents, groups } = status;
  return [
    `${countOf(agents, "connected agent")}, ${countOf(surfaces, "surface")} with ${countOf(environments, "environment")}, and ${countOf(groups, "run group")}.`,
  ];
}
