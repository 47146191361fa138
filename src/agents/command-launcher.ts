import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { AgentAnswer, TrialBrief, TrialOutcome } from "../../chapters/ports/launcher.ts";
import type { CommandTarget } from "./command-target.ts";
import type { FromLauncher, LauncherArguments, ToLauncher } from "./messages.ts";

interface Waiting {
  readonly child: ChildProcess;
  /** Asks the service for the user's reply. */
  reply(answers: readonly AgentAnswer[]): void;
  resolve(conduct: TrialOutcome): void;
  reject(error: Error): void;
}

const ENTRY = new URL(
  import.meta.url.endsWith(".ts") ? "./launcher-process.ts" : "./launcher-process.js",
  import.meta.url,
);

/** Speaks with the launcher process; starts it anew when it is gone. A trial under way when it goes rejects: the fault is ours. */
export class CommandLauncher {
  #child: ChildProcess | undefined;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();
  readonly #given: LauncherArguments;

  constructor(given: LauncherArguments) {
    this.#given = given;
  }

  /** Forks the launcher process now, while this process is still small. */
  start(): void {
    this.#open();
  }

  run(target: CommandTarget, { reply, ...brief }: TrialBrief, signal: AbortSignal): Promise<TrialOutcome> {
    const child = this.#open();
    const id = this.#next++;
    /** Why the user could not reply: a spent budget, a fault of ours. The agent is ended before it is told. */
    let unsaid: { readonly error: unknown } | undefined;
    return new Promise<TrialOutcome>((resolve, reject) => {
      const stop = () => send(child, { do: "stop", id });
      const done = () => {
        signal.removeEventListener("abort", stop);
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) child.channel?.unref();
      };
      child.channel?.ref();
      this.#waiting.set(id, {
        child,
        reply: (answers) => {
          reply?.(answers).then(
            (text) => send(child, { do: "reply", id, text }),
            (error: unknown) => {
              unsaid = { error };
              stop();
            },
          );
        },
        resolve: (conduct) => {
          done();
          if (unsaid) reject(unsaid.error);
          else resolve(conduct);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      send(child, { do: "run", id, target, brief, replies: reply !== undefined });
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
    });
  }

  /** Ends the launcher process and with it every agent it runs. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    // Held again while its end is waited for, or this process would end first and the wait with it.
    child.ref();
    if (child.connected) child.disconnect();
    await exited;
  }

  #open(): ChildProcess {
    if (this.#child?.connected) return this.#child;
    const child = fork(fileURLToPath(ENTRY), [JSON.stringify(this.#given)], {
      execArgv: [],
      env: {
        PATH: process.env.PATH,
        TMPDIR: process.env.TMPDIR,
        NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
        LANG: "C.UTF-8",
      },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    // Only a trial under way keeps the service's process alive.
    child.unref();
    child.channel?.unref();
    child.on("message", (message: FromLauncher) => {
      const waiting = this.#waiting.get(message.id);
      if ("answers" in message) waiting?.reply(message.answers);
      else if ("outcome" in message) waiting?.resolve(message.outcome);
      else waiting?.reject(new Error(`the agent launcher failed: ${message.fault}`));
    });
    child.once("exit", () => {
      if (this.#child === child) this.#child = undefined;
      for (const waiting of [...this.#waiting.values()])
        if (waiting.child === child) waiting.reject(new Error("the agent launcher process ended"));
    });
    this.#child = child;
    return child;
  }
}

function send(child: ChildProcess, message: ToLauncher): void {
  // A launcher that ends meanwhile is told of by its exit; without a callback the failed write would be thrown at nobody.
  if (child.connected) child.send(message, () => {});
}
