import type { Timeline } from "./touches.ts";

/** Share of neighbours that some list has to show beside each other before the order of all is known. */
const BESIDE = 0.9;

/** Initial row keys by table in list order; without tables whose order is contradictory or open. */
export function startOrder(
  timelines: readonly Timeline[],
  native: ReadonlyMap<string, ReadonlyMap<string, unknown>>,
): Map<string, readonly string[]> {
  const after = new Map<string, Map<string, Set<string>>>();
  for (const { observations } of timelines)
    for (const { rows } of observations) {
      let last: { path: string; table: string; key: string } | undefined;
      for (const { place, key, within } of rows) {
        if (!place.path.endsWith("[]") || within || !native.get(place.table)?.has(key)) continue;
        const { table, path } = place;
        if (last?.path === path && last.key !== key) {
          const of = after.get(table) ?? new Map<string, Set<string>>();
          after.set(table, of.set(last.key, (of.get(last.key) ?? new Set()).add(key)));
        }
        last = { path, table, key };
      }
    }
  const out = new Map<string, readonly string[]>();
  for (const [table, edges] of after) {
    const order = sorted([...(native.get(table)?.keys() ?? [])], edges);
    if (!order) continue;
    const beside = order.filter((key, i) => i > 0 && edges.get(order[i - 1] as string)?.has(key)).length;
    if (beside >= (order.length - 1) * BESIDE) out.set(table, order);
  }
  return out;
}

/** Keys in an order that keeps every edge; undefined where edges run in a circle. */
function sorted(keys: readonly string[], edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const waiting = new Map(keys.map((key) => [key, 0]));
  for (const to of edges.values()) for (const key of to) waiting.set(key, (waiting.get(key) ?? 0) + 1);
  const free = keys.filter((key) => waiting.get(key) === 0);
  const out: string[] = [];
  for (let key = free.shift(); key !== undefined; key = free.shift()) {
    out.push(key);
    for (const next of edges.get(key) ?? []) {
      const left = (waiting.get(next) as number) - 1;
      waiting.set(next, left);
      if (left === 0) free.push(next);
    }
  }
  return out.length === keys.length ? out : undefined;
}
