import type { Call, SessionCalls } from "../../compile/observations.ts";
import type { Json, JsonObject } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { type Recorded, recordedIn, scalarsOf } from "../acts/recorded.ts";
import { ofThing } from "../acts/settings.ts";
import type { Draft } from "../draft.ts";
import type { Kit } from "../kit.ts";
import { label, NAMING } from "../leaves.ts";
import type { Random } from "../random.ts";
import type { Anchor } from "../surface.ts";
import { describe } from "../words/named-rows.ts";
import { noun, type Voice } from "../words/phrases.ts";
import { isUserCode } from "../words/user-codes.ts";
import { recordedChanges } from "./recorded-changes.ts";

/** Rows that each recorded change is made of. */
const MOST_ROWS = 6;
/** Rows that are looked at for some that people can name. */
const MOST_TRIED = 40;
/** Recorded changes that are made of other rows. */
const MOST_CHANGES = 60;
/** Rows that one request is about. */
const MOST_TOGETHER = 4;

/** What a change is of. */
interface Changed {
  readonly param: string;
  /** The rows that it could be of. */
  readonly rows: readonly Anchor[];
  /** What a row is called: "task". */
  readonly thing: string;
}

/** The row that a change is of: the first argument that is a row's key, and the rows that could stand in its place. */
function rowOf(kit: Kit, args: JsonObject): Changed | undefined {
  for (const [param, value] of Object.entries(args)) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    for (const { name, internal } of kit.bundle.tables) {
      const rows = internal ? undefined : kit.anchors.get(name);
      if (rows && rows.length > 1 && Object.hasOwn(kit.base.tables[name] ?? {}, String(value)))
        return { param, rows, thing: noun(name) };
    }
  }
  return undefined;
}

/** Whether what a change takes besides could be given to any row: it names no thing of the state. */
function suitsAny(kit: Kit, args: JsonObject, param: string): boolean {
  const names = namesIn(kit);
  return scalarsOf(args).every(({ name, value }) => {
    if (name === param || typeof value !== "string") return true;
    const text = value.toLowerCase();
    return ![...names].some((held) => text.includes(held));
  });
}

const named = new WeakMap<Kit, ReadonlySet<string>>();

/** What one row alone is called, in small letters: what several are called is a state. */
function namesIn(kit: Kit): ReadonlySet<string> {
  let names = named.get(kit);
  if (names === undefined) {
    const counts = new Map<string, number>();
    for (const { name, internal } of kit.bundle.tables)
      for (const { key, leaves } of internal ? [] : (kit.anchors.get(name) ?? []))
        for (const leaf of leaves)
          if (typeof leaf.value === "string" && leaf.value.length > 3 && (NAMING.test(leaf.name) || leaf.value === key))
            counts.set(leaf.value.toLowerCase(), (counts.get(leaf.value.toLowerCase()) ?? 0) + 1);
    names = new Set([...counts].flatMap(([held, n]) => (n === 1 ? [held] : [])));
    named.set(kit, names);
  }
  return names;
}

/** Whether a field holds what a thing itself is called: the `title` or the `task_name` of a task, not its `list_name`. */
export const isName = (field: string, thing: string): boolean =>
  NAMING.test(field) && !/ /.test(ofThing(label(field), thing));

/** Whether a change gives its row a name: no two things are called alike on purpose. */
export const gives = (args: JsonObject, thing: string): boolean =>
  Object.entries(args)
    .flat()
    .some((field) => typeof field === "string" && isName(field, thing));

/** A change with another row in its place. */
export const ofRow = (call: Call, param: string, { key }: Anchor): Call => ({
  ...call,
  args: { ...call.args, [param]: (typeof call.args[param] === "number" ? Number(key) : key) as Json },
});

/** A recorded change that any row of a table could be given. */
export interface ChangeOfAny extends Changed {
  readonly call: Call;
}

/** Changes that sessions made of a row and that suit its table's others, each once whichever row it was of. */
export function changesOfAny(kit: Kit, recorded: Recorded): ChangeOfAny[] {
  const writes = new Set(kit.tools.flatMap(({ name, effect }) => (effect === "write" ? [name] : [])));
  const changes = new Map<string, ChangeOfAny>();
  for (const call of recorded.sessions.flat()) {
    if (!call.ok || !writes.has(call.tool)) continue;
    const of = rowOf(kit, call.args);
    if (of !== undefined && suitsAny(kit, call.args, of.param))
      changes.set(JSON.stringify([call.tool, { ...call.args, [of.param]: null }]), { call, ...of });
  }
  return [...changes.values()];
}

/** Sessions that make recorded changes of rows that they were not made of: of one, and of several after each other. */
function ofOtherRows(kit: Kit, recorded: Recorded, rng: Random): SessionCalls[] {
  return rng
    .shuffled(changesOfAny(kit, recorded))
    .slice(0, MOST_CHANGES)
    .flatMap(({ call, param, rows, thing }) => {
      const named = rng
        .shuffled(rows)
        .slice(0, MOST_TRIED)
        .filter(({ key }) => isUserCode(kit, param) || describe(kit, kit, key) !== undefined);
      const made = named.slice(0, MOST_ROWS).map((row) => ofRow(call, param, row));
      // Who has to describe each of several things asks for all that are alike instead.
      const together = gives(call.args, thing) || !isUserCode(kit, param) ? [] : [2, 3, MOST_TOGETHER];
      const several = together.filter((length) => length <= made.length);
      return [...made.map((one) => [one]), ...several.map((length) => made.slice(-length))];
    });
}

/** Changes that sessions made, made of other rows: what may be done to one thing may be done to another. */
export function* changesOfOtherRows(
  kit: Kit,
  traces: readonly ObservedTrace[],
  family: "write" | "multi_write",
  voices: () => Voice,
  rng: Random,
): Generator<Draft> {
  const all = recordedIn(traces);
  const sessions = ofOtherRows(kit, all, rng.fork("rows"));
  yield* recordedChanges(kit, traces, family, voices, rng, true, { ...all, sessions });
}
