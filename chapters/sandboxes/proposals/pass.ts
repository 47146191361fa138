import { Proposal } from "../../../worlds/propose/schema.ts";
import type { Brief, Counterexample } from "../../../worlds/propose/shown.ts";
import { evidence, pass } from "../../models/pass.ts";
import { LANGUAGE } from "./language.ts";

/** What a model is asked with: what is shown of the service, and in later rounds what came of its last answer. */
export interface Question {
  readonly brief: Brief;
  /** Sections of policies that name the tools. */
  readonly policies: readonly string[];
  readonly last?: {
    readonly proposal: Proposal;
    readonly faults: readonly string[];
    readonly right: number;
    readonly calls: number;
    readonly counterexamples: readonly Counterexample[];
  };
}

/** The characters of one part of a question, at most. */
const PART = 40_000;

/** Asks a model for programs of tools. What it answers is only a proposal: replay says what of it is taken. */
export const proposalPass = pass<Question, Proposal>({
  name: "program_proposal",
  version: "program-proposal-1",
  output: Proposal,
  maxOutputTokens: 16_000,
  prompt: ({ brief, policies, last }) => ({
    system: `You find out how a service works from recorded calls, and write programs that answer as it does. Write programs for the wanted tools, and for every other tool whose calls change what these depend on. Each program is replayed over all recorded sessions, also over many that you do not see; a case that contradicts one call is cut, and a list of the calls that you see counts for nothing. So look for the rule: arithmetic, counters, conditions, orders, states.\n\n${LANGUAGE}`,
    user: [
      `Wanted tools: ${JSON.stringify(brief.wanted)}`,
      part("Tools of the service", brief.tools),
      part("One call for each form of answer", brief.forms),
      part("Whole recorded sessions, calls in order", brief.sessions),
      ...(policies.length === 0 ? [] : [part("What policies say", policies)]),
      part("Today's programs, by tool", brief.today),
      ...(last === undefined
        ? [
            part(
              "Calls that today's programs do not answer as recorded, with the calls before them",
              brief.counterexamples,
            ),
          ]
        : [
            part("Your last proposal", last.proposal),
            last.faults.length > 0
              ? part("It could not be replayed", last.faults)
              : `Of ${last.calls} recorded calls of the wanted tools, what stands of it answers ${last.right}.`,
            part("Calls that it does not answer as recorded, with the calls before them", last.counterexamples),
          ]),
    ].join("\n\n"),
  }),
});

function part(title: string, value: unknown): string {
  const lines = Array.isArray(value) ? value.map((item) => JSON.stringify(item)) : [JSON.stringify(value)];
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length > PART && kept.length > 0) break;
    kept.push(line.slice(0, PART));
    length += line.length;
  }
  return `${title}:\n${evidence(kept.join("\n"))}`;
}
