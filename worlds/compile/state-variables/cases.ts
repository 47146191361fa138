/** One observed case: what the features were, where known, and what came of it. */
export interface Case {
  readonly features: ReadonlyMap<string, string>;
  readonly value: string;
  /** Cases of one group of sessions tell the same thing once. */
  readonly session: number;
}

/** One call with what a register was before it and after. */
export interface Pair {
  readonly before: string | undefined;
  readonly one: Case;
  /** Another call between the same two readings may as well have done it. */
  readonly shared: boolean;
}
