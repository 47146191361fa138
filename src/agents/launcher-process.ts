import type { AgentAnswer } from "../../chapters/ports/launcher.ts";
import { runCommand } from "./command.ts";
import { Sandbox } from "./isolation/sandbox.ts";
import { Leftovers } from "./leftovers.ts";
import type { FromLauncher, LauncherArguments, ToLauncher } from "./messages.ts";
import { outOfMemoryKills } from "./out-of-memory.ts";
import { WorldRelay } from "./world-relay.ts";

// A small process of its own: starting an agent copies the page tables of whoever starts it, and the service's grow.
const running = new Map<number, AbortController>();
/** What each trial's newest reply is handed to. */
const replied = new Map<number, (text: string | undefined) => void>();
const { settings, guarded } = JSON.parse(process.argv[2] ?? "{}") as LauncherArguments;
let opened: Promise<Sandbox | string> | undefined;
const host = {
  relay: new WorldRelay(),
  leftovers: new Leftovers(),
  outOfMemoryKills,
  sandbox: async () => {
    opened ??= Sandbox.open(settings, guarded);
    const sandbox = await opened;
    if (typeof sandbox === "string" && settings.mode === "bubblewrap")
      throw new Error(`no agent runs here without a sandbox (SVC_ISOLATION): ${sandbox}`);
    return sandbox;
  },
};

function answer(message: FromLauncher): void {
  if (process.connected) process.send?.(message);
}

/** Ends a trial; one that waits for a reply gets none. */
function stop(id: number): void {
  running.get(id)?.abort();
  replied.get(id)?.(undefined);
}

function end(): never {
  host.leftovers.close();
  process.exit(0);
}

process.on("message", (message: ToLauncher) => {
  if (message.do === "reply") {
    replied.get(message.id)?.(message.text);
    return;
  }
  if (message.do === "stop") {
    stop(message.id);
    return;
  }
  const { id, target, brief, replies } = message;
  const abort = new AbortController();
  running.set(id, abort);
  const reply = (answers: readonly AgentAnswer[]) =>
    new Promise<string | undefined>((resolve) => {
      if (abort.signal.aborted) return resolve(undefined);
      replied.set(id, resolve);
      answer({ id, answers: [...answers] });
    });
  runCommand(target, replies ? { ...brief, reply } : brief, abort.signal, host)
    .then((outcome) => answer({ id, outcome }))
    .catch((error: unknown) => answer({ id, fault: error instanceof Error ? error.message : String(error) }))
    .finally(() => {
      running.delete(id);
      replied.delete(id);
      if (!process.connected && running.size === 0) end();
    });
});

// The service is gone: no agent outlives it.
process.on("disconnect", () => {
  for (const id of running.keys()) stop(id);
  if (running.size === 0) end();
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
