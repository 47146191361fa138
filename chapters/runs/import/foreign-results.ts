import { digestOf } from "../../../worlds/digest.ts";
import { badField, unprocessable } from "../../errors.ts";
import { openEvidence } from "../../evidence/reading/evidence.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import { diagnosisOf, type RunBundle, usageOf } from "../../records/runs/run-bundle.ts";
import type { ImportFormat, RunTask, TrialRow } from "../../records/runs/runs.ts";
import { inspectResults } from "./inspect-results.ts";
import type { ForeignTrial, Raw } from "./raw-results.ts";
import { tau2Results } from "./tau2-results.ts";

const READERS = { tau2: tau2Results, inspect: inspectResults };

/** Which of the foreign formats a results file is in; 400 when it is in none. */
export function foreignFormat(results: Raw, named: Exclude<ImportFormat, "bundle"> | undefined) {
  const found = Array.isArray(results.simulations) ? "tau2" : Array.isArray(results.samples) ? "inspect" : undefined;
  if (found === undefined)
    throw badField("results", "holds neither tau2 simulations nor the samples of an Inspect log");
  if (named !== undefined && named !== found) throw badField("format", "is not the format of these results");
  return found;
}

/**
 * Another tool's results as a bundle: its verdicts are kept as they are, transcripts are read from its messages. A trial
 * is met at full reward only. Nothing is known of what its calls changed. Refused whole when a transcript cannot be read.
 */
export async function readForeign(
  results: Raw,
  format: Exclude<ImportFormat, "bundle">,
  runId: string | undefined,
): Promise<RunBundle> {
  const read = READERS[format](results);
  if (read.trials.length === 0) throw unprocessable("The results hold no trial.");
  const traces = await tracesByPosition(results, format, read.trials);
  const tasks = new Map<string, RunTask>();
  const tried = new Map<string, number>();
  const trials = read.trials.map((one, i): Omit<TrialRow, "log"> => {
    const trace = traces.get(i + 1);
    const id = `${format}:${read.domain}:${one.task}`;
    if (!tasks.has(id)) tasks.set(id, taskOf(id, tasks.size, format, one, trace));
    const n = (tried.get(id) ?? 0) + 1;
    tried.set(id, n);
    return {
      run: "",
      task: id,
      n,
      attempt: 1,
      end: one.end,
      cause: one.cause,
      root_cause: null,
      answer_class: trace?.final_answer_class ?? "none",
      checks: one.checks,
      trial: transcriptOf(trace),
      started_at: trace?.started_at ?? read.created_at ?? 0,
      ms: one.ms,
      ...(one.usd === undefined ? {} : { usd: one.usd }),
      ...tokensOf(trace),
    };
  });
  const source = runId ?? `${format}-${digestOf(results).slice(0, 16)}`;
  const { model, agent, domain, tier, terms } = read;
  return {
    run_id: source,
    meta: {
      label: domain,
      environment: `${format}:${domain}`,
      player: { agent: null, name: agent, version: model, harness: null },
      timeout_seconds: 0,
      tier,
      terms,
      tasks: [...tasks.values()],
      group: source,
      tries: Math.max(...tried.values()),
      verdict_version: 0,
      created_at: read.created_at ?? 0,
    },
    summary: {},
    trials,
    findings: [],
    diagnosis: diagnosisOf(trials),
    observations: { attempts: trials.length },
    usage: usageOf(trials),
  };
}

function taskOf(id: string, index: number, family: string, one: ForeignTrial, trace: CanonicalTrace | undefined) {
  // What the simulated user said first differs from run to run: it is shown, and is no part of the task's digest.
  const request = trace?.request ?? "";
  return { id, index, family, request, digest: digestOf([id, one.asks]), checks: digestOf(one.checkedBy) };
}

function transcriptOf(trace: CanonicalTrace | undefined): TrialRow["trial"] {
  const own = (trace?.calls ?? []).filter(({ requestor }) => requestor !== "user");
  return {
    calls: own.map(({ tool, args, result, answer_class, is_error }) => {
      return { tool, args, answer: result ?? null, answer_class, is_error, changed: false };
    }),
    answers: trace?.final_answer == null ? [] : [{ text: trace.final_answer }],
    diff: [],
  };
}

/** Tokens of the agent's model calls, where the source counts what they read and what they wrote. */
function tokensOf(trace: CanonicalTrace | undefined): Pick<TrialRow, "tokens"> {
  const { input_tokens: input, output_tokens: output } = trace?.usage ?? {};
  return input === undefined || output === undefined ? {} : { tokens: { input, output } };
}

/** The traces by the place of their trial in the file, from 1. */
async function tracesByPosition(results: Raw, format: string, trials: readonly ForeignTrial[]) {
  const bytes = new TextEncoder().encode(JSON.stringify(results));
  const opened = await openEvidence(
    (async function* () {
      yield bytes;
    })(),
    { kind: "traces", format },
  );
  const found = new Map<number, CanonicalTrace>();
  for await (const { trace, place } of opened.traces()) found.set(place, trace);
  const unread = trials.findIndex(({ hasMessages }, i) => hasMessages && !found.has(i + 1));
  if (unread < 0) return found;
  const why = opened.tally.refused.find(({ line }) => line === unread + 1)?.reason ?? "it cannot be read";
  throw unprocessable(`Trial ${unread + 1} of the results was refused, so nothing was stored: ${why}.`);
}
