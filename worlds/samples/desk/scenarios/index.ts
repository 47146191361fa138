import type { Random } from "../random.ts";
import * as reading from "./reading.ts";
import * as refusing from "./refusing.ts";
import type { Deck, Scenario } from "./scenario.ts";
import * as writing from "./writing.ts";

/** Every kind of session, with how often it comes: about what a desk sees, with each refusal often enough to be learnt. */
export const KINDS: readonly (readonly [weight: number, make: (deck: Deck) => Scenario])[] = [
  [40, reading.history],
  [14, reading.whereIs],
  [30, reading.parcels],
  [8, reading.orderDetails],
  [26, reading.browse],
  [6, reading.productFacts],
  [14, reading.refundFacts],
  [5, reading.creditBalance],
  [18, reading.nothingThere],
  [16, writing.cancel],
  [9, writing.move],
  [14, writing.swapItem],
  [12, writing.bringBack],
  [12, writing.useCredit],
  [14, writing.buy],
  [4, writing.cancelAndBuy],
  [8, refusing.lateCancel],
  [8, refusing.badMove],
  [30, refusing.badSwap],
  [16, refusing.badReturn],
  [15, refusing.badCredit],
  [16, refusing.badOrder],
  [6, refusing.strayAct],
];

/** Scenarios in a drawn order, each kind as often as its weight when `n` is the sum of weights, else by chance. */
export function drawScenarios(deck: Deck, random: Random, n: number): Scenario[] {
  const round = KINDS.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));
  const makers: ((deck: Deck) => Scenario)[] = [];
  while (makers.length < n) makers.push(...random.shuffle(round));
  return makers.slice(0, n).map((make) => make(deck));
}
