import { kv } from "../../helpers/otlp.ts";
import { AGENT_FORMATS } from "./planted-agents.ts";
import { EXPORT_FORMATS } from "./planted-exports.ts";
import type { PlantedSession } from "./planted-values.ts";

const text = (value: unknown) => JSON.stringify(value);
const SECOND = 1_700_000_000;

function openAi({ id, request, calls, answer }: PlantedSession) {
  return {
    id,
    metadata: { customer: request.split(",")[1] },
    messages: [
      { role: "system", content: "Help the customer." },
      { role: "user", content: request },
      ...calls.flatMap(({ tool, args, result }, i) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: text(args) } }],
        },
        { role: "tool", tool_call_id: `c${i}`, name: tool, content: text(result) },
      ]),
      { role: "assistant", content: answer },
    ],
  };
}

function anthropic({ id, request, calls, answer }: PlantedSession) {
  return {
    id,
    system: "Help the customer.",
    messages: [
      { role: "user", content: request },
      ...calls.flatMap(({ tool, args, result }, i) => [
        { role: "assistant", content: [{ type: "tool_use", id: `c${i}`, name: tool, input: args }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: `c${i}`, content: text(result) }] },
      ]),
      { role: "assistant", content: [{ type: "text", text: answer }] },
    ],
  };
}

function genAi(sessions: readonly PlantedSession[]) {
  const spans = sessions.flatMap(({ id, request, calls, answer }, n) => {
    const traceId = (n + 1).toString(16).padStart(32, "a");
    const span = (i: number, attributes: Record<string, string>) => ({
      traceId,
      spanId: (n * 100 + i + 1).toString(16).padStart(16, "b"),
      ...(i === 0 ? {} : { parentSpanId: (n * 100 + 1).toString(16).padStart(16, "b") }),
      name: `span ${request}`,
      startTimeUnixNano: `${SECOND + n * 100 + i}000000000`,
      endTimeUnixNano: `${SECOND + n * 100 + i}500000000`,
      attributes: kv(attributes),
    });
    const parts = (role: string, content: string) => text([{ role, parts: [{ type: "text", content }] }]);
    return [
      span(0, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.conversation.id": id,
        "enduser.id": request,
        "gen_ai.input.messages": parts("user", request),
        "gen_ai.output.messages": parts("assistant", answer),
      }),
      ...calls.map(({ tool, args, result }, i) =>
        span(i + 1, {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": tool,
          "gen_ai.tool.call.arguments": text(args),
          "gen_ai.tool.call.result": text(result),
        }),
      ),
    ];
  });
  return { resourceSpans: [{ resource: { attributes: kv({ "service.name": "shop" }) }, scopeSpans: [{ spans }] }] };
}

function openInference(sessions: readonly PlantedSession[]) {
  return sessions.flatMap(({ request, calls, answer }, n) => {
    const span = (i: number, name: string, attributes: Record<string, string>) => ({
      trace_id: `t${n}`,
      span_id: `${n}-${i}`,
      ...(i === 0 ? {} : { parent_span_id: `${n}-0` }),
      name,
      start_time: (SECOND + n * 100 + i) * 1e9,
      end_time: (SECOND + n * 100 + i + 1) * 1e9,
      attributes,
      status: { code: "OK" },
    });
    return [
      span(0, "llm", {
        "openinference.span.kind": "LLM",
        "user.id": request,
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": request,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": answer,
      }),
      ...calls.map(({ tool, args, result }, i) =>
        span(i + 1, tool, {
          "openinference.span.kind": "TOOL",
          "tool.name": tool,
          "input.value": text(args),
          "output.value": text(result),
        }),
      ),
    ];
  });
}

function obsSpans(sessions: readonly PlantedSession[]) {
  const data = sessions.flatMap(({ id, request, calls, answer }, n) => {
    const span = (i: number, name: string, kind: string, more: object) => ({
      id: `${n}-${i}`,
      type: "span",
      attributes: {
        trace_id: `9${n}`,
        span_id: `${n}-${i}`,
        parent_id: "undefined",
        name,
        span_kind: kind,
        ml_app: "shop",
        start_ns: (SECOND + n * 100 + i) * 1e9,
        duration: 5e6,
        status: "ok",
        tags: [`session_id:${id}`, `customer:${request.slice(0, 60)}`],
        ...more,
      },
    });
    return [
      span(0, "llm", "llm", {
        input: { messages: [{ role: "user", content: request }] },
        output: { messages: [{ role: "assistant", content: answer }] },
      }),
      ...calls.map(({ tool, args, result }, i) =>
        span(i + 1, tool, "tool", { input: { value: text(args) }, output: { value: text(result) } }),
      ),
    ];
  });
  return { data, meta: { page: {} } };
}

function traceStore({ id, request, calls, answer }: PlantedSession, n: number) {
  const observation = (i: number, type: string, more: object) => ({
    id: `${n}-${i}`,
    traceId: `t${n}`,
    type,
    startTime: `2025-01-0${1 + (n % 8)}T00:00:0${i}.000Z`,
    endTime: `2025-01-0${1 + (n % 8)}T00:00:0${i}.500Z`,
    level: "DEFAULT",
    ...more,
  });
  return {
    trace: { id: `t${n}`, sessionId: id, userId: request.split(",")[1], name: request, metadata: { who: request } },
    observations: [
      observation(0, "GENERATION", {
        model: "m",
        input: text([{ role: "user", content: request }]),
        output: { role: "assistant", content: answer },
      }),
      ...calls.map(({ tool, args, result }, i) =>
        observation(i + 1, "TOOL", { name: tool, input: text(args), output: text(result) }),
      ),
    ],
  };
}

function tauBench(session: PlantedSession, n: number) {
  return { task_id: n, trial: 0, reward: 1, info: { user: session.request }, traj: openAi(session).messages };
}

function tau2(sessions: readonly PlantedSession[]) {
  const simulations = sessions.map(({ id, request, calls, answer }, n) => ({
    id,
    task_id: String(n),
    trial: 0,
    start_time: "2025-08-01T16:20:44.5",
    termination_reason: "user_stop",
    reward_info: { reward: 1 },
    messages: [
      { role: "assistant", content: "Hi!", tool_calls: null },
      { role: "user", content: request, tool_calls: null },
      ...calls.flatMap(({ tool, args, result }, i) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `a${i}`, name: tool, arguments: args, requestor: "assistant" }],
        },
        { id: `a${i}`, role: "tool", content: text(result), requestor: "assistant", error: false },
      ]),
      { role: "assistant", content: answer, tool_calls: null },
    ],
  }));
  const info = { agent_info: { llm: "m" }, environment_info: { domain_name: "shop" } };
  return {
    timestamp: "t",
    info,
    tasks: sessions.map(({ request }, n) => ({ id: String(n), user: request })),
    simulations,
  };
}

function inspect(sessions: readonly PlantedSession[]) {
  const samples = sessions.map(({ request, calls, answer }, n) => ({
    id: n + 1,
    epoch: 1,
    target: answer,
    scores: { includes: { value: "C", explanation: request } },
    messages: [
      { role: "user", content: request },
      ...calls.flatMap(({ tool, args, result }, i) => [
        { role: "assistant", content: "", tool_calls: [{ id: `c${i}`, function: tool, arguments: args }] },
        { role: "tool", tool_call_id: `c${i}`, function: tool, content: text(result) },
      ]),
      { role: "assistant", content: answer },
    ],
  }));
  return { version: 2, status: "success", eval: { task: "desk", model: "m" }, plan: {}, samples };
}

function agentDojo({ request, calls, answer }: PlantedSession, n: number) {
  const said = (content: string) => [{ type: "text", content }];
  return {
    suite_name: "shop",
    pipeline_name: "m-1",
    user_task_id: `user_task_${n}`,
    injection_task_id: null,
    attack_type: null,
    injections: { slot: request },
    messages: [
      { role: "user", content: said(request) },
      ...calls.flatMap(({ tool, args, result }, i) => [
        { role: "assistant", content: null, tool_calls: [{ function: tool, args, id: `c${i}` }] },
        {
          role: "tool",
          content: said(text(result)),
          tool_call_id: `c${i}`,
          tool_call: { function: tool, args: {}, id: `c${i}` },
          error: null,
        },
      ]),
      { role: "assistant", content: said(answer) },
    ],
    error: null,
    utility: true,
    security: true,
    duration: 3.1,
  };
}

function atif({ id, request, calls, answer }: PlantedSession) {
  return {
    schema_version: "ATIF-v1.4",
    session_id: id,
    agent: { name: "helper", version: "2", model_name: "m-1" },
    notes: request,
    steps: [
      { step_id: 1, timestamp: "2026-01-02T03:04:05Z", source: "user", message: request },
      ...calls.map(({ tool, args, result }, i) => ({
        step_id: i + 2,
        source: "agent",
        message: "",
        tool_calls: [{ tool_call_id: `c${i}`, function_name: tool, arguments: args }],
        observation: { results: [{ source_call_id: `c${i}`, content: text(result) }] },
      })),
      { step_id: 9, source: "agent", message: answer },
    ],
  };
}

function sweAgent({ request, calls, answer }: PlantedSession) {
  const history = [
    { role: "user", content: request },
    ...calls.flatMap(({ tool, args, result }, i) => [
      {
        role: "assistant",
        content: "",
        agent: "main",
        tool_calls: [{ id: `c${i}`, type: "function", function: { name: tool, arguments: text(args) } }],
      },
      { role: "tool", content: text(result), tool_call_ids: [`c${i}`] },
    ]),
    { role: "assistant", content: answer, agent: "main" },
  ];
  const info = { exit_status: "submitted", submission: request };
  return { trajectory: [{ action: "", observation: request, thought: answer }], history, info };
}

function claudeCode({ id, request, calls, answer }: PlantedSession) {
  const message = (role: string, content: unknown) => ({ type: role, session_id: id, message: { role, content } });
  return [
    message("user", request),
    ...calls.flatMap(({ tool, args, result }, i) => [
      message("assistant", [{ type: "tool_use", id: `${id}-${i}`, name: tool, input: args }]),
      message("user", [{ type: "tool_result", tool_use_id: `${id}-${i}`, content: text(result) }]),
    ]),
    message("assistant", [{ type: "text", text: answer }]),
    { type: "result", subtype: "success", session_id: id, result: answer, cwd: `/home/${request.split("@")[0]}` },
  ];
}

function adk(sessions: readonly PlantedSession[]) {
  const part = (said: string) => ({ parts: [{ text: said }], role: "user" });
  return {
    eval_set_id: "set",
    eval_cases: sessions.map(({ id, request, calls, answer }) => ({
      eval_id: id,
      session_input: { app_name: "desk", user_id: request.split(",")[1], state: { who: request } },
      conversation: [
        {
          user_content: part(request),
          final_response: part(answer),
          intermediate_data: {
            tool_uses: calls.map(({ tool, args }, i) => ({ id: `u${i}`, name: tool, args })),
            tool_responses: calls.map(({ tool, result }, i) => ({ id: `u${i}`, name: tool, response: result })),
          },
        },
      ],
    })),
  };
}

/** Every format of traces: what its sessions are sent as. */
export const TRACE_FORMATS: Readonly<Record<string, (sessions: readonly PlantedSession[]) => unknown>> = {
  "openai-chat": (sessions) => sessions.map(openAi),
  "anthropic-messages": (sessions) => sessions.map(anthropic),
  otlp: genAi,
  "otlp (OpenInference)": openInference,
  "obs-spans": obsSpans,
  trace_store: (sessions) => sessions.map(traceStore).map(text).join("\n"),
  "tau-bench": (sessions) => sessions.map(tauBench),
  tau2,
  inspect,
  agentdojo: (sessions) => sessions.map(agentDojo),
  atif: (sessions) => sessions.map(atif).map(text).join("\n"),
  "swe-agent": (sessions) => sessions.map(sweAgent).map(text).join("\n"),
  "claude-code": (sessions) => sessions.flatMap(claudeCode).map(text).join("\n"),
  adk,
  ...AGENT_FORMATS,
  ...EXPORT_FORMATS,
};
