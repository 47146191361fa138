import type { AnswerClass, Fact } from "../../../../worlds/tasks/schema.ts";

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
  calls?: MadeCall[];
  /** The class that is asked for, where the family does not say it. */
  class?: AnswerClass;
  right: readonly string[];
  /** With what else was called before it, where that belongs to it. */
  wrong: readonly (string | { text: string; did: MadeCall[] })[];
}

/** A call of a trial, and whether it was refused or changed something. */
export interface MadeCall {
  tool: string;
  args: Record<string, unknown>;
  answer: unknown;
  error?: boolean;
  changed?: boolean;
}
