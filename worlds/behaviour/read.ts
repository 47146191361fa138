import { BehaviourSyntaxError } from "../errors.ts";
import { readLine } from "./line.ts";
import { compileBehaviour, type Model } from "./program.ts";
import { Behaviour } from "./schema.ts";

/** What is wrong with a behaviour that was given, in which part: the word, its offset in that part, and what would fit. */
export interface BehaviourIssue {
  /** A path in the JSON form; empty for a line. */
  readonly path: string;
  readonly at: number;
  readonly word: string;
  readonly expected: string;
}

/** Reads a behaviour in either form and compiles it against a bundle's tables, so that what is accepted can run. */
export function readBehaviour(
  given: unknown,
  model: Model,
): { readonly behaviour: Behaviour } | { readonly issues: readonly BehaviourIssue[] } {
  try {
    if (typeof given === "string") return { behaviour: acceptedLine(given, model) };
    const parsed = Behaviour.safeParse(given);
    if (parsed.success) {
      compileBehaviour(parsed.data, model);
      return { behaviour: parsed.data };
    }
    return {
      issues: parsed.error.issues.map((issue) => ({
        path: issue.path
          .map((part, i) => (typeof part === "number" ? `[${part}]` : i === 0 ? String(part) : `.${String(part)}`))
          .join(""),
        at: 0,
        word: "",
        expected: issue.message,
      })),
    };
  } catch (error) {
    if (!(error instanceof BehaviourSyntaxError)) throw error;
    return { issues: [{ path: error.path, at: error.at, word: error.word, expected: error.expected }] };
  }
}

function acceptedLine(line: string, model: Model): Behaviour {
  const { behaviour, offsetOf } = readLine(line);
  try {
    compileBehaviour(behaviour, model);
    return behaviour;
  } catch (error) {
    if (!(error instanceof BehaviourSyntaxError)) throw error;
    throw new BehaviourSyntaxError(offsetOf(error.path, error.at), error.word, error.expected, error.code);
  }
}
