import { wilson } from "./wilson.ts";

/** Two judges' verdicts on the same trials, counted: `true_pass` both passed it, `false_pass` only the first did. */
export interface Confusion {
  readonly true_pass: number;
  readonly false_pass: number;
  readonly true_fail: number;
  readonly false_fail: number;
}

/** Agreement beyond chance, -1..1, with its 95 % interval. */
export interface Kappa {
  readonly kappa: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Cohen's kappa of a confusion table. Its interval is Wilson's of the share agreed on, carried over with the chance
 * agreement of the table (Cohen 1960 takes that as given too): it stays an interval where all agree. Undefined without
 * trials, and where both judges gave one and the same verdict throughout, so that chance alone agrees wholly.
 */
export function cohensKappa({ true_pass, false_pass, true_fail, false_fail }: Confusion): Kappa | undefined {
  const n = true_pass + false_pass + true_fail + false_fail;
  if (n === 0) return undefined;
  const agreed = true_pass + true_fail;
  const passed = (true_pass + false_pass) / n;
  const rewarded = (true_pass + false_fail) / n;
  const chance = passed * rewarded + (1 - passed) * (1 - rewarded);
  if (chance >= 1) return undefined;
  const beyond = (share: number) => (share - chance) / (1 - chance);
  const { low, high } = wilson(agreed, n);
  return { kappa: beyond(agreed / n), low: Math.max(-1, beyond(low)), high: Math.min(1, beyond(high)) };
}
