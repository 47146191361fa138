import { runCommand } from "./command.ts";
import { Sandbox } from "./isolation/sandbox.ts";
import { Leftovers } from "./leftovers.ts";
import type { FromLauncher, LauncherArguments, ToLauncher } from "./messages.ts";
import { outOfMemoryKills } from "./out-of-memory.ts";
import { WorldRelay } from "./world-relay.ts";

// A small process of its own: starting an agent copies the page tables of whoever starts it, and the service's grow.
const running = new Map<number, AbortController>();
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

function end(): never {
  host.leftovers.close();
  process.exit(0);
}

process.on("message", (message: ToLauncher) => {
  if (message.do === "stop") {
    running.get(message.id)?.abort();
    return;
  }
  const { id, target, brief } = message;
  const abort = new AbortController();
  running.set(id, abort);
  runCommand(target, brief, abort.signal, host)
    .then((conduct) => answer({ id, conduct }))
    .catch((error: unknown) => answer({ id, fault: error instanceof Error ? error.message : String(error) }))
    .finally(() => {
      running.delete(id);
      if (!process.connected && running.size === 0) end();
    });
});

// The service is gone: no agent outlives it.
process.on("disconnect", () => {
  for (const abort of running.values()) abort.abort();
  if (running.size === 0) end();
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);
