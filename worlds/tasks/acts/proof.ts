import type { Json, JsonObject } from "../../json.ts";
import type { World } from "../../world-api.ts";
import { freed, isKnown, requiredOf } from "../changes.ts";
import { splitPath } from "../checks/data.ts";
import { stateWithin } from "../checks/state.ts";
import type { Kit } from "../kit.ts";
import type { AllowedChange, Script } from "../schema.ts";
import { refOf } from "../script.ts";
import { step, succeeded } from "./chain.ts";
import { type Recorded, scalarsOf } from "./recorded.ts";

type Calls = Script["calls"];

/** What a script leaves behind, with each call's own part in it. */
export interface Outcome {
  readonly changes: readonly AllowedChange[];
  readonly results: readonly Json[];
  /** Whether each call changed something. */
  readonly changed: readonly boolean[];
  readonly succeeded: readonly boolean[];
}

interface Played {
  readonly results: Json[];
  readonly changed: boolean[];
  readonly succeeded: boolean[];
  readonly diff: ReturnType<World["diff"]>;
}

function play(kit: Kit, world: World, calls: Calls): Played | undefined {
  const played: Played = { results: [], changed: [], succeeded: [], diff: [] };
  for (const call of calls) {
    const answer = step(kit, world, call, played.results);
    if (!answer) return undefined;
    played.results.push(answer.value);
    played.changed.push(answer.changes.length > 0);
    played.succeeded.push(succeeded(answer));
  }
  return { ...played, diff: world.diff() };
}

/** What calls leave behind under any seed and accepted order; undefined where a call is not certainly served. */
export function outcomeOf(kit: Kit, calls: Calls): Outcome | undefined {
  const one = play(kit, kit.fork(), calls);
  if (!one) return undefined;
  const two = play(kit, kit.otherwise(), calls);
  if (!two || one.diff.length !== two.diff.length) return undefined;
  const course = (played: Played): string =>
    JSON.stringify(played.changed.map((changed, i) => [changed, played.succeeded[i]]).sort());
  const required = (...others: Played["diff"][]) =>
    requiredOf(one.diff, two.diff, ...others).map((change) =>
      // Columns that no model of a table knows are the compiler's own: how they end is free.
      freed(change, (column) => !isKnown(kit.bundle, change, column)),
    );
  const strict = required();
  const orders = ordersOf(calls).flatMap((order) => {
    const other = play(kit, kit.fork(), order);
    if (!other || course(other) !== course(one) || other.diff.length !== one.diff.length) return [];
    return stateWithin(strict, other.diff).verdict === "met" ? [] : [other.diff];
  });
  const changes = orders.length === 0 ? strict : required(...orders);
  return { changes, results: one.results, changed: one.changed, succeeded: one.succeeded };
}

/** More calls than these have too many orders. */
const MOST_ORDERED = 4;

/** The same calls in every other order in which each comes after those that it refers to. */
function ordersOf(calls: Calls): Calls[] {
  if (calls.length < 2 || calls.length > MOST_ORDERED) return [];
  const found: number[][] = [];
  const grow = (order: readonly number[]): void => {
    if (order.length === calls.length) found.push([...order]);
    for (let i = 0; i < calls.length; i += 1) {
      const call = calls[i] as Calls[number];
      if (!order.includes(i) && calls.every((_, n) => order.includes(n) || !refersTo(call, n + 1))) grow([...order, i]);
    }
  };
  grow([]);
  return found
    .filter((order) => order.some((from, place) => from !== place))
    .map((order) => order.map((from) => moved(calls[from] as Calls[number], (n) => order.indexOf(n - 1) + 1)));
}

const refersTo = (call: Calls[number], n: number): boolean =>
  scalarsOf(call.args as JsonObject).some((place) => refOf(place.value)?.n === n);

/** Calls without one of them, references moved; undefined where a later call refers to it. */
export function without(calls: Calls, dropped: number): Calls | undefined {
  if (calls.slice(dropped + 1).some((call) => refersTo(call, dropped + 1))) return undefined;
  return calls.filter((_, i) => i !== dropped).map((call) => moved(call, (n) => (n > dropped + 1 ? n - 1 : n)));
}

/** A call with the calls that its references name renumbered. */
export function moved({ tool, args }: Calls[number], place: (n: number) => number): Calls[number] {
  const walk = (value: unknown): unknown => {
    const ref = refOf(value);
    if (ref) return String(value).replace(/^\$\d+/, `$${place(ref.n)}`);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item)]));
  };
  return { tool, args: walk(args) as JsonObject };
}

/** Whether a script ends as the required changes say, where a world plays it at all. */
export function endsAs(kit: Kit, calls: Calls, changes: readonly AllowedChange[]): boolean {
  const played = play(kit, kit.fork(), calls);
  return played !== undefined && stateWithin(changes, played.diff).verdict === "met";
}

/** Whether leaving out any call that changes something is seen in the end. */
export function eachNeeded(kit: Kit, calls: Calls, { changes, changed }: Outcome): boolean {
  return calls.every((_, i) => {
    if (!changed[i]) return true;
    const rest = without(calls, i);
    return rest === undefined || !endsAs(kit, rest, changes);
  });
}

/** Whether calls end alike in every order that the service takes them in. */
export function orderFree(kit: Kit, calls: Calls, { changes, succeeded: own, changed }: Outcome): boolean {
  return ordersOf(calls).every((order) => {
    const other = play(kit, kit.fork(), order);
    const same = (a: readonly boolean[], b: readonly boolean[]) =>
      a.filter(Boolean).length === b.filter(Boolean).length;
    if (!other || !same(other.succeeded, own) || !same(other.changed, changed)) return true;
    return stateWithin(changes, other.diff).verdict === "met";
  });
}

/** Whether a slip before them, refused as it should be, leaves the way open to the same end: not where nobody knows what it did. */
export function survivesSlip(kit: Kit, calls: Calls, { changes }: Outcome): boolean {
  const first = calls.find((call) => kit.tools.some(({ name, effect }) => name === call.tool && effect === "write"));
  const slip = Object.entries(first?.args ?? {}).find(([, value]) => typeof value === "string" && !refOf(value));
  if (!first || !slip) return true;
  const world = kit.fork();
  const wrong = world.call(first.tool, { ...(withoutRefs(first.args) as JsonObject), [slip[0]]: `${slip[1]}x` });
  if (wrong.changes.length > 0 || succeeded(wrong) || wrong.servedBy === "gap") return true;
  const played = play(kit, world, calls);
  return played !== undefined && stateWithin(changes, played.diff).verdict === "met";
}

const withoutRefs = (args: Calls[number]["args"]): Calls[number]["args"] =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => !refOf(value)));

/** An argument's value that the end does not depend on: its call, and the top-level argument that holds it. */
export interface Untold {
  readonly call: number;
  readonly name: string;
}

/** The first literal argument of a changing call that could have been another without the end being another; `known` are set aside. */
export function untold(
  kit: Kit,
  calls: Calls,
  { changes, changed }: Outcome,
  recorded: Recorded,
  known: readonly Untold[] = [],
): Untold | undefined {
  for (const [i, call] of calls.entries()) {
    if (!changed[i]) continue;
    const optional = new Set(
      kit.tools
        .find(({ name }) => name === call.tool)
        ?.params.flatMap(({ name, required }) => (required ? [] : [name])),
    );
    for (const place of scalarsOf(call.args as JsonObject)) {
      if (known.some((one) => one.call === i && one.name === splitPath(place.path)[0])) continue;
      if (refOf(place.value)) {
        if (!optional.has(place.path)) continue;
        const left = Object.fromEntries(Object.entries(call.args).filter(([name]) => name !== place.path));
        const mutant = calls.map((one, k) => (k === i ? { tool: one.tool, args: left } : one));
        if (endsAs(kit, mutant, changes)) return { call: i, name: place.path };
        continue;
      }
      for (const other of otherValues(place.value, recorded.values(call.tool, place.generic))) {
        const args = replaced(call.args as JsonObject, place.path, other);
        const mutant = calls.map((one, k) => (k === i ? { tool: one.tool, args } : one));
        if (endsAs(kit, mutant, changes)) return { call: i, name: splitPath(place.path)[0] ?? "" };
      }
    }
  }
  return undefined;
}

/** The most texts of several lines whose ends are tried apart from each other. */
const MOST_TEXTS = 2;

/**
 * The same calls with a line end after a text of several lines: whether one stands there is nobody's wish. Each with
 * what it leaves behind.
 */
export function lineEnds(
  kit: Kit,
  calls: Calls,
  { changed }: Outcome,
): { calls: Calls; changes: readonly AllowedChange[] }[] {
  const texts = calls.flatMap(({ args }, i) =>
    changed[i]
      ? scalarsOf(args as JsonObject).flatMap(({ value, path }) =>
          typeof value === "string" && /\n/.test(value) && !value.endsWith("\n") ? [{ i, path, value }] : [],
        )
      : [],
  );
  if (texts.length === 0) return [];
  const every = 2 ** texts.length - 1;
  const subsets = texts.length <= MOST_TEXTS ? Array.from({ length: every }, (_, n) => n + 1) : [every];
  return subsets.flatMap((subset) => {
    const other = calls.map((call, i) =>
      texts
        .filter((text, n) => text.i === i && (subset >> n) % 2 === 1)
        .reduce(
          (made, { path, value }) => ({ tool: made.tool, args: replaced(made.args as JsonObject, path, `${value}\n`) }),
          call,
        ),
    );
    const end = outcomeOf(kit, other);
    return end && !end.succeeded.includes(false) ? [{ calls: other, changes: end.changes }] : [];
  });
}

/** Other values for one: as sessions gave them in its place, else near it. */
function otherValues(value: Json, seen: readonly Json[]): Json[] {
  const others = seen.filter((other) => other !== value && typeof other === typeof value).slice(0, 3);
  if (others.length > 0) return others;
  if (typeof value === "number") return [value + 1];
  if (typeof value === "boolean") return [!value];
  return typeof value === "string" ? [`${value} too`] : [];
}

/** Arguments with another value at one path. */
export function replaced(args: JsonObject, path: string, value: Json): JsonObject {
  const parts = splitPath(path);
  const walk = (here: Json, at: number): Json => {
    if (at === parts.length) return value;
    const part = parts[at] as string;
    if (Array.isArray(here)) return here.map((item, i) => (String(i) === part ? walk(item, at + 1) : item));
    if (typeof here !== "object" || here === null) return here;
    return Object.fromEntries(
      Object.entries(here).map(([key, item]) => [key, key === part ? walk(item as Json, at + 1) : item]),
    );
  };
  return walk(args, 0) as JsonObject;
}
