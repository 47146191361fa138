import type { Json, JsonObject } from "../../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../../worlds/observation.ts";
import { Random } from "../../../worlds/samples/desk/random.ts";

/** What a service of ours answers where it refuses: the words of an error. */
export class Refusal extends Error {}

type Planned = readonly [tool: string, args: JsonObject];

/** A service of our own making: what it is like at first, what its tools do, and what its users ask. */
export interface Service<State> {
  readonly name: string;
  /** As every fresh one stands. */
  usual(): State;
  /** As one task finds it. */
  found(random: Random): State;
  /** Throws Refusal where it refuses. */
  call(state: State, tool: string, args: JsonObject): Json;
  /** The calls of one session that meets `state` (which it does not change), with about `length` acts where that can be said. */
  plan(state: State, random: Random, length?: number): Iterable<Planned>;
}

/** One call of a service as a trace holds it. */
export function answered<State>(service: Service<State>, state: State, [tool, args]: Planned): ObservedCall {
  try {
    const value = service.call(state, tool, args);
    return { tool, args, result: typeof value === "string" ? value : JSON.stringify(value), isError: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { tool, args, result: `Error: ${error.message}`, isError: true };
  }
}

/** How sessions are made: `tasks` starts numbered from `starts`, or the usual start where there are none. */
export interface Recording {
  readonly seed: number;
  readonly n: number;
  readonly tasks: number;
  readonly starts: number;
  readonly length?: number;
}

/** Sessions of a service, each of a task with a start of its own; with no tasks each from the usual start. */
export function recorded<State>(service: Service<State>, of: Recording): ObservedTrace[] {
  const random = new Random(of.seed);
  return Array.from({ length: of.n }, (_, i) => {
    const task = of.tasks === 0 ? undefined : i % of.tasks;
    const start = () => (task === undefined ? service.usual() : service.found(new Random(of.starts + task)));
    const state = start();
    const calls = [...service.plan(start(), random, of.length)].map((call) => answered(service, state, call));
    const id = `${service.name}-${of.seed}-${String(i).padStart(4, "0")}`;
    return { id, ...(task === undefined ? {} : { group: `task ${task}` }), calls };
  });
}

/** Sessions from the usual start in two parts: calls whose answers are not told, then as many as are left, which are. */
export function twoParts<State>(
  service: Service<State>,
  seed: number,
  n: number,
  length?: number,
): { readonly traces: ObservedTrace[]; readonly setup: Map<string, { tool: string; args: JsonObject }[]> } {
  const random = new Random(seed);
  const setup = new Map<string, { tool: string; args: JsonObject }[]>();
  const traces = Array.from({ length: n }, (_, i): ObservedTrace => {
    const state = service.usual();
    const calls = [...service.plan(service.usual(), random, length)].map((call) => answered(service, state, call));
    const cut = random.int(0, calls.length - 1);
    const id = `${service.name}-parts-${seed}-${String(i).padStart(4, "0")}`;
    setup.set(
      id,
      calls.slice(0, cut).map(({ tool, args }) => ({ tool, args })),
    );
    return { id, calls: calls.slice(cut) };
  });
  return { traces, setup };
}
