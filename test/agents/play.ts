import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import type { TrialBrief, TrialOutcome } from "../../chapters/ports/launcher.ts";
import { DEFAULT_ISOLATION } from "../../src/agents/isolation/settings.ts";
import { createLauncher } from "../../src/agents/launcher.ts";

/** Tests that import this look at processes and files of this machine; what a sandbox changes is in isolation.test.ts. */
export const OPEN = { ...DEFAULT_ISOLATION, mode: "none" as const };
export let launcher: ReturnType<typeof createLauncher>;
let folder = "";

/** A file of the test's own folder. */
export const fileOf = (name: string): string => join(folder, name);

/** Gives a test file its launcher and its folder; called once in each, since files share this module. */
export function withLauncher(): void {
  beforeAll(async () => {
    launcher = createLauncher({ commandsAllowed: true, privateAddressesAllowed: false, isolation: OPEN });
    folder = await mkdtemp(join(tmpdir(), "agents-"));
  });
  afterAll(async () => {
    await launcher.close();
    await rm(folder, { recursive: true });
  });
}

export interface PlayOptions {
  timeout?: number;
  signal?: AbortSignal;
  adapter?: "svc" | "text";
  reply?: NonNullable<TrialBrief["reply"]>;
}

/** Plays two turns with an agent written in JavaScript. */
export async function play(script: string, options: PlayOptions = {}) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  await writeFile(file, script);
  return playCommand([process.execPath, file], options);
}

export function playCommand(
  command: string[],
  options: PlayOptions & { env?: Record<string, string> } = {},
): Promise<TrialOutcome> {
  const target = { kind: "command" as const, command, env: options.env ?? {}, adapter: options.adapter ?? "svc" };
  const brief = {
    trial: "run_1/task/1",
    turns: ["first", "second"],
    mcpUrl: "http://127.0.0.1:1/worlds/b/w/mcp",
    mcpToken: `svc_world_${randomUUID()}`,
    timeoutSeconds: options.timeout ?? 600,
    ...(options.reply ? { reply: options.reply } : {}),
  };
  return launcher.run(target, async () => brief, options.signal ?? new AbortController().signal);
}

export const READ_LINES = `import { createInterface } from "node:readline";
export const lines = createInterface({ input: process.stdin });
export const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
`;

export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

export async function gone(pid: number): Promise<boolean> {
  while (alive(pid)) await sleep(20);
  return true;
}

/** What a file says once there is something in it. */
export async function written(file: string): Promise<string> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text !== "") return text;
    await sleep(20);
  }
}
