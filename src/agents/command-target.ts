import type { OpenTarget } from "../../chapters/records/agents/agents.ts";
import type { EgressRule } from "./egress.ts";

/** A command to start, its secrets opened; with `tree` in a copy of that folder, which is removed after the trial. */
export type CommandTarget = Extract<OpenTarget, { kind: "command" }> & {
  readonly tree?: string;
  /** What it may reach beside its world; all that the machine reaches when absent. */
  readonly egress?: EgressRule;
};
