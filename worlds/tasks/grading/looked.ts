import { isObject, type Json } from "../../json.ts";
import type { FinishedTrial, Task } from "../schema.ts";
import { refOf } from "../script.ts";

type Call = FinishedTrial["calls"][number];
/** What of a task tells what it is about. */
type About = Pick<Task, "script"> & Partial<Pick<Task, "alternatives">>;

const NO_LOOK = new Set(["error:unknown_tool", "error:not_served"]);

/** The classes that an agent can say of anything without having looked. */
export function declines(cls: string | undefined): boolean {
  return cls === "refused" || cls === "said_no_data";
}

/**
 * Whether a trial looked at what its task is about: a call of it asks for, or is answered with, a value that the script
 * names. Where the script names none, a call of one of its tools. A call that met a gap has shown nothing. Pure.
 */
export function looked({ script, alternatives = [] }: About, { calls }: Pick<FinishedTrial, "calls">): boolean {
  const steps = [script, ...alternatives].flatMap((one) => one.calls);
  const named = new Set(steps.flatMap(({ args }) => [...scalars(args as Json)].filter((text) => !refOf(text))));
  const tools = new Set(steps.map(({ tool }) => tool));
  return calls.some((call) => !NO_LOOK.has(call.answer_class) && concerns(call, named, tools));
}

function concerns({ tool, args, answer }: Call, named: ReadonlySet<string>, tools: ReadonlySet<string>): boolean {
  if (named.size === 0) return tools.has(tool);
  const own = (value: Json) => [...scalars(value)].some((text) => named.has(text));
  return own(args as Json) || own((answer ?? null) as Json);
}

function* scalars(value: Json): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* scalars(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* scalars(item as Json);
  else if (typeof value === "string" ? value.length > 1 : typeof value === "number") yield String(value);
}
