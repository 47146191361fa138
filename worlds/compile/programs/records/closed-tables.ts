import { getOwn, isObject, type Json } from "../../../json.ts";
import type { Session } from "../../observations.ts";
import { otherFieldsIn } from "./other-fields.ts";
import { listIn } from "./tables.ts";

/** Tasks whose sessions have to list a row, so that it is no chance sight. */
const SHARED = 2;
/** The share of sights that may be chance ones, so that rows nobody saw are not to be expected (Good and Turing). */
const UNSEEN = 0.005;

interface Listed {
  readonly group: string;
  readonly keys: readonly string[];
  readonly otherFields: Readonly<Record<string, Json>>;
  /** Whether nothing was written before. */
  readonly early: boolean;
}

/**
 * Whether tasks listed every row, by the tools that show them, so often that others are not to be expected: sessions of
 * one task ask alike. What a list that may have been cut leaves out is no chance: it tells only where a number beside it
 * counts all rows that meet its question.
 */
export function isListedFully(
  key: string,
  rows: ReadonlyMap<string, unknown>,
  sessions: readonly Session[],
  readers: ReadonlySet<string>,
  tools: ReadonlySet<string>,
): boolean {
  const sights = new Map([...rows.keys()].map((row) => [row, new Set<string>()]));
  for (const [tool, lists] of listsByTool(key, sessions, readers)) {
    if (!tools.has(tool)) continue;
    const longest = Math.max(...lists.map(({ keys }) => keys.length));
    const total = totalOf(lists);
    if (
      total !== undefined &&
      lists.some(({ early, otherFields }) => early && (otherFields[total] as number) > rows.size)
    )
      return false;
    for (const { keys, group } of lists)
      if (total !== undefined || keys.length < longest || longest >= rows.size)
        for (const one of keys) sights.get(one)?.add(group);
  }
  const counts = [...sights.values()].map(({ size }) => size);
  const chance = counts.filter((n) => n < SHARED).length;
  return chance <= counts.reduce((sum, n) => sum + n, 0) * UNSEEN;
}

function listsByTool(key: string, sessions: readonly Session[], readers: ReadonlySet<string>): Map<string, Listed[]> {
  const out = new Map<string, Listed[]>();
  for (const { calls, group } of sessions) {
    let early = true;
    for (const { tool, ok, value } of calls) {
      if (!readers.has(tool)) early = false;
      const list = ok && readers.has(tool) ? listIn(value)?.list : undefined;
      if (!list?.every((item) => isObject(item) && Object.hasOwn(item, key))) continue;
      const keys = list.map((item) => String(isObject(item) ? getOwn(item, key) : ""));
      const of = out.get(tool) ?? [];
      out.set(tool, of);
      of.push({ group, keys, otherFields: otherFieldsIn(value), early });
    }
  }
  return out;
}

/** The field beside lists that counts all rows that meet the question, of which the list may be a part. */
function totalOf(lists: readonly Listed[]): string | undefined {
  const names = Object.keys(lists[0]?.otherFields ?? {});
  const count = ({ otherFields }: Listed, name: string): number | undefined => {
    const value = otherFields[name];
    return Number.isInteger(value) ? (value as number) : undefined;
  };
  return names.find(
    (name) =>
      lists.every((one) => (count(one, name) ?? -1) >= one.keys.length) &&
      lists.some((one) => (count(one, name) ?? 0) > one.keys.length),
  );
}
