import { constants, existsSync } from "node:fs";
import { access, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conflict } from "../../chapters/errors.ts";
import type { OpenTarget } from "../../chapters/records/agents/agents.ts";
import { sha256 } from "../../worlds/digest.ts";
import { AgentProcess } from "./agent-process.ts";
import { tail } from "./answers.ts";
import type { Sandbox } from "./isolation/sandbox.ts";

/** A commit's files, and the line that sets them up. */
type Setting = Pick<Extract<OpenTarget, { kind: "repository" }>, "checkout" | "setup">;

const SETUP_MS = 15 * 60_000;
/** How long a setup that failed is not tried again: every trial of a run would do so. */
const FAILED_MS = 60_000;
/** What setting up leaves in a tree and no trial changes: linked into a trial's copy, for it may hold many thousand files. */
const DEPENDENCIES = new Set(["node_modules", ".venv", "venv"]);

/** What setups and tool servers run in; a sentence that says why they run without. Rejects where they must not. */
export type SandboxOf = () => Promise<Sandbox | string>;

/** Trees of repositories that are set up: one for each commit and setup, kept in a folder. No trial works in one of them. */
export class ReadyTrees {
  readonly #root: string;
  readonly #sandbox: SandboxOf;
  readonly #making = new Map<string, Promise<string>>();

  constructor(root: string, sandbox: SandboxOf) {
    this.#root = root;
    this.#sandbox = sandbox;
  }

  /**
   * The tree of a commit after its setup, which may use the machine's network and sees none of the agent's values, and
   * where the machine can, no file of the service but the tree. A setup that fails is a conflict, and so for a minute
   * is whoever asks again. Answers a folder that stays as it is.
   */
  async ready(target: Setting, signal: AbortSignal): Promise<string> {
    const { checkout, setup } = target;
    if (setup === undefined) return checkout.folder;
    const key = sha256(JSON.stringify([checkout.folder, checkout.commit, setup]));
    const folder = join(this.#root, key.slice(0, 32));
    const made = this.#making.get(folder) ?? this.#make(folder, checkout.folder, setup);
    this.#making.set(folder, made);
    made.then(
      () => this.#making.delete(folder),
      () => setTimeout(() => this.#making.delete(folder), FAILED_MS).unref(),
    );
    // Whoever stops waiting does not end what others wait for too.
    return Promise.race([made, aborted(signal)]);
  }

  async #make(folder: string, from: string, setup: string): Promise<string> {
    const done = `${folder}.ready`;
    if (await exists(done)) return folder;
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    // What an earlier process left half made goes: only what is marked is whole.
    await rm(folder, { recursive: true, force: true });
    await cp(from, folder, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    try {
      await runSetup(folder, setup, await this.#sandbox());
      await writeFile(done, "");
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return folder;
  }
}

/** Copies a tree for one trial; what setting it up left there is linked. */
export async function copyTree(tree: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(tree, { withFileTypes: true })) {
    const [from, into] = [join(tree, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && DEPENDENCIES.has(entry.name)) await symlink(from, into);
    else await cp(from, into, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  }
}

async function runSetup(folder: string, setup: string, sandbox: Sandbox | string): Promise<void> {
  // Beside the tree and not in memory: package managers keep what they fetch in it.
  const home = await mkdtemp(`${folder}-home-`);
  let unwatch: (() => void) | undefined;
  try {
    const env = {
      PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
      HOME: home,
      TMPDIR: home,
      LANG: "C.UTF-8",
      CI: "1",
      ...authorities(),
    };
    const command = ["/bin/sh", "-c", setup];
    const boxed = typeof sandbox !== "string";
    const run = await AgentProcess.start(
      boxed
        ? sandbox.start({
            command,
            cwd: folder,
            env,
            shown: Object.values(authorities()).filter(existsSync),
            written: [folder, home],
            named: { command: [], env: {} },
          })
        : { command, cwd: folder, env },
    );
    if (boxed) unwatch = sandbox.watchFromStart(run);
    run.endInput();
    const timer = setTimeout(() => run.end("timeout"), SETUP_MS);
    const out = await run.whole();
    const exit = await run.exit();
    clearTimeout(timer);
    if (exit.code === 0) return;
    const how = run.fate === "timeout" ? "took longer than 15 minutes" : "failed";
    const said = tail(run.stderr.trim() || out.trim(), 300);
    throw conflict(`The setup of the agent's repository ${how}; details name its last output.`, {
      names: said === "" ? [] : [said],
    });
  } finally {
    unwatch?.();
    await rm(home, { recursive: true, force: true });
  }
}

/** Where this machine keeps the certificates of its own authorities: paths, by which package registries are reached as from here. */
const AUTHORITIES = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "PIP_CERT",
  "GIT_SSL_CAINFO",
  "npm_config_cafile",
];

function authorities(): Record<string, string> {
  return Object.fromEntries(
    AUTHORITIES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? ""]])),
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
