/** One observed case: what the features were, where known, and what came of it. */
export interface Case {
  readonly features: ReadonlyMap<string, string>;
  readonly value: string;
  /** Cases of one group of sessions tell the same thing once. */
  readonly session: number;
}
