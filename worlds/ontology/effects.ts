import type { ToolDefinition } from "../bundle.ts";
import { declaredEffect, effectByName } from "../compile/effects.ts";
import type { Call, Session } from "../compile/observations.ts";
import { same } from "../compile/values.ts";
import type { JsonObject } from "../json.ts";
import { ObservedCalls } from "./evidence.ts";
import type { Objects } from "./objects.ts";

/** What a tool's calls do, and what says so. */
export interface Effect {
  readonly effect: "read" | "write";
  readonly basis: "observed" | "annotation" | "verb";
}

/** Changes of rows between two sights, by the one tool that stands between them and the object. */
export interface Changes {
  readonly byTool: ReadonlyMap<string, ReadonlyMap<string, ObservedCalls>>;
  /** Tools called a read by their verb whose calls alone stand between sights of changed rows, more often than of equal ones. */
  readonly hidden: ReadonlySet<string>;
}

interface ShownRow {
  readonly object: string;
  readonly key: string;
  readonly row: JsonObject;
  readonly inside: boolean;
}

/** Rows as each call shows them. */
export function rowsByCall({ types }: Objects): Map<Call, ShownRow[]> {
  const out = new Map<Call, ShownRow[]>();
  for (const type of types.values())
    for (const { key, row, call, inside } of type.shown) {
      const held = out.get(call);
      const one = { object: type.name, key, row, inside: inside === true };
      if (held) held.push(one);
      else out.set(call, [one]);
    }
  return out;
}

/** Fewer changed sights than this do not outweigh a verb that reads. */
const HIDDEN = 2;

/** Finds which tools change rows: a row seen twice in a session, differently, with calls of one possible writer in between. */
export function findChanges(
  sessions: readonly Session[],
  shown: ReturnType<typeof rowsByCall>,
  listing: ReadonlyMap<string, ToolDefinition>,
): Changes {
  const byTool = new Map<string, Map<string, ObservedCalls>>();
  const quiet = new Map<string, { changed: number; equal: number }>();
  const mayWrite = (tool: string) => (declaredEffect(listing.get(tool)) ?? effectByName(tool)) === "write";
  for (const session of sessions) {
    const last = new Map<string, { row: JsonObject; at: number }>();
    session.calls.forEach((call, at) => {
      for (const { object, key, row } of shown.get(call) ?? []) {
        const id = `${object}\n${key}`;
        const before = last.get(id);
        last.set(id, { row: { ...before?.row, ...row }, at });
        if (!before || before.at === at) continue;
        const between = session.calls.slice(before.at + 1, at + 1).filter((other) => other.ok);
        const changed = Object.keys(row).some(
          (column) => Object.hasOwn(before.row, column) && !same(before.row[column], row[column]),
        );
        const writers = new Set(between.filter((other) => mayWrite(other.tool)).map((other) => other.tool));
        const [only, ...more] = writers.size > 0 ? writers : new Set(between.slice(0, -1).map((other) => other.tool));
        if (only === undefined || more.length > 0) continue;
        if (writers.size === 0) {
          const count = quiet.get(only) ?? { changed: 0, equal: 0 };
          if (changed) count.changed++;
          else count.equal++;
          quiet.set(only, count);
        }
        const by = between.find((other) => other.tool === only);
        if (!changed || !by) continue;
        const objects = byTool.get(only) ?? new Map<string, ObservedCalls>();
        objects.set(object, (objects.get(object) ?? new ObservedCalls(sessions)).add(by));
        byTool.set(only, objects);
      }
    });
  }
  const hidden = [...quiet].filter(([, { changed, equal }]) => changed >= HIDDEN && changed > equal);
  return { byTool, hidden: new Set(hidden.map(([tool]) => tool)) };
}

/** Read or write: by observed change first, then by what the listing declares, then by the verb. */
export function effectOf(tool: string, listed: ToolDefinition | undefined, changes: Changes, objects: Objects): Effect {
  const fitted = objects.fitted.get(tool);
  if (fitted) return { effect: fitted.effect, basis: "observed" };
  const declared = declaredEffect(listed);
  const changed = (changes.byTool.get(tool)?.size ?? 0) > 0;
  if (changed && (changes.hidden.has(tool) || (declared ?? effectByName(tool)) === "write"))
    return { effect: "write", basis: "observed" };
  if (declared) return { effect: declared, basis: "annotation" };
  return { effect: effectByName(tool), basis: "verb" };
}
