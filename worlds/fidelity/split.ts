import { sha256 } from "../digest.ts";
import type { ObservedTrace } from "../observation.ts";

/** How traces are cut: `share` of them held out; between groups (tasks the training traces never show) unless `within`. */
export interface SplitOptions {
  readonly share: number;
  readonly seed: string;
  readonly within?: boolean;
}

function rank(seed: string, name: string): string {
  return sha256(`${seed}\u0000${name}`);
}

/** Splits traces by a seeded order: between groups, whole groups are held out; within, a share of each. Neither part is empty of two. */
export function split(
  traces: readonly ObservedTrace[],
  options: SplitOptions,
): { train: ObservedTrace[]; heldOut: ObservedTrace[] } {
  const groupOf = (trace: ObservedTrace) => (options.within ? trace.id : (trace.group ?? trace.id));
  const groups = new Map<string, ObservedTrace[]>();
  for (const trace of traces) {
    const list = groups.get(groupOf(trace));
    if (list) list.push(trace);
    else groups.set(groupOf(trace), [trace]);
  }
  const order = [...groups.keys()]
    .map((name) => [rank(options.seed, name), name] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const n = order.length < 2 ? 0 : Math.min(order.length - 1, Math.max(1, Math.round(order.length * options.share)));
  const out = new Set(order.slice(0, n).map(([, name]) => name));
  return {
    train: traces.filter((trace) => !out.has(groupOf(trace))),
    heldOut: traces.filter((trace) => out.has(groupOf(trace))),
  };
}
