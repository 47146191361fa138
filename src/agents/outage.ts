import type { TrialOutcome } from "../../chapters/ports/launcher.ts";
import { tail } from "./answers.ts";
import { LIMITS } from "./limits.ts";

/**
 * A trial while its world's endpoint was away tells nothing of its agent, whatever it came to: its cause is `service`, so
 * that it is tried again. Which trials those are is seen by us and told by no agent, and does not hang on how they went:
 * keeping the met ones of them would favour the agent. `away` is how often that was seen.
 */
export function outage(conduct: TrialOutcome, away: number): TrialOutcome {
  if (away === 0 || conduct.cause === "stopped") return conduct;
  const note = `The world's endpoint was away while the agent was at work (seen ${away === 1 ? "once" : `${away} times`}).`;
  return { ...conduct, cause: "service", log: tail([conduct.log, note].filter(Boolean).join("\n"), LIMITS.logChars) };
}
