import type { PlantedSession } from "./planted-values.ts";

const text = (value: unknown) => JSON.stringify(value);
const T = "2026-01-02T03:04:05Z";

function telemetry({ id, request, calls, answer }: PlantedSession) {
  const details = (input: object[], output: object[]) => ({
    attributes: {
      "session.id": id,
      "user.email": request.split(",")[1],
      "event.name": "gen_ai.client.inference.operation.details",
      "event.timestamp": T,
      "gen_ai.input.messages": text(input),
      "gen_ai.output.messages": text(output),
    },
  });
  const said = (role: string, content: string) => ({ role, parts: [{ type: "text", content }] });
  const history = [
    said("user", request),
    ...calls.flatMap(({ tool, args, result }) => [
      { role: "system", parts: [{ type: "tool_call", name: tool, arguments: text(args) }] },
      { role: "user", parts: [{ type: "tool_call_response", response: text({ output: result }) }] },
    ]),
  ];
  const prompt = { "session.id": id, "event.name": "gemini_cli.user_prompt", "event.timestamp": T, prompt: request };
  return [{ attributes: prompt }, details(history, [said("system", answer)])];
}

function openhands({ id, request, calls, answer }: PlantedSession) {
  return {
    conversation_id: id,
    instruction: request,
    history: [
      { id: 0, timestamp: T, source: "user", action: "message", args: { content: request } },
      ...calls.flatMap(({ tool, args, result }, i) => [
        {
          id: i * 2 + 1,
          source: "agent",
          action: "call_tool_mcp",
          args: { ...args, thought: "" },
          tool_call_metadata: { tool_call_id: `c${i}`, function_name: tool },
        },
        {
          id: i * 2 + 2,
          source: "environment",
          observation: "mcp",
          content: text(result),
          tool_call_metadata: { tool_call_id: `c${i}`, function_name: tool },
        },
      ]),
      { id: 99, source: "agent", action: "finish", args: { final_thought: answer }, message: request },
    ],
  };
}

function autogen({ id, request, calls, answer }: PlantedSession) {
  const message = (source: string, type: string, content: unknown) => ({ source, type, content, metadata: { id } });
  return {
    id,
    stop_reason: null,
    messages: [
      message("user", "TextMessage", request),
      ...calls.flatMap(({ tool, args, result }, i) => [
        message("desk", "ToolCallRequestEvent", [{ id: `c${i}`, name: tool, arguments: text(args) }]),
        message("desk", "ToolCallExecutionEvent", [{ call_id: `c${i}`, name: tool, content: text(result) }]),
      ]),
      message("desk", "TextMessage", answer),
    ],
  };
}

function crewai({ id, request, calls, answer }: PlantedSession) {
  const event = (type: string, more: object) => ({ type, timestamp: T, ...more });
  return [
    event("crew_kickoff_started", { event_id: id, inputs: { who: request } }),
    event("agent_execution_started", { agent_role: "Desk", task_prompt: request }),
    ...calls.map(({ tool, args, result }) =>
      event("tool_usage_finished", { tool_name: tool, tool_args: args, output: text(result) }),
    ),
    event("agent_execution_completed", { output: answer }),
  ];
}

function letta({ id, request, calls, answer }: PlantedSession) {
  const said = (role: string, words: string, more = {}) => ({
    role,
    content: words === "" ? [] : [{ type: "text", text: words }],
    created_at: T,
    ...more,
  });
  return {
    agents: [
      {
        id,
        name: "desk",
        agent_type: "letta_v1_agent",
        messages: [
          said("user", request),
          ...calls.flatMap(({ tool, args, result }, i) => [
            said("assistant", "", { tool_calls: [{ id: `c${i}`, function: { name: tool, arguments: text(args) } }] }),
            said("tool", "", {
              tool_call_id: `c${i}`,
              tool_returns: [
                {
                  tool_call_id: `c${i}`,
                  status: "success",
                  func_response: text({ status: "OK", message: text(result) }),
                },
              ],
            }),
          ]),
          said("assistant", answer),
        ],
      },
    ],
    blocks: [{ label: "human", value: request }],
    tools: [],
  };
}

/** Formats of agents' programs and frameworks: what their sessions are sent as. */
export const AGENT_FORMATS: Readonly<Record<string, (sessions: readonly PlantedSession[]) => unknown>> = {
  "gemini-telemetry": (sessions) => sessions.flatMap(telemetry).map(text).join("\n"),
  openhands: (sessions) => sessions.map(openhands).map(text).join("\n"),
  autogen: (sessions) => sessions.map(autogen),
  crewai: (sessions) => sessions.flatMap(crewai),
  letta: (sessions) => sessions.map(letta).map(text).join("\n"),
};
