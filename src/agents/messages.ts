import type { TrialBrief, TrialConduct } from "../../chapters/ports/launcher.ts";
import type { CommandTarget } from "./command.ts";

/** What the service tells the launcher process. */
export type ToLauncher =
  | { readonly do: "run"; readonly id: number; readonly target: CommandTarget; readonly brief: TrialBrief }
  | { readonly do: "stop"; readonly id: number };

/** What the launcher process answers: one message a trial. */
export type FromLauncher =
  | { readonly id: number; readonly conduct: TrialConduct }
  | { readonly id: number; readonly fault: string };
