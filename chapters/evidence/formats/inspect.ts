import type { JsonObject } from "../../../worlds/json.ts";
import { TraceBuilder } from "./builder.ts";
import type { Item, Reading, TraceFormat } from "./format.ts";
import { readMessage } from "./messages.ts";
import { usageOf } from "./openai-chat.ts";
import { label, labels, list, number, object, seconds, text } from "./values.ts";

const ATTACHED = /^attachment:\/\/([0-9a-f]{16,64})$/;

/** Inspect evaluation logs (JSON): one trace a sample and epoch. */
export const inspect: TraceFormat = {
  name: "inspect",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const log = object(sample.header.eval);
    const samples = sample.items.some(({ member }) => member === "samples");
    if (log && (samples || sample.header.plan !== undefined))
      return { score: 0.95, why: "an evaluation log with eval and samples" };
    const first = object(sample.items[0]?.value);
    const alone = first && "epoch" in first && Array.isArray(first.messages) && "target" in first;
    return alone ? { score: 0.85, why: "samples with epoch, target and messages" } : undefined;
  },
  open: (reading) => ({
    *item(item: Item) {
      const sample = object(item.value);
      if (!sample || !Array.isArray(sample.messages)) {
        reading.refuse(item.place, "a sample without messages");
        return;
      }
      yield { trace: sampleTrace(sample, item.place, reading), place: item.place };
    },
    *end() {},
  }),
};

function sampleTrace(sample: JsonObject, place: number, reading: Reading) {
  const attachments = object(sample.attachments) ?? {};
  const builder = new TraceBuilder(reading);
  for (const each of list(sample.messages)) {
    const message = object(attached(each, attachments));
    if (message) readMessage(builder, message, reading);
    else reading.lose("message_not_an_object");
  }
  const log = object(reading.header.eval);
  const used = object(sample.model_usage) ?? {};
  // The evaluated model's own; those of other roles (a judge, a simulated user) are none of the agent's.
  const usage = object(used[String(log?.model)] ?? Object.values(used)[0]);
  reading.lose("usage_of_other_models", Math.max(0, Object.keys(used).length - 1));
  const started = list(sample.events)
    .map((event) => object(event)?.timestamp)
    .find((at) => at !== undefined);
  if (list(sample.events).length > 0) reading.lose("events");
  return builder.build({
    session: text(sample.uuid) ?? `sample-${label(sample.id) ?? place}-epoch-${label(sample.epoch) ?? 1}`,
    startedAt: seconds(started) ?? seconds(object(reading.header.stats)?.started_at) ?? seconds(log?.created),
    labels: labels({
      ...scoresOf(object(sample.scores), reading),
      task_id: sample.id,
      trial: sample.epoch,
      task: log?.task,
      model: log?.model,
    }),
    usage: usageOf(usage),
    costUsd: number(usage?.total_cost),
    outcome: outcomeOf(object(sample.scores)),
  });
}

const GRADES: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };

/** Every score by its scorer, with what the scorer said of it; a value of several parts is a score for each. */
function scoresOf(scores: JsonObject | undefined, reading: Reading): JsonObject {
  const told: JsonObject = {};
  for (const [scorer, each] of Object.entries(scores ?? {})) {
    const score = object(each);
    const parts = object(score?.value);
    for (const [part, value] of Object.entries(parts ?? { "": score?.value ?? null })) {
      const name = part === "" ? `score.${scorer}` : `score.${scorer}.${part}`;
      if (label(value) === undefined) reading.lose("score");
      else told[name] = value as string;
    }
    const said = text(score?.explanation);
    if (said !== undefined) told[`score.${scorer}.comment`] = said;
  }
  return told;
}

/** The first score as 0..1: letter grades, booleans, and numbers of that range. */
function outcomeOf(scores: JsonObject | undefined) {
  const [scorer = "", score] = Object.entries(scores ?? {})[0] ?? [];
  const value = object(score)?.value;
  // A scorer of this name asks a model.
  const tier = /model|llm|judge/i.test(scorer) ? "llm-derived" : "deterministic";
  const reward =
    typeof value === "boolean"
      ? Number(value)
      : typeof value === "string" && value in GRADES
        ? GRADES[value]
        : number(value);
  return reward === undefined || reward < 0 || reward > 1 ? undefined : ({ reward, tier } as const);
}

/** The value with long texts put back from where the log keeps them. */
function attached(value: unknown, attachments: JsonObject): unknown {
  if (typeof value === "string") {
    const id = ATTACHED.exec(value)?.[1];
    return id === undefined ? value : (attachments[id] ?? value);
  }
  if (Array.isArray(value)) return value.map((each) => attached(each, attachments));
  const fields = object(value);
  return fields
    ? Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, attached(each, attachments)]))
    : value;
}
