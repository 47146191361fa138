import { countOf } from "../../count-of.ts";
import { spanOf } from "./root-run-facts.ts";
import { callsOfTraces, toolNamed, usesOfTraces } from "./root-store-facts.ts";
import { type Ask, bodyOf, subjectGroup, whoOf } from "./root-subject.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of many tools; a field that is not there is told as none.
type Body = any;

const SHOWN = 8;
const OF_TRACES = /\b(traces?|sessions?|conversations?|recordings?|logs?|production|live)\b/i;

/** The tools by how long half of their calls took in production traces, the slowest first, or the one that is named. */
export async function slowestTool(ask: Ask, text: string): Promise<string[]> {
  const status = await bodyOf(ask, "org_status", { format: "json" });
  if (!status) return [];
  const all: Body[] = status.figures?.by_tool ?? [];
  const timed = all.filter(({ ms }) => ms !== undefined).sort((a, b) => b.ms.p50 - a.ms.p50);
  if (timed.length === 0)
    return [
      all.length === 0
        ? "How long tools take is not known: no trace from production is counted yet."
        : `How long tools take is not known: of ${countOf(all.length, "tool")} no trace says when a call began and ended.`,
    ];
  const took = ({ ms }: Body) =>
    `half of ${countOf(ms.of, "call")} took ${spanOf(ms.p50 / 1000)} at most, 95 % ${spanOf(ms.p95 / 1000)}`;
  const named = toolNamed(timed, ({ name }) => name, text);
  if (named) return [`${named.name}: ${took(named)}.`];
  const fastest = /\b(fast\w*|quick\w*)\b/i.test(text);
  const [first, ...rest] = fastest ? timed.toReversed() : timed;
  return [
    `${first.name} is the ${fastest ? "fastest" : "slowest"} tool in production traces: ${took(first)}.`,
    ...rest.slice(0, SHOWN - 1).map((row) => `- ${row.name}: ${took(row)}`),
  ];
}

/** How calls of tools went wrong: by the class of the answer in the newest run, as errors or refusals in the traces. */
export async function toolErrors(ask: Ask, text: string): Promise<string[]> {
  const told = [await errorsOfRun(ask, text), await errorsOfTraces(ask)].filter((lines) => lines.length > 0);
  const [first = [], second = []] = OF_TRACES.test(text) ? told.reverse() : told;
  return [...first, ...second.slice(0, 1).map((line) => `- ${line}`)];
}

async function errorsOfRun(ask: Ask, text: string): Promise<string[]> {
  const subject = await subjectGroup(ask, text);
  const read = subject && (await bodyOf(ask, "job_calls", { job_id: subject.group }));
  if (!subject || !read) return [];
  const kinds = new Map<string, Map<string, number>>();
  let calls = 0;
  for (const { calls: made } of read.tries)
    for (const { tool, answer_class: end } of made) {
      calls += 1;
      if (end !== "refused" && !String(end).startsWith("error")) continue;
      const tools = kinds.get(end) ?? new Map<string, number>();
      kinds.set(end, tools.set(tool, (tools.get(tool) ?? 0) + 1));
    }
  const sum = (tools: ReadonlyMap<string, number>) => [...tools.values()].reduce((all, n) => all + n, 0);
  const sorted = [...kinds].sort(([, a], [, b]) => sum(b) - sum(a));
  const failed = sorted.reduce((all, [, tools]) => all + sum(tools), 0);
  return [
    `${failed} of ${countOf(calls, "call")} in ${countOf(read.tries.length, "trial")} of ${subject.who} ended in an error or a refusal${failed === 0 ? "" : `: ${sorted.map(([kind, tools]) => `${kind} ${sum(tools)}`).join(", ")}`}.`,
    ...sorted.map(([kind, tools]) => {
      const most = [...tools].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
      return `- ${kind}: ${most.map(([tool, n]) => `${tool} ${n}`).join(", ")}`;
    }),
    ...subject.note,
  ];
}

async function errorsOfTraces(ask: Ask): Promise<string[]> {
  const rows: { tool: string; calls: number; errors: number; refused: number }[] = [];
  const of = await usesOfTraces(ask, (row) => rows.push(row));
  const sum = (name: "calls" | "errors" | "refused") => rows.reduce((all, row) => all + row[name], 0);
  if (rows.length === 0) return [];
  const failing = rows.filter((row) => row.errors + row.refused > 0);
  return [
    `${sum("errors")} of ${countOf(sum("calls"), "call")} ${of} ended in an error and ${sum("refused")} ${sum("refused") === 1 ? "was" : "were"} refused by the system.`,
    ...failing
      .sort((a, b) => b.errors + b.refused - a.errors - a.refused)
      .slice(0, SHOWN)
      .map(({ tool, calls, errors, refused }) => `- ${tool}: ${errors} errors, ${refused} refused, of ${calls} calls`),
  ];
}

/** How long traces take, as far as they say; the call that lists the longest is beyond this reader's scope. */
export async function longestTrace(ask: Ask): Promise<string[]> {
  const status = await bodyOf(ask, "org_status", { format: "json" });
  if (!status) return [];
  const weeks: Body[] = (status.figures?.weeks ?? []).filter(({ ms }: Body) => ms !== undefined);
  const longest = weeks.sort((a, b) => b.ms.p95 - a.ms.p95)[0];
  const calls = (await callsOfTraces(ask)).map((line) => `- ${line}`);
  if (status.evidence === 0) return ["No traces are stored yet."];
  return longest === undefined
    ? ["Which trace took the longest is not known: no trace from production says when it began and ended.", ...calls]
    : [
        `In ${longest.name}, the week with the longest traces, 95 % of ${countOf(longest.ms.of, "trace")} took ${spanOf(longest.ms.p95 / 1000)} at most and half took ${spanOf(longest.ms.p50 / 1000)}.`,
        `- evidence_match with filter {"min_ms":${longest.ms.p95}} lists the longest, to a token of scope push; this assistant reads with scope read alone`,
        ...calls,
      ];
}

/** What the newest runs cost, side by side, as far as their agents told it. */
export async function costOfRuns(ask: Ask): Promise<string[]> {
  const groups: Body[] = (await bodyOf(ask, "run_groups_list", { limit: SHOWN }))?.groups ?? [];
  if (groups.length === 0) return ["No run is stored yet, so none cost anything: start_run makes one."];
  const rows: { who: string; trials: number; usd?: number; tokens?: number }[] = [];
  for (const group of groups) {
    const trials: Body[] = [];
    for (const { run } of group.environments)
      trials.push(...((await bodyOf(ask, "run_get", { rid: run }))?.trials ?? []));
    const prices = trials.flatMap(({ usd }) => (typeof usd === "number" ? [usd] : []));
    const tokens = trials.flatMap(({ tokens: used }) => (used === undefined ? [] : [used.input + used.output]));
    const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);
    rows.push({
      who: whoOf(group),
      trials: trials.length,
      ...(prices.length === 0 ? {} : { usd: sum(prices) }),
      ...(tokens.length === 0 ? {} : { tokens: sum(tokens) }),
    });
  }
  const told = ({ who, trials, usd, tokens }: (typeof rows)[number]) => {
    const cost = [...(usd === undefined ? [] : [`${usd.toFixed(2)} USD`]), ...(tokens ? [`${tokens} tokens`] : [])];
    return `- ${who}, ${countOf(trials, "trial")}: ${cost.join(", ") || "cost not known"}`;
  };
  const priced = rows.filter(({ usd }) => usd !== undefined).sort((a, b) => b.usd! - a.usd!);
  const [most, least] = [priced[0], priced.at(-1)];
  const runs = `${groups.length === 1 ? "run" : `${groups.length} newest runs`}`;
  return [
    most === undefined || least === undefined
      ? `What the ${runs} cost in dollars is not known: the agents told no cost.`
      : `Of the ${runs}, that of ${most.who} cost most, ${most.usd!.toFixed(2)} USD${most === least ? "" : `, and that of ${least.who} least, ${least.usd!.toFixed(2)} USD`}.`,
    ...rows.map(told),
  ];
}
