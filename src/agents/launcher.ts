import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import PQueue from "p-queue";
import { conflict, forbidden } from "../../chapters/errors.ts";
import type { AgentLauncher, TrialBrief, TrialOutcome } from "../../chapters/ports/launcher.ts";
import type { OpenTarget } from "../../chapters/records/agents/agents.ts";
import { guardedDispatcher } from "./addresses.ts";
import { CommandLauncher } from "./command-launcher.ts";
import type { CommandTarget } from "./command-target.ts";
import { EndpointWatch } from "./endpoint-watch.ts";
import { runHttp } from "./http.ts";
import type { Sandbox } from "./isolation/sandbox.ts";
import { DEFAULT_ISOLATION, guardedBy, type IsolationSettings } from "./isolation/settings.ts";
import { outage } from "./outage.ts";
import { ReadyTrees } from "./repository.ts";
import { withServer } from "./served-server.ts";

/** What agents may do here, and how many run at once. */
export interface LauncherOptions {
  /** Where repositories that are set up are kept; the machine's temporary folder when absent. */
  readonly dataDir?: string;
  readonly commandsAllowed: boolean;
  readonly privateAddressesAllowed: boolean;
  /** How what runs here is kept apart from the machine; as in a local workspace when absent. */
  readonly isolation?: IsolationSettings;
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

/** Runs command, repository and http agents, so many at once. A trial's time is counted from when it is let in. */
export function createLauncher(options: LauncherOptions): Launcher {
  const settings = options.isolation ?? DEFAULT_ISOLATION;
  const commands = new CommandLauncher({ settings, guarded: guardedBy(options.dataDir) });
  const dispatcher = guardedDispatcher(options.privateAddressesAllowed);
  const commandQueue = new PQueue({ concurrency: options.commands ?? 8 * availableParallelism() });
  const httpQueue = new PQueue({ concurrency: options.requests ?? 64 });
  const sandbox = sandboxes(settings, options.dataDir);
  const trees = new ReadyTrees(join(options.dataDir ?? tmpdir(), "agents"), sandbox.get);
  const watch = new EndpointWatch();
  const closing = new AbortController();
  const net = { dispatcher, privateAllowed: options.privateAddressesAllowed };
  return {
    start() {
      if (options.commandsAllowed) commands.start();
    },
    async run(target: OpenTarget, brief: () => Promise<TrialBrief>, signal: AbortSignal): Promise<TrialOutcome> {
      const either = AbortSignal.any([signal, closing.signal]);
      if (target.kind === "http")
        return httpQueue.add(() =>
          admitted(either, brief, (own) => watched(watch, own, () => runHttp(target, own, either, net))),
        );
      if (!options.commandsAllowed) {
        throw forbidden("Commands are off on this workspace. Connect the agent over http, or ask the operator.");
      }
      const command =
        target.kind === "command" ? target : await inTree(target, trees, options.privateAddressesAllowed, either);
      return commandQueue.add(() => admitted(either, brief, (own) => commands.run(command, own, either)));
    },
    async withServer(server, use, signal) {
      if (!options.commandsAllowed) throw forbidden("Commands are off on this workspace: a server cannot be started.");
      const either = AbortSignal.any([signal, closing.signal]);
      return commandQueue.add(() => withServer(server, use, { trees, sandbox: sandbox.get }, either));
    },
    async close() {
      closing.abort();
      await commands.close();
      await sandbox.close();
      await dispatcher.destroy();
    },
  };
}

/** The sandbox that setups and tool servers of this process run in, tried when it is first asked for. */
function sandboxes(settings: IsolationSettings, dataDir: string | undefined) {
  let opened: Promise<Sandbox | string> | undefined;
  return {
    async get(): Promise<Sandbox | string> {
      opened ??= import("./isolation/sandbox.ts").then(({ Sandbox }) => Sandbox.open(settings, guardedBy(dataDir)));
      const sandbox = await opened;
      if (typeof sandbox === "string" && settings.mode === "bubblewrap")
        throw conflict(
          "Nothing of a repository runs here without a sandbox (SVC_ISOLATION); svc doctor says why there is none.",
        );
      return sandbox;
    },
    async close(): Promise<void> {
      const sandbox = await opened;
      if (typeof sandbox === "object") sandbox.close();
    },
  };
}

async function inTree(
  target: Extract<OpenTarget, { kind: "repository" }>,
  trees: ReadyTrees,
  privateAllowed: boolean,
  signal: AbortSignal,
): Promise<CommandTarget> {
  const { command, env, adapter, egress: allow } = target;
  const tree = await trees.ready(target, signal);
  return { kind: "command", command: [...command], env, adapter, tree, egress: { allow, privateAllowed } };
}

async function watched(watch: EndpointWatch, { mcpUrl }: TrialBrief, run: () => Promise<TrialOutcome>) {
  const looking = watch.begin(mcpUrl);
  const conduct = await run().catch(async (error: unknown) => {
    await looking.close(false);
    throw error;
  });
  return outage(conduct, await looking.close(conduct.cause !== "stopped"));
}

/** A trial that was stopped while it waited never starts. */
async function admitted(
  signal: AbortSignal,
  brief: () => Promise<TrialBrief>,
  start: (brief: TrialBrief) => Promise<TrialOutcome>,
): Promise<TrialOutcome> {
  if (signal.aborted) return { answers: [], began: false, cause: "stopped", ms: 0, log: "" };
  return start(await brief());
}
