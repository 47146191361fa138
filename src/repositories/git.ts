import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AppError, tooLarge, unavailable } from "../../chapters/errors.ts";

/** How long one git command may take, and how much it may answer. */
const TIMEOUT_MS = 120_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** Settings that no repository and no account of this machine may change: nothing is run, asked or followed. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.symlinks", "true"],
  ["credential.helper", ""],
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "30"],
  ["protocol.allow", "never"],
  ["submodule.recurse", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["advice.detachedHead", "false"],
];

/** How a git command is run. */
export interface GitOptions {
  readonly cwd: string;
  readonly settings?: readonly (readonly [string, string])[];
  readonly signal: AbortSignal;
  /** Asked every half second; git is ended once it says true. */
  readonly tooMuch?: () => Promise<boolean>;
}

/** Runs git in an isolated environment and answers its output; undefined where it failed. Throws past limits and on abort. */
export async function git(args: readonly string[], options: GitOptions): Promise<string | undefined> {
  options.signal.throwIfAborted();
  const home = await mkdtemp(join(tmpdir(), "git-home-"));
  try {
    return await run(args, home, options);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function run(args: readonly string[], home: string, options: GitOptions): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, {
      cwd: options.cwd,
      env: environment(home, options.settings ?? []),
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const parts: Buffer[] = [];
    let bytes = 0;
    let refused: AppError | undefined;
    const end = (why?: AppError) => {
      refused ??= why;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended already.
      }
    };
    const timer = setTimeout(() => end(slow()), TIMEOUT_MS);
    const watch = options.tooMuch && setInterval(async () => (await options.tooMuch?.()) && end(large()), 500);
    const stop = () => end();
    options.signal.addEventListener("abort", stop, { once: true });
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_OUTPUT) end(large());
      else parts.push(chunk);
    });
    const done = () => {
      clearTimeout(timer);
      clearInterval(watch);
      options.signal.removeEventListener("abort", stop);
    };
    child.once("error", () => {
      done();
      reject(unavailable("This machine has no git, which repositories need; ask the operator."));
    });
    child.once("close", (code) => {
      done();
      if (options.signal.aborted) reject(options.signal.reason);
      else if (refused) reject(refused);
      else resolve(code === 0 ? Buffer.concat(parts).toString("utf8") : undefined);
    });
  });
}

/** A credential and settings go by environment: a command line can be read by every account of a machine. */
function environment(home: string, settings: readonly (readonly [string, string])[]): NodeJS.ProcessEnv {
  const all = [...SETTINGS, ...settings];
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    GIT_LFS_SKIP_SMUDGE: "1",
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(
      all.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** The refusal of a repository that passes our bounds. */
export function large(): AppError {
  return tooLarge("The repository holds more than is taken: 512 MiB or 50,000 files at one commit.");
}

function slow(): AppError {
  return unavailable("The repository's host took longer than two minutes.", { retryAfter: 60 });
}
