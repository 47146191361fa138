import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "./random.ts";
import { type Call, type Data, type InventedService, Refusal, refused, type Started } from "./service.ts";

/** Tasks that training sessions do, and tasks that they do not. */
const TASKS = { trained: 40, kept: 12 };
/** Agents of each trained task in training; one more agent does half of these tasks in `same-tasks`. */
const AGENTS = 3;
/** Agents of each kept task. */
const KEPT_AGENTS = 2;
/** Sessions of the small training, as in the folders that the command measures. */
const SMALL = 20;

interface Turn extends Call {
  readonly content: string;
  readonly refused: boolean;
}

export interface Session {
  readonly id: string;
  readonly task: string;
  readonly request: string;
  readonly at?: string;
  readonly turns: readonly Turn[];
}

export type Splits = Readonly<
  Record<"train/sessions" | "train-small/sessions" | "test/same-tasks" | "test/new-tasks", Session[]>
>;

/** How an agent strays from the plan: shares of planned calls, drawn once for each session. */
function habits(random: Random) {
  return {
    curious: random.pick([0.1, 0.25, 0.5]),
    careless: random.pick([0.04, 0.1, 0.2]),
    forgetful: random.pick([0, 0.04, 0.1]),
    repeating: random.pick([0, 0.05, 0.1]),
    hasty: random.pick([0, 0.02, 0.08]),
  };
}

/** The call with one argument left out, misspelt or taken from a stray call. */
function mistaken(planned: Call, random: Random, started: Started): Call {
  const keys = Object.keys(planned.args);
  if (keys.length === 0) return started.stray(random);
  const key = random.pick(keys);
  const value = planned.args[key];
  const { [key]: _, ...rest } = planned.args;
  if (random.chance(0.15)) return { tool: planned.tool, args: rest };
  const other = Array.from({ length: 12 }, () => started.stray(random)).find(
    ({ args }) => args[key] !== undefined && args[key] !== value,
  );
  const wrong =
    other !== undefined && random.chance(0.7)
      ? other.args[key]
      : typeof value === "number"
        ? value + random.pick([-1, 1, 10, 100])
        : typeof value === "string"
          ? random.pick([`${value}s`, value.slice(0, -1), value.toUpperCase()])
          : undefined;
  return { tool: planned.tool, args: wrong === undefined ? rest : { ...rest, [key]: wrong } };
}

/** What the system answers, as the agent sees it. Throws what is not a refusal: a fault of the simulator. */
function answered(service: InventedService, started: Started, { tool, args }: Call): [unknown, string, boolean] {
  const listed = service.tools.find(({ name }) => name === tool);
  const handler = started.handlers[tool];
  if (!listed || !handler) throw new Error(`${service.name} has no tool ${tool}: name one of its listing.`);
  const shown = (value: unknown) =>
    typeof value === "string" ? value : JSON.stringify(value, undefined, service.indent);
  try {
    const missing = listed.schema.required.filter((key) => args[key] === undefined);
    if (missing.length > 0) throw new Refusal(`${tool}: missing required argument '${missing[0]}'`, 422);
    const value = handler(args);
    return [value, shown(value), false];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const value = refused(error, service.refusals);
    return [value, shown(value), true];
  }
}

/** One agent's session of one task. */
function sessionOf(service: InventedService, task: number, agent: number): Session {
  const seed = `${service.name} ${task}`;
  const random = new Random(`${seed} agent ${agent}`);
  const started = service.start(new Random(seed), new Random(`${seed} session ${agent}`));
  const habit = habits(random);
  const turns: Turn[] = [];
  const act = (made: Call): unknown => {
    const [value, content, refused] = answered(service, started, made);
    turns.push({ ...made, content, refused });
    return value;
  };
  let step = started.plan.next();
  while (!step.done && turns.length < 30) {
    while (random.chance(habit.curious)) act(started.stray(random));
    const planned = step.value;
    if (random.chance(habit.forgetful)) {
      step = started.plan.next(undefined);
      continue;
    }
    if (random.chance(habit.careless)) {
      const value = act(mistaken(planned, random, started));
      if (random.chance(0.25)) {
        step = started.plan.next(value);
        continue;
      }
    }
    const value = act(planned);
    if (random.chance(habit.repeating)) act(planned);
    if (turns.length > 2 && random.chance(habit.hasty)) break;
    step = started.plan.next(value);
  }
  while (turns.length === 0 || random.chance(habit.curious)) act(started.stray(random));
  const { request, at } = started;
  return {
    id: `${service.name}-${task}-${agent}`,
    task: `${service.name}-${task}`,
    request,
    ...(at === undefined ? {} : { at }),
    turns,
  };
}

/** All sessions of a service: a pure function of the service, in the splits that fidelity is measured by. */
export function sessionsOf(service: InventedService): Splits {
  const trained = Array.from({ length: TASKS.trained }, (_, task) => task);
  const kept = Array.from({ length: TASKS.kept }, (_, i) => TASKS.trained + i);
  const all = (tasks: readonly number[], agents: readonly number[]) =>
    tasks.flatMap((task) => agents.map((agent) => sessionOf(service, task, agent)));
  const order = new Random(`${service.name} order`);
  const train = order.some(all(trained, [...Array(AGENTS).keys()]), TASKS.trained * AGENTS);
  return {
    "train/sessions": train,
    "train-small/sessions": order.some(train, SMALL),
    "test/same-tasks": all(order.some(trained, TASKS.trained / 2), [AGENTS]),
    "test/new-tasks": all(kept, [...Array(KEPT_AGENTS).keys()]),
  };
}

const inOpenAi = ({ id, task, request, at, turns }: Session): Data => ({
  id,
  task_id: task,
  timestamp: at,
  messages: [
    { role: "user", content: request },
    ...turns.flatMap(({ tool, args, content }, i) => [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: `call_${i}`, type: "function", function: { name: tool, arguments: JSON.stringify(args) } }],
      },
      { role: "tool", tool_call_id: `call_${i}`, name: tool, content },
    ]),
  ],
});

const inAnthropic = ({ id, task, request, at, turns }: Session, { refusals }: InventedService): Data => ({
  id,
  task_id: task,
  timestamp: at,
  messages: [
    { role: "user", content: request },
    ...turns.flatMap(({ tool, args, content, refused }, i) => [
      { role: "assistant", content: [{ type: "tool_use", id: `toolu_${id}_${i}`, name: tool, input: args }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: `toolu_${id}_${i}`,
            content,
            ...(refused && refusals === "flag" ? { is_error: true } : {}),
          },
        ],
      },
    ]),
  ],
});

function listingOf({ form, tools }: InventedService): unknown {
  return form === "mcp"
    ? { tools: tools.map(({ name, description, schema }) => ({ name, description, inputSchema: schema })) }
    : tools.map(({ name, description, schema }) => ({
        type: "function",
        function: { name, description, parameters: schema },
      }));
}

/** Writes a service's listing and sessions below `folder`, in a folder of its name, laid out as `bench:fidelity` reads services. */
export function writeService(folder: string, service: InventedService): void {
  const own = join(folder, service.name);
  const written = service.form === "mcp" ? inAnthropic : inOpenAi;
  for (const [name, sessions] of Object.entries(sessionsOf(service))) {
    const file = join(own, `${name}.jsonl`);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, sessions.map((session) => `${JSON.stringify(written(session, service))}\n`).join(""));
  }
  writeFileSync(join(own, "tools.json"), `${JSON.stringify(listingOf(service), undefined, 1)}\n`);
}
