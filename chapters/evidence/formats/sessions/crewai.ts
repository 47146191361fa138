import type { JsonObject } from "../../../../worlds/json.ts";
import type { CanonicalTrace } from "../../../records/evidence/evidence.ts";
import { TraceBuilder } from "../builder.ts";
import type { Converted, Reading, TraceFormat } from "../format.ts";
import { inputTokensOf, labels, number, object, objects, seconds, text } from "../values.ts";

/** CrewAI: its task log (`output_log_file`), events of its bus and its traces; a run of a crew or an agent alone is a session. */
export const crewai: TraceFormat = {
  name: "crewai",
  kind: "traces",
  assembles: true,
  detect(sample) {
    const items = sample.items.flatMap(({ value }) => eventsIn(value));
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
    let before = "";
    function* read(given: JsonObject, place: number): Iterable<Converted> {
      // A trace's event has what its event of the bus holds in a member of its own.
      const item: JsonObject = { ...object(given.event_data), ...given };
      if (!isTask(item) && text(item.type) === undefined) {
        reading.refuse(place, "no task and no event of a crew");
        return;
      }
      // Where two listeners write one log, each event stands in it twice, to the microsecond.
      const whole = JSON.stringify(item);
      if (whole === before && !isTask(item)) {
        reading.lose("event_repeated");
        return;
      }
      before = whole;
      if (!run && !isTask(item) && !EVENT.test(String(item.type))) {
        reading.lose(`event_${String(item.type).slice(0, 40)}`);
        return;
      }
      const inCrew = run?.first.type === "crew_kickoff_started" && !run.end;
      const again =
        item.type === "crew_kickoff_started" ||
        (item.type === "lite_agent_execution_started" && !inCrew) ||
        (isTask(item) && isSameTask(run?.first, item));
      if (again && run) yield* told(run, reading);
      const here = again || !run ? begin(place, item) : run;
      here.agent ??= text(item.agent) ?? text(item.agent_role) ?? text(object(item.agent_info)?.role);
      if (item.type === "llm_call_completed") readUsage(here, item);
      if (item.type === "crew_kickoff_completed") here.end = endOf(item, here.used, reading);
      else if (isTask(item)) readTask(here.builder, item, reading);
      else readEvent(here.builder, item, reading);
    }
    return {
      *item({ value, place }) {
        const events = eventsIn(value);
        for (const event of events) yield* read(event, place);
        if (events.length === 0) reading.refuse(place, "no task and no event of a crew");
      },
      *end() {
        if (run) yield* told(run, reading);
      },
    };
  },
};

/** The events of an item: those of a batch that its tracing sends (`{events, batch_metadata}`), else the item itself. */
function eventsIn(value: unknown): JsonObject[] {
  const given = object(value);
  return given && text(given.type) === undefined && Array.isArray(given.events)
    ? objects(given.events)
    : objects([value]);
}

const EVENT =
  /^(?:crew_kickoff|task|(?:lite_)?agent_execution|tool_usage|llm_call)_(?:started|completed|finished|failed|error)$/;

interface Run {
  readonly place: number;
  readonly id: string;
  readonly builder: TraceBuilder;
  readonly first: JsonObject;
  agent: string | undefined;
  model?: string | undefined;
  /** The tokens of the calls of models that say them, for a run whose end does not. */
  used?: { readonly input_tokens: number; readonly output_tokens: number } | undefined;
  /** What the crew came to, in its own words, and the tokens of all its calls. */
  end: { readonly output: string | undefined; readonly usage: CanonicalTrace["usage"] } | undefined;
}

function* told({ place, id, builder, first, agent, model, used, end }: Run, reading: Reading): Iterable<Converted> {
  const session = text(first.event_id) ?? `${id} ${text(first.timestamp) ?? ""}`.trim();
  if (builder.size === 0) reading.refuse(place, "a run of a crew without a task");
  else
    yield {
      trace: builder.build({
        session,
        startedAt: seconds(first.timestamp),
        labels: labels({ agent, model }),
        finalAnswer: end?.output,
        usage: end?.usage ?? used,
      }),
      place,
    };
}

/** The end of a crew's run: what it answers for all of its agents. Of tokens that are one number it is not said which way they went. */
function endOf({ output, total_tokens }: JsonObject, used: Run["used"], reading: Reading): NonNullable<Run["end"]> {
  const told = object(output);
  const tokens = object(told?.token_usage);
  const [input, out] = [number(tokens?.prompt_tokens), number(tokens?.completion_tokens)];
  const counted = input !== undefined || out !== undefined;
  if (!counted && !used && number(total_tokens) !== undefined) reading.lose("tokens_in_one_number");
  return {
    output: text(output) ?? text(told?.raw),
    usage: counted ? { input_tokens: input ?? 0, output_tokens: out ?? 0 } : undefined,
  };
}

function readUsage(run: Run, { model, usage }: JsonObject): void {
  run.model ??= text(model);
  const given = object(usage);
  const [input, out] = [
    given && inputTokensOf(given),
    number(given?.completion_tokens) ?? number(given?.output_tokens),
  ];
  if (input === undefined && out === undefined) return;
  const { input_tokens = 0, output_tokens = 0 } = run.used ?? {};
  run.used = { input_tokens: input_tokens + (input ?? 0), output_tokens: output_tokens + (out ?? 0) };
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
    case "agent_execution_completed":
    case "lite_agent_execution_started":
    case "lite_agent_execution_completed":
    case "task_started":
    case "task_completed": {
      const started = event.type.endsWith("started");
      const words = started ? promptOf(event) : text(event.type === "task_completed" ? event.output_raw : event.output);
      if (words !== undefined) into.turn(started ? "user" : "assistant", words, at);
      return;
    }
    case "tool_usage_finished":
    case "tool_usage_error": {
      const [from, to] = [seconds(event.started_at), seconds(event.finished_at)];
      const failed = event.type === "tool_usage_error" || object(event.failure) !== undefined;
      into.turn("assistant", "", from ?? at);
      into.call({ tool, args: event.tool_args });
      if (event.error === undefined && !("output" in event) && !failed) {
        reading.lose("result_not_logged");
        return;
      }
      into.answer({
        tool,
        result: event.error ?? event.output ?? null,
        failed,
        ms: from !== undefined && to !== undefined ? Math.max(0, (to - from) * 1000) : undefined,
      });
      return;
    }
    // The end of a call tells what its start told.
    case "tool_usage_started":
    case "crew_kickoff_started":
      return;
    default:
      reading.lose(`event_${String(event.type).slice(0, 40)}`);
  }
}

/** What an agent was given: of a task the agent's own event says it, in a trace the task's. */
function promptOf({ task_prompt, task_description, messages }: JsonObject): string | undefined {
  const asked = objects(messages).findLast(({ role }) => role === "user");
  return text(task_prompt) ?? text(task_description) ?? text(messages) ?? text(asked?.content);
}
