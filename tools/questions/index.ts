import { AGENT_QUESTIONS } from "./agents.ts";
import { ENVIRONMENT_QUESTIONS } from "./environments.ts";
import { EVIDENCE_QUESTIONS } from "./evidence.ts";
import { FACT_QUESTIONS } from "./facts.ts";
import { FINDING_QUESTIONS } from "./findings.ts";
import { ONTOLOGY_QUESTIONS } from "./ontology.ts";
import { OPERATOR_QUESTIONS } from "./operator.ts";
import { ORGANIZATION_QUESTIONS } from "./organization.ts";
import { RUN_QUESTIONS } from "./runs.ts";
import { WORLD_QUESTIONS } from "./worlds.ts";

const split = (texts: string | undefined): readonly string[] => texts?.split(" | ") ?? [];

/** The questions of each operation, and of each act of the operator. */
export const OPERATION_QUESTIONS: Readonly<Record<string, string>> = {
  ...ORGANIZATION_QUESTIONS,
  ...RUN_QUESTIONS,
  ...AGENT_QUESTIONS,
  ...FINDING_QUESTIONS,
  ...EVIDENCE_QUESTIONS,
  ...ONTOLOGY_QUESTIONS,
  ...WORLD_QUESTIONS,
  ...ENVIRONMENT_QUESTIONS,
  ...OPERATOR_QUESTIONS,
};

/** The questions that an operation, an act of the operator or a fact is asked for by; none where nobody asks for it. */
export function questionsOf(name: string): readonly string[] {
  return [...split(OPERATION_QUESTIONS[name]), ...split(FACT_QUESTIONS[name])];
}

/** The names of the facts that questions are told from; one that has an operation's name tells what that operation answers. */
export const FACT_NAMES: readonly string[] = Object.keys(FACT_QUESTIONS);
