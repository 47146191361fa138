import type { Kit } from "./kit.ts";

/** Where tasks were lost on the way, by stage and then by reason: how often. */
export type Losses = Map<string, Map<string, number>>;

const kept = new WeakMap<Kit, Losses>();

/** Counts what is lost on a kit from now on into the given losses. */
export function keepLosses(kit: Kit, losses: Losses): void {
  kept.set(kit, losses);
}

/** Counts one loss where somebody asked for them. Answers undefined, so that a search can end with it. */
export function lost(kit: Kit, stage: string, reason: string): undefined {
  const losses = kept.get(kit);
  if (!losses) return undefined;
  const reasons = losses.get(stage) ?? new Map<string, number>();
  losses.set(stage, reasons);
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return undefined;
}

/** The losses in words: each stage with its count and its most frequent reasons. */
export function tellLosses(losses: Losses, most = 4): string {
  const total = (reasons: ReadonlyMap<string, number>) => [...reasons.values()].reduce((sum, n) => sum + n, 0);
  return [...losses]
    .map(([stage, reasons]) => {
      const told = [...reasons].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, most);
      return `${stage} ${total(reasons)} (${told.map(([reason, n]) => `${n} ${reason}`).join(", ")})`;
    })
    .join("; ");
}
