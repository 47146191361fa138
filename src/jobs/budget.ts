import { dayStart } from "../../chapters/organization/budget.ts";
import type { OrgStore } from "../../chapters/ports/store.ts";

const MICRO = 1_000_000;
const CENT = MICRO / 100;

/** Whether something fits into an org's day; the sentence says why not. */
export type Ruling = { readonly fits: true } | { readonly fits: false; readonly sentence: string };

/**
 * Whether `estimate` micro-dollars fit into what is left of the org's day: its budget, less what the ledger holds since
 * midnight UTC, less what running jobs have reserved. The sentence says why not.
 */
export async function ruleOnBudget(
  store: OrgStore,
  budget: number,
  reserved: number,
  estimate: number,
  now: number,
): Promise<Ruling> {
  if (estimate === 0) return { fits: true };
  const left = budget - (await store.ledger.since(dayStart(now))) - reserved;
  if (estimate <= left) return { fits: true };
  return {
    fits: false,
    sentence: `It may cost ${usd(estimate)} and ${usd(Math.max(0, left))} of today's ${usd(budget)} is left. It goes on when the budget is raised to ${usd(Math.ceil((budget - left + estimate) / CENT) * CENT)} or the next day (UTC) begins.`,
  };
}

function usd(micro: number): string {
  return `$${(micro / MICRO).toFixed(2)}`;
}
