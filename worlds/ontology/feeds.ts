import type { Call, Session } from "../compile/observations.ts";
import { isScalar, scalarsOf } from "../compile/values.ts";
import type { Scalar } from "../json.ts";
import { ObservedCalls } from "./evidence.ts";
import { valuePathsOf } from "./leaves.ts";

/** A flow: values of a result's place that later calls had for an argument. */
export interface Feed {
  readonly from: string;
  readonly to: string;
  readonly observed: ObservedCalls;
}

/** Flows seen less often than this may be chance. */
const LEAST = 2;
/** Kept for one argument: the most frequent ones. */
const MOST = 3;
/** A flow this much rarer than the argument's most frequent one is left out. */
const SHARE = 0.2;

/** Finds result fields that become arguments of later calls; values that the caller knew before do not count. */
export function findFeeds(
  sessions: readonly Session[],
  fieldsOf: (call: Call) => readonly { readonly field: string; readonly value: Scalar }[],
  operationOf: (tool: string) => string,
): Feed[] {
  const found = new Map<string, Map<string, ObservedCalls>>();
  for (const session of sessions) {
    const origins = new Map<string, Set<string>>();
    const own = new Set<string>();
    for (const call of session.calls) {
      for (const { path, scalars } of valuePathsOf([{ value: call.args, from: call }]))
        for (const { value } of scalars) {
          if (!tellsOrigin(value)) continue;
          const text = String(value);
          const from = origins.get(text);
          if (!from) own.add(text);
          else for (const origin of from) note(found, `${operationOf(call.tool)}/args/${path}`, origin, sessions, call);
        }
      if (!call.ok) continue;
      const fields = fieldsOf(call);
      const shown =
        fields.length > 0
          ? fields
          : isScalar(call.value) || call.value !== null
            ? [...scalarsOf(call.value)].map((value) => ({ field: operationOf(call.tool), value }))
            : [];
      for (const { field, value } of shown) {
        const text = String(value);
        if (!tellsOrigin(value) || own.has(text)) continue;
        const held = origins.get(text);
        if (held) held.add(field);
        else origins.set(text, new Set([field]));
      }
    }
  }
  return [...found].flatMap(([to, from]) => {
    const sorted = [...from].sort((a, b) => b[1].calls - a[1].calls || (a[0] < b[0] ? -1 : 1));
    const top = sorted[0]?.[1].calls ?? 0;
    return sorted
      .filter(([, sights]) => sights.calls >= LEAST && sights.calls >= top * SHARE)
      .slice(0, MOST)
      .map(([origin, sights]) => ({ from: origin, to, observed: sights }));
  });
}

function note(
  found: Map<string, Map<string, ObservedCalls>>,
  to: string,
  from: string,
  sessions: readonly Session[],
  call: Call,
): void {
  const origins = found.get(to) ?? new Map<string, ObservedCalls>();
  found.set(to, origins);
  origins.set(from, (origins.get(from) ?? new ObservedCalls(sessions)).add(call));
}

/** Values so short that they agree by chance say nothing of where they came from. */
function tellsOrigin(value: Scalar): boolean {
  return typeof value === "string" ? value.length >= 3 : typeof value === "number" && Math.abs(value) >= 1000;
}
