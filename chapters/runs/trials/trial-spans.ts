import { sha256 } from "../../../worlds/digest.ts";
import type { GroupDoc, RunDoc } from "../groups/group-data.ts";
import type { TrialTree } from "./trace-run.ts";

/** A span in OTLP form. */
type Span = ReturnType<typeof span>;

/** One trial as an OTLP trace, under ids that are the same whenever it is made. */
export interface TrialSpans {
  readonly traceId: string;
  readonly resourceSpans: readonly object[];
  readonly spans: number;
}

const OK = 1;
const ERROR = 2;

/**
 * A trial as spans of the tracing tool: the agent at the root, its exchanges with a model, its calls. When a call was
 * made within the trial was not measured: calls stand at the trial's start, a microsecond apart, in their order.
 */
export function trialSpans(run: RunDoc, group: GroupDoc, tree: TrialTree): TrialSpans {
  const key = `${run.id}.${tree.name}`;
  const traceId = idOf(key, 32);
  const root = idOf(`${key}.root`, 16);
  const at = (name: string, from: number, to: number) => ({ traceId, key: `${key}.${name}`, from, to });
  const { started_at: start } = tree;
  const metadata = {
    run: run.id,
    group: group.id,
    environment: run.environment,
    end: tree.end,
    cause: tree.cause,
    root_cause: tree.root_cause,
    checks: tree.checks.map(({ kind, verdict }) => ({ kind, verdict })),
    tier: run.tier,
  };
  const spans: Span[] = [
    span(at("root", start, start + tree.ms / 1000), undefined, `trial ${tree.name}`, tree.end === "failed", {
      "langfuse.observation.type": "agent",
      "langfuse.trace.name": `${run.label} ${tree.name}`,
      "langfuse.trace.metadata": JSON.stringify(metadata),
      "langfuse.trace.input": tree.request,
      "langfuse.trace.output": tree.answers.at(-1)?.text ?? "",
      "session.id": run.id,
      "langfuse.version": run.player.version ?? run.player.name,
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": run.player.name,
    }),
    ...tree.exchanges.map((one) =>
      span(at(`exchange.${one.n}`, one.ended_at, one.ended_at), root, one.name, one.outcome !== "answered", {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": one.model,
        "langfuse.observation.usage_details": JSON.stringify(one.tokens),
        "langfuse.observation.cost_details": JSON.stringify({ total: one.usd }),
        "gen_ai.operation.name": "chat",
      }),
    ),
    ...tree.calls.map((call) =>
      span(at(`call.${call.n}`, start + call.n / 1e6, start + call.n / 1e6), root, call.tool, call.is_error, {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": JSON.stringify(call.args),
        "langfuse.observation.output": JSON.stringify(call.answer ?? null),
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
      }),
    ),
  ];
  const resource = { attributes: attributes({ "service.name": "svc" }) };
  return {
    traceId,
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "svc.runs" }, spans }] }],
    spans: spans.length,
  };
}

/** The id of the score that says whether a trace's trial was met. */
export function scoreId(traceId: string): string {
  return idOf(`${traceId}.met`, 32);
}

function span(
  { traceId, key, from, to }: { traceId: string; key: string; from: number; to: number },
  parent: string | undefined,
  name: string,
  failed: boolean,
  fields: Readonly<Record<string, string>>,
) {
  return {
    traceId,
    spanId: idOf(key, 16),
    ...(parent === undefined ? {} : { parentSpanId: parent }),
    name,
    kind: 1,
    startTimeUnixNano: nano(from),
    endTimeUnixNano: nano(to),
    attributes: attributes(fields),
    status: { code: failed ? ERROR : OK },
  };
}

function attributes(fields: Readonly<Record<string, string>>) {
  return Object.entries(fields).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** Nanoseconds as text: they do not fit a double. */
function nano(seconds: number): string {
  return String(BigInt(Math.round(seconds * 1e6)) * 1000n);
}

function idOf(text: string, digits: number): string {
  return sha256(text).slice(0, digits);
}
