import type { AgentAnswer, TrialBrief, TrialOutcome } from "../../chapters/ports/launcher.ts";
import type { CommandTarget } from "./command-target.ts";
import type { Guarded, IsolationSettings } from "./isolation/settings.ts";

/** What the launcher process is started with, as JSON. */
export interface LauncherArguments {
  readonly settings: IsolationSettings;
  readonly guarded: Guarded;
}

/** What the service tells the launcher process. */
export type ToLauncher =
  | {
      readonly do: "run";
      readonly id: number;
      readonly target: CommandTarget;
      readonly brief: Omit<TrialBrief, "reply">;
      /** Whether the service is asked for replies. */
      readonly replies: boolean;
    }
  | { readonly do: "reply"; readonly id: number; readonly text: string | undefined }
  | { readonly do: "stop"; readonly id: number };

/** What the launcher process answers: one message a trial, and before it one for each reply of the user that it asks for. */
export type FromLauncher =
  | { readonly id: number; readonly answers: readonly AgentAnswer[] }
  | { readonly id: number; readonly outcome: TrialOutcome }
  | { readonly id: number; readonly fault: string };
