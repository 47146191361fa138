import type { SessionCalls } from "../../compile/observations.ts";
import type { Json } from "../../json.ts";
import type { Kit } from "../kit.ts";
import type { Script } from "../schema.ts";
import { refOf, resolveArgs, ScriptError } from "../script.ts";
import { scalarsOf } from "./recorded.ts";
import { isDone } from "./unfollowed.ts";

/** Whether sessions show that calls of a tool are refused until one of an earlier tool was carried out, as before a sign-in. */
export type ShownOrder = (later: string, earlier: string) => boolean;

/** So many calls on each side show an order. */
const LEAST = 2;
/** More changes than these are tried in their recorded order alone. */
const MOST_CHANGES = 4;

const known = new WeakMap<readonly SessionCalls[], ShownOrder>();

/** The orders of tools that sessions show: refused without the earlier one, and done only after it. */
export function shownOrders(sessions: readonly SessionCalls[]): ShownOrder {
  const found = known.get(sessions) ?? ordersIn(sessions);
  known.set(sessions, found);
  return found;
}

function ordersIn(sessions: readonly SessionCalls[]): ShownOrder {
  const calls = new Map<string, { readonly done: boolean; readonly after: ReadonlySet<string> }[]>();
  for (const session of sessions) {
    const before = new Set<string>();
    for (const call of session) {
      const done = isDone(call);
      calls.set(call.tool, [...(calls.get(call.tool) ?? []), { done, after: new Set(before) }]);
      if (done) before.add(call.tool);
    }
  }
  return (later, earlier) => {
    const own = calls.get(later) ?? [];
    const without = own.filter(({ after }) => !after.has(earlier));
    return (
      without.length >= LEAST && without.every(({ done }) => !done) && own.filter(({ done }) => done).length >= LEAST
    );
  };
}

/** All orders of some things. */
function* ordersOf(things: readonly number[]): Generator<readonly number[]> {
  if (things.length < 2) yield things;
  else
    for (const first of things)
      for (const rest of ordersOf(things.filter((one) => one !== first))) yield [first, ...rest];
}

/** The calls of a script whose answers a call is given, in any depth, and the call itself, in order. */
function withNeeded(calls: Script["calls"], at: number): number[] {
  const needed = scalarsOf((calls[at]?.args ?? {}) as Json).flatMap(({ value }) => refOf(value)?.n ?? []);
  return [...new Set([...needed.flatMap((n) => withNeeded(calls, n - 1)), at])];
}

/** Whether the world answers calls made in an order; what they are given that is not known in it ends it. */
function isServed(kit: Kit, calls: Script["calls"], order: readonly number[]): boolean {
  const world = kit.fork();
  const results: Json[] = [];
  for (const at of order) {
    const { tool, args } = calls[at] as Script["calls"][number];
    try {
      const answer = world.call(tool, resolveArgs(args, results));
      if (answer.servedBy === "gap") return false;
      results[at] = answer.value;
    } catch (error) {
      // What an earlier call was refused is nothing to go on with: an agent sees that.
      if (error instanceof ScriptError) return true;
      throw error;
    }
  }
  return true;
}

/**
 * Whether who is asked at once for the last changes of a script may make them as they come: the world serves every order
 * but those that a reference or the sessions show to be wrong. `before` are the changes that were asked for earlier.
 */
export function isAnyOrderServed(
  kit: Kit,
  calls: Script["calls"],
  before: readonly number[],
  changes: readonly number[],
  isShown: ShownOrder,
): boolean {
  if (changes.length > MOST_CHANGES) return false;
  const toolOf = (at: number) => calls[at]?.tool ?? "";
  return [...ordersOf(changes)].every((order) => {
    const isWrong = order.some((at, i) =>
      order.slice(i + 1).some((next) => withNeeded(calls, at).includes(next) || isShown(toolOf(at), toolOf(next))),
    );
    return isWrong || isServed(kit, calls, [...new Set([...before, ...order].flatMap((at) => withNeeded(calls, at)))]);
  });
}
