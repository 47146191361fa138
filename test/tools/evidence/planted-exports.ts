import type { PlantedSession } from "./planted-values.ts";

const text = (value: unknown) => JSON.stringify(value);
const at = (n: number) => `2026-01-02T03:04:${String(n).padStart(2, "0")}Z`;
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

/** A session as steps: the agent, its model's last request, its calls. `kind` is `agent`, `llm` or `tool`. */
function steps({ request, calls, answer }: PlantedSession) {
  return [
    { kind: "agent", name: `run ${request}`, input: { question: request } as unknown, output: answer as unknown },
    ...calls.map(({ tool, args, result }) => ({ kind: "tool", name: tool, input: args, output: result })),
    {
      kind: "llm",
      name: "chat",
      input: { messages: [user(request)] },
      output: { choices: [{ message: assistant(answer) }] },
    },
  ].map((step, n) => ({ ...step, n, id: `step-${n}`, parent: n === 0 ? null : "step-0" }));
}

const langsmith = (session: PlantedSession, n: number) =>
  steps(session).map(({ kind, name, input, output, id, parent, n: step }) => ({
    id: `${n}-${id}`,
    trace_id: `${n}-step-0`,
    parent_run_id: parent === null ? null : `${n}-${parent}`,
    run_type: kind === "agent" ? "chain" : kind,
    name,
    inputs: input,
    outputs: kind === "tool" ? { output: text(output) } : kind === "agent" ? { output } : output,
    start_time: at(step),
    end_time: at(step + 1),
    extra: { metadata: { session_id: session.id, user: session.request.split(",")[1] } },
  }));

const braintrust = (session: PlantedSession, n: number) =>
  steps(session).map(({ kind, name, input, output, id, parent, n: step }) => ({
    id: `${n}-${id}`,
    span_id: `${n}-${id}`,
    root_span_id: `${n}-step-0`,
    span_parents: parent === null ? null : [`${n}-${parent}`],
    span_attributes: { name, type: kind === "agent" ? "task" : kind },
    input: kind === "llm" ? [user(session.request)] : input,
    output: kind === "llm" ? [{ message: assistant(session.answer) }] : output,
    expected: parent === null ? session.answer : null,
    metrics: { start: 1_767_000_000 + step, end: 1_767_000_001 + step },
    metadata: { session_id: session.id },
  }));

const weave = (session: PlantedSession, n: number) =>
  steps(session).map(({ kind, name, input, output, id, parent, n: step }) => ({
    id: `${n}-${id}`,
    trace_id: `${n}`,
    parent_id: parent === null ? null : `${n}-${parent}`,
    op_name: `weave:///t/p/op/${kind === "llm" ? "openai.chat.completions.create" : kind === "tool" ? name : "run"}:abc`,
    attributes: kind === "tool" ? { kind: "tool" } : {},
    started_at: at(step),
    ended_at: at(step + 1),
    inputs: input,
    output,
    thread_id: session.id,
  }));

const mlflow = (session: PlantedSession, n: number) => ({
  info: { trace_id: `tr-${n}`, request_preview: session.request },
  data: {
    spans: steps(session).map(({ kind, name, input, output, id, parent, n: step }) => ({
      trace_id: `t${n}`,
      span_id: id,
      parent_span_id: parent,
      name,
      start_time_unix_nano: (1_767_000_000 + n * 100 + step) * 1e9,
      end_time_unix_nano: (1_767_000_001 + n * 100 + step) * 1e9,
      attributes: {
        "mlflow.traceRequestId": text(`tr-${n}`),
        "mlflow.spanType": text(kind === "llm" ? "CHAT_MODEL" : kind.toUpperCase()),
        "mlflow.spanInputs": text(input),
        "mlflow.spanOutputs": text(output),
      },
    })),
  },
});

const phoenix = (session: PlantedSession, n: number) =>
  steps(session).map(({ kind, name, input, output, id, parent, n: step }) => ({
    name,
    context: { trace_id: `t${n}`, span_id: `${n}-${id}` },
    span_kind: kind.toUpperCase(),
    parent_id: parent === null ? null : `${n}-${parent}`,
    start_time: at(step),
    end_time: at(step + 1),
    status_code: "OK",
    status_message: "",
    attributes: {
      "session.id": session.id,
      "user.id": session.request.split(",")[1],
      "input.value": text(input),
      "output.value": text(output),
    },
    annotations: [{ name: "helpful", result: { score: 1, explanation: session.request } }],
    events: [],
  }));

function codex({ id, request, calls, answer }: PlantedSession) {
  const item = (payload: object) => ({ timestamp: at(1), type: "response_item", payload });
  const said = (role: string, type: string, words: string) =>
    item({ type: "message", role, content: [{ type, text: words }] });
  return [
    { timestamp: at(0), type: "session_meta", payload: { id, cwd: `/home/${request.split("@")[0]}` } },
    said("user", "input_text", request),
    ...calls.flatMap(({ tool, args, result }, i) => [
      item({ type: "function_call", name: tool, arguments: text(args), call_id: `c${i}` }),
      item({ type: "function_call_output", call_id: `c${i}`, output: text(result) }),
    ]),
    said("assistant", "output_text", answer),
  ];
}

const geminiChat = ({ id, request, calls, answer }: PlantedSession) => ({
  sessionId: id,
  messages: [
    { type: "user", content: request },
    {
      type: "gemini",
      content: "",
      toolCalls: calls.map(({ tool, args, result }, i) => ({
        id: `c${i}`,
        name: tool,
        args,
        status: "success",
        resultDisplay: request,
        result: [{ functionResponse: { name: tool, response: { output: text(result) } } }],
      })),
    },
    { type: "gemini", content: answer },
  ],
});

const deepeval = (sessions: readonly PlantedSession[]) => ({
  testCases: sessions.map(({ id, request, calls, answer }) => ({
    name: id,
    input: request,
    actualOutput: answer,
    expectedOutput: answer,
    toolsCalled: calls.map(({ tool, args, result }) => ({ name: tool, inputParameters: args, output: result })),
    metricsData: [{ name: "Right", score: 1, reason: request }],
    success: true,
  })),
});

function loglines({ id, request, calls, answer }: PlantedSession) {
  const line = (role: string, content: unknown) => ({ type: role, timestamp: at(1), message: { role, content } });
  return {
    id,
    title: request,
    loglines: [
      line("user", request),
      ...calls.flatMap(({ tool, args, result }, i) => [
        line("assistant", [{ type: "tool_use", id: `${id}-${i}`, name: tool, input: args }]),
        line("user", [{ type: "tool_result", tool_use_id: `${id}-${i}`, content: text(result) }]),
      ]),
      line("assistant", [{ type: "text", text: answer }]),
    ],
  };
}

type Encode = (sessions: readonly PlantedSession[]) => unknown;
const lines = (values: readonly unknown[]) => values.map(text).join("\n");

/**
 * Exports of tracing tools, test runners and coding agents: what their sessions are sent as. Formats that hold no results
 * are not among them: a town that no field names is a word.
 */
export const EXPORT_FORMATS: Readonly<Record<string, Encode>> = {
  langsmith: (sessions) => lines(sessions.flatMap(langsmith)),
  braintrust: (sessions) => sessions.flatMap(braintrust),
  weave: (sessions) => lines(sessions.flatMap(weave)),
  mlflow: (sessions) => lines(sessions.map(mlflow)),
  "otlp (Phoenix)": (sessions) => ({ data: sessions.flatMap(phoenix), next_cursor: null }),
  codex: ([session]) => lines(codex(session as PlantedSession)),
  "gemini-cli": (sessions) => lines(sessions.map(geminiChat)),
  deepeval,
  "claude-code (export)": (sessions) => lines(sessions.map(loglines)),
};
