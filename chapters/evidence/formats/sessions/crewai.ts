import type { JsonObject } from "../../../../worlds/json.ts";
import type { CanonicalTrace } from "../../../records/evidence/evidence.ts";
import { TraceBuilder } from "../builder.ts";
import type { Converted, Reading, TraceFormat } from "../format.ts";
import { labels, number, object, objects, seconds, text } from "../values.ts";

/** CrewAI: its task log (`output_log_file`), and events of its bus written line by line; a crew's run is a session. */
export const crewai: TraceFormat = {
  name: "crewai",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const items = objects(sample.items.map(({ value }) => value));
    const events = items.filter((item) => EVENT.test(String(item.type)) && item.timestamp !== undefined);
    if (events.length * 2 > items.length) return { score: 0.95, why: "events of a crew with timestamp and type" };
    const tasks = items.filter(isTask);
    return tasks.length > 0 && tasks.length === items.length
      ? { score: 0.95, why: "a log of tasks with agent, status and task" }
      : undefined;
  },
  open(reading) {
    let run: Run | undefined;
    let runs = 0;
    const begin = (place: number, item: JsonObject) => {
      runs++;
      const builder = new TraceBuilder(reading);
      run = { place, id: `run-${runs}`, builder, first: item, agent: undefined, end: undefined };
      return run;
    };
    return {
      *item({ value, place }) {
        const item = object(value);
        if (!item || !(isTask(item) || text(item.type) !== undefined)) {
          reading.refuse(place, "no task and no event of a crew");
          return;
        }
        const again = item.type === "crew_kickoff_started" || (isTask(item) && isSameTask(run?.first, item));
        if (again && run) yield* told(run, reading);
        const here = again || !run ? begin(place, item) : run;
        here.agent ??= text(item.agent) ?? text(item.agent_role);
        if (item.type === "crew_kickoff_completed") here.end = endOf(item, reading);
        else if (isTask(item)) readTask(here.builder, item, reading);
        else readEvent(here.builder, item, reading);
      },
      *end() {
        if (run) yield* told(run, reading);
      },
    };
  },
};

const EVENT = /^(?:crew_kickoff|task|agent_execution|tool_usage|llm_call)_(?:started|completed|finished|failed|error)$/;

interface Run {
  readonly place: number;
  readonly id: string;
  readonly builder: TraceBuilder;
  readonly first: JsonObject;
  agent: string | undefined;
  /** What the crew came to, in its own words, and the tokens of all its calls. */
  end: { readonly output: string | undefined; readonly usage: CanonicalTrace["usage"] } | undefined;
}

function* told({ place, id, builder, first, agent, end }: Run, reading: Reading): Iterable<Converted> {
  const session = text(first.event_id) ?? `${id} ${text(first.timestamp) ?? ""}`.trim();
  if (builder.size === 0) reading.refuse(place, "a run of a crew without a task");
  else
    yield {
      trace: builder.build({
        session,
        startedAt: seconds(first.timestamp),
        labels: labels({ agent }),
        finalAnswer: end?.output,
        usage: end?.usage,
      }),
      place,
    };
}

/** The end of a crew's run: what it answers for all of its agents. Of tokens that are one number it is not said which way they went. */
function endOf({ output, total_tokens }: JsonObject, reading: Reading): NonNullable<Run["end"]> {
  const told = object(output);
  const tokens = object(told?.token_usage);
  const [input, out] = [number(tokens?.prompt_tokens), number(tokens?.completion_tokens)];
  const counted = input !== undefined || out !== undefined;
  if (!counted && number(total_tokens) !== undefined) reading.lose("tokens_in_one_number");
  return {
    output: text(output) ?? text(told?.raw),
    usage: counted ? { input_tokens: input ?? 0, output_tokens: out ?? 0 } : undefined,
  };
}

function isTask(item: JsonObject): boolean {
  const logged = item.status === "started" || item.status === "completed";
  return logged && text(item.task) !== undefined && "task_name" in item && text(item.timestamp) !== undefined;
}

/** Whether a log that goes on begins anew: the task that its run began with is started once more. */
function isSameTask(first: JsonObject | undefined, item: JsonObject): boolean {
  return item.status === "started" && first?.task === item.task && first?.task_name === item.task_name;
}

/** A task that was given, or what came of it. Which tools were called for it, such a log does not say. */
function readTask(into: TraceBuilder, item: JsonObject, reading: Reading): void {
  const at = seconds(item.timestamp);
  if (item.status === "started") into.turn("user", String(item.task), at);
  else {
    reading.lose("calls_not_logged");
    into.turn("assistant", text(item.output) ?? "", at);
  }
}

function readEvent(into: TraceBuilder, event: JsonObject, reading: Reading): void {
  const at = seconds(event.timestamp);
  const tool = text(event.tool_name) ?? "unknown";
  switch (event.type) {
    case "agent_execution_started":
      into.turn("user", text(event.task_prompt) ?? "", at);
      return;
    case "agent_execution_completed":
      into.turn("assistant", text(event.output) ?? "", at);
      return;
    case "tool_usage_finished":
    case "tool_usage_error": {
      const [from, to] = [seconds(event.started_at), seconds(event.finished_at)];
      const failed = event.type === "tool_usage_error" || object(event.failure) !== undefined;
      into.turn("assistant", "", from ?? at);
      into.call({ tool, args: event.tool_args });
      into.answer({
        tool,
        result: event.error ?? event.output ?? null,
        failed,
        ms: from !== undefined && to !== undefined ? Math.max(0, (to - from) * 1000) : undefined,
      });
      return;
    }
    // The end of a call tells what its start told; a task's end repeats an agent's.
    case "tool_usage_started":
    case "task_started":
    case "task_completed":
    case "crew_kickoff_started":
      return;
    default:
      reading.lose(`event_${String(event.type).slice(0, 40)}`);
  }
}
