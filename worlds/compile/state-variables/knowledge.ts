import type { JsonObject } from "../../json.ts";
import { byText } from "../values.ts";
import type { Tracked } from "./effects.ts";
import { commonest } from "./estimate-state.ts";
import type { Events } from "./events.ts";
import { type OwnRows, ownColumn } from "./own-rows.ts";
import type { Rule } from "./rules/rules.ts";
import type { ToolModel } from "./steps.ts";

/** Readings that (nearly) every session starts with. */
export function commonStates({ lasting, known }: Tracked): Map<string, string> {
  const starts = known.flatMap(([first]) => (first ? [first.before] : []));
  return new Map([...commonest(starts)].filter(([register]) => lasting.has(register)));
}

/** By group, the readings that its sessions agree to start with, where not every session does. */
export function startStates(
  names: readonly string[],
  { starts }: Tracked,
  common: ReadonlyMap<string, string>,
  rows?: OwnRows,
): Map<string, JsonObject> {
  const out = new Map<string, JsonObject>();
  for (const [group, readings] of starts) {
    const name = names[group] as string;
    const keys = [...(rows?.ids.get(name) ?? [])].map(([table, key]) => [ownColumn(table), key] as const);
    const own = [...readings]
      .filter(([register, value]) => common.get(register) !== value)
      .concat(keys as [string, string][]);
    if (own.length > 0) out.set(names[group] as string, Object.fromEntries(own.sort(([a], [b]) => byText(a, b))));
  }
  return out;
}

/** What sessions are followed with: events, what tools do, and what a world knows at the start. */
export interface Setting {
  readonly events: Events;
  readonly conducts: ReadonlyMap<string, ToolModel>;
  readonly changes: ReadonlyMap<string, ReadonlyMap<string, readonly Rule[]>>;
  readonly common: ReadonlyMap<string, string>;
  readonly groups: readonly number[];
  readonly tracked: Tracked;
}
