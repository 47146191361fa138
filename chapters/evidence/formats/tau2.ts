import type { JsonObject } from "../../../worlds/json.ts";
import { TraceBuilder } from "./builder.ts";
import type { Reading, TraceFormat } from "./format.ts";
import { isMessage, readMessage } from "./messages.ts";
import { label, labels, list, number, object, seconds, text } from "./values.ts";

/** tau2 result files: simulations with messages, reward and the ends' reasons; a bare list of simulations too. */
export const tau2: TraceFormat = {
  name: "tau2",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const first = sample.items[0];
    const simulation = object(first?.value);
    const member = first?.member === "simulations";
    if (Array.isArray(simulation?.simulations)) return { score: 0.9, why: "lines with simulations" };
    if (!simulation || !Array.isArray(simulation.messages)) return undefined;
    if (member) return { score: 0.95, why: "simulations with messages" };
    const known = "termination_reason" in simulation || ("reward_info" in simulation && "task_id" in simulation);
    return known ? { score: 0.9, why: "items with messages and termination_reason or reward_info" } : undefined;
  },
  open: (reading) => ({
    *item({ value, place }) {
      const given = object(value);
      // A whole result file may stand on one line.
      const header = Array.isArray(given?.simulations) ? given : reading.header;
      for (const each of list(given?.simulations ?? [given])) {
        const simulation = object(each);
        if (simulation && list(simulation.messages).some(isMessage)) {
          yield { trace: simulationTrace(simulation, header, place, reading), place };
        } else reading.refuse(place, "no messages");
      }
    },
    *end() {},
  }),
};

function simulationTrace(simulation: JsonObject, header: JsonObject, place: number, reading: Reading) {
  const builder = new TraceBuilder(reading);
  const tokens = { input_tokens: 0, output_tokens: 0 };
  for (const each of list(simulation.messages)) {
    const message = object(each);
    if (!message) {
      reading.lose("message_not_an_object");
      continue;
    }
    readMessage(builder, message, reading);
    const usage = message.role === "assistant" ? object(message.usage) : undefined;
    tokens.input_tokens += number(usage?.prompt_tokens) ?? 0;
    tokens.output_tokens += number(usage?.completion_tokens) ?? 0;
  }
  const info = object(header.info);
  const rewardInfo = object(simulation.reward_info);
  const reward = number(rewardInfo?.reward);
  if (rewardInfo && Object.keys(rewardInfo).length > 1) reading.lose("reward_details");
  return builder.build({
    session: text(simulation.id) ?? `task-${label(simulation.task_id) ?? place}-trial-${label(simulation.trial) ?? 0}`,
    startedAt: seconds(simulation.start_time) ?? seconds(simulation.timestamp),
    labels: labels({
      task_id: simulation.task_id,
      trial: simulation.trial,
      seed: simulation.seed,
      domain: object(info?.environment_info)?.domain_name ?? header.domain,
      model: object(info?.agent_info)?.llm ?? header.model,
      user_model: object(info?.user_info)?.llm,
      termination_reason: simulation.termination_reason,
    }),
    usage: tokens.input_tokens + tokens.output_tokens > 0 ? tokens : undefined,
    costUsd: number(simulation.agent_cost),
    outcome: reward === undefined ? undefined : { reward: Math.min(1, Math.max(0, reward)), tier: "deterministic" },
  });
}
