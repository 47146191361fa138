import { readFileSync } from "node:fs";
import type { Json, JsonObject } from "../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../worlds/observation.ts";

interface Message {
  role: string;
  content?: string | null;
  id?: string;
  tool_call_id?: string;
  error?: boolean;
  tool_calls?:
    | { id: string; name?: string; arguments?: JsonObject; function?: { name: string; arguments: string } }[]
    | null;
}

function callsOf(messages: readonly Message[], firstOnly: boolean): ObservedCall[] {
  const results = new Map<string, Message>();
  const out: ObservedCall[] = [];
  const open: { id: string; tool: string; args: JsonObject }[] = [];
  for (const message of messages) {
    const calls = message.tool_calls ?? [];
    for (const call of firstOnly ? calls.slice(0, 1) : calls)
      open.push({
        id: call.id,
        tool: call.name ?? call.function?.name ?? "",
        args: call.arguments ?? (JSON.parse(call.function?.arguments ?? "{}") as JsonObject),
      });
    if (message.role !== "tool") continue;
    const id = message.id ?? message.tool_call_id ?? "";
    results.set(id, message);
    const found = open.findIndex((call) => call.id === id);
    const call = open.splice(found, found < 0 ? 0 : 1)[0];
    if (call)
      out.push({
        tool: call.tool,
        args: call.args,
        result: (message.content ?? null) as Json,
        isError: message.error === true,
      });
  }
  return out;
}

/** Trajectories of a tau-bench v1 or tau2 results file, for trials of the compiler on real data. */
export function loadTau(file: string): ObservedTrace[] {
  const data = JSON.parse(readFileSync(file, "utf8")) as
    | { task_id: number; trial?: number; reward: number; traj: Message[] }[]
    | { simulations: { id: string; task_id: string; reward_info?: { reward?: number } | null; messages: Message[] }[] };
  const name = file.split("/").at(-1) ?? file;
  if (Array.isArray(data))
    return data.map((row, i) => ({
      id: `${name}/${i}`,
      group: String(row.task_id),
      reward: row.reward,
      calls: callsOf(row.traj, true),
    }));
  return data.simulations.map((row, i) => ({
    id: `${name}/${i}`,
    group: String(row.task_id),
    ...(row.reward_info?.reward === undefined ? {} : { reward: row.reward_info.reward }),
    calls: callsOf(row.messages, false),
  }));
}

interface ListedTool {
  function: { name: string; description?: string; parameters: JsonObject };
}

/** Tool definitions of a listing in the chat-completions form. */
export function loadTools(file: string): { name: string; description: string; inputSchema: JsonObject }[] {
  return (JSON.parse(readFileSync(file, "utf8")) as ListedTool[]).map((tool) => ({
    name: tool.function.name,
    description: tool.function.description ?? "",
    inputSchema: tool.function.parameters,
  }));
}
