import type { Fact } from "../../../../worlds/tasks/schema.ts";

/** One request with answers that are right in other words, and answers that are wrong. */
export interface AnswerCase {
  request: string;
  /** What a right answer asks for. */
  about?: string[];
  /** What a right answer says. */
  facts?: Fact[];
  /** The fact stands in a row of the test's world, which has a unique name besides. */
  rows?: boolean;
  /** The calls that stand before each answer, with what they answered. */
  calls?: { tool: string; args: Record<string, unknown>; answer: unknown; error?: boolean }[];
  right: readonly string[];
  wrong: readonly string[];
}
