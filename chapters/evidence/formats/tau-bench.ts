import { TraceBuilder } from "./builder.ts";
import type { TraceFormat } from "./format.ts";
import { readMessage } from "./messages.ts";
import { label, labels, list, number, object } from "./values.ts";

/** tau-bench result files: a list of trials, each with its OpenAI messages in `traj` and its reward. */
export const tauBench: TraceFormat = {
  name: "tau-bench",
  kind: "traces",
  alone: () => true,
  detect(sample) {
    const first = object(sample.items[0]?.value);
    if (!Array.isArray(first?.traj)) return undefined;
    const graded = "reward" in first || "task_id" in first;
    return { score: graded ? 0.95 : 0.7, why: graded ? "trials with traj, task_id and reward" : "items with traj" };
  },
  open: (reading) => ({
    *item({ value, place }) {
      const trial = object(value);
      if (!trial || !Array.isArray(trial.traj)) {
        reading.refuse(place, "no traj list");
        return;
      }
      const builder = new TraceBuilder(reading);
      for (const message of trial.traj) {
        const read = object(message);
        if (read) readMessage(builder, read, reading);
        else reading.lose("message_not_an_object");
      }
      const info = object(trial.info);
      const reward = number(trial.reward);
      if (info?.task !== undefined) reading.lose("task_definition");
      if (info?.reward_info !== undefined) reading.lose("reward_details");
      const task = label(trial.task_id);
      const trace = builder.build({
        session: `task-${task ?? place}-trial-${label(trial.trial) ?? 0}`,
        labels: labels({ task_id: task, trial: trial.trial, user_source: info?.source }),
        outcome: reward === undefined ? undefined : { reward, tier: "deterministic" },
      });
      if (list(trial.traj).length === 0) reading.refuse(place, "an empty traj");
      else yield { trace, place };
    },
    *end() {},
  }),
};
