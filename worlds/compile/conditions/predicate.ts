import type { Term } from "./term.ts";
import type { Env } from "./terms.ts";

/** A condition with its truth in every example, undefined where evidence does not tell. */
export interface Predicate {
  readonly cel: string;
  readonly cost: number;
  readonly truth: readonly (boolean | undefined)[];
  /** It names one of many values: an example rather than a rule. */
  readonly particular?: boolean;
  /** The two amounts that it puts in order, where it does. */
  readonly sides?: readonly [string, string];
  /** It says that an amount is there before comparing it: of use to refusals, where words name the amounts. */
  readonly guarded?: boolean;
  /** It says whether the call changes a column that an argument gives. */
  readonly changes?: boolean;
  /** The state of related rows that it looks for. */
  readonly state?: string;
}

/** How a condition is chosen. */
export interface PredicateHints {
  /** Words of the refusal that the condition explains: terms that they name come first. */
  readonly words?: readonly string[];
  /** Extra terms to compare, such as sums. */
  readonly terms?: readonly Term[];
  /** Terms that stand in the refusal's text: conditions over them come first. */
  readonly holes?: readonly string[];
  /** Numbers that the refusal says: limits to compare with. */
  readonly numbers?: readonly number[];
  /** Values that the refusal lists: those that it would take. */
  readonly listed?: readonly (readonly string[])[];
  /** Terms that the call takes one from the other: a condition over both comes first. */
  readonly pairs?: readonly (readonly [string, string])[];
  /** Leave out tests against ids, dates and other values with digits: they name examples, not rules. */
  readonly general?: boolean;
}

/** Makes a condition with its truth in every example. */
export type Make = (cel: string, cost: number, test: (i: number) => boolean | undefined) => Predicate;

/** Makes the conditions of an environment's examples. */
export function maker(env: Env): Make {
  return (cel, cost, test) => {
    const truth: (boolean | undefined)[] = [];
    for (let i = 0; i < env.n; i++) truth.push(test(i));
    return { cel, cost, truth };
  };
}
