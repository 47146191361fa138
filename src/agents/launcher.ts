import { availableParallelism } from "node:os";
import PQueue from "p-queue";
import type { AgentLauncher, TrialBrief, TrialConduct } from "../../chapters/agents/launcher.ts";
import type { OpenTarget } from "../../chapters/agents/schema.ts";
import { AppError } from "../../chapters/errors.ts";
import { guardedDispatcher } from "./addresses.ts";
import { CommandLauncher } from "./command-launcher.ts";
import { runHttp } from "./http.ts";

/** What agents may do here, and how many run at once. */
export interface LauncherOptions {
  readonly commandsAllowed: boolean;
  readonly privateAddressesAllowed: boolean;
  /** How many commands run at once; eight a processor when absent. */
  readonly commands?: number;
  /** How many http trials run at once; 64 when absent. */
  readonly requests?: number;
}

/** The launcher of a process, with its beginning and end. */
export interface Launcher extends AgentLauncher {
  /** Forks the launcher process early, where commands are allowed; else it is forked at the first trial. */
  start(): void;
  /** Ends every agent under way. */
  close(): Promise<void>;
}

/** Runs command and http agents, so many at once. A trial's time is counted from when it is let in. */
export function createLauncher(options: LauncherOptions): Launcher {
  const commands = new CommandLauncher();
  const dispatcher = guardedDispatcher(options.privateAddressesAllowed);
  const commandQueue = new PQueue({ concurrency: options.commands ?? 8 * availableParallelism() });
  const httpQueue = new PQueue({ concurrency: options.requests ?? 64 });
  const closing = new AbortController();
  const net = { dispatcher, privateAllowed: options.privateAddressesAllowed };
  return {
    start() {
      if (options.commandsAllowed) commands.start();
    },
    async run(target: OpenTarget, brief: () => Promise<TrialBrief>, signal: AbortSignal): Promise<TrialConduct> {
      const either = AbortSignal.any([signal, closing.signal]);
      if (target.kind === "http")
        return httpQueue.add(() => admitted(either, brief, (own) => runHttp(target, own, either, net)));
      if (!options.commandsAllowed) {
        throw new AppError(
          "forbidden",
          "Commands are off on this workspace. Connect the agent over http, or ask the operator.",
        );
      }
      return commandQueue.add(() => admitted(either, brief, (own) => commands.run(target, own, either)));
    },
    async close() {
      closing.abort();
      await commands.close();
      await dispatcher.destroy();
    },
  };
}

/** A trial that was stopped while it waited never starts. */
async function admitted(
  signal: AbortSignal,
  brief: () => Promise<TrialBrief>,
  start: (brief: TrialBrief) => Promise<TrialConduct>,
): Promise<TrialConduct> {
  if (signal.aborted) return { answers: [], began: false, cause: "stopped", ms: 0, log: "" };
  return start(await brief());
}
