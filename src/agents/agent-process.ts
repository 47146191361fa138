import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";
import { tail } from "./answers.ts";
import { closeInherited } from "./inherited.ts";
import type { Start } from "./isolation/sandbox.ts";
import { ARGUMENTS, type Entry, MARK } from "./isolation/script.ts";
import type { TrialLimits } from "./isolation/settings.ts";
import type { Excess } from "./isolation/usage.ts";
import { LIMITS } from "./limits.ts";
import { StandardInput } from "./standard-input.ts";

/** How long after a process the pipes of what it left are read; the kernel needs a moment to end a sandbox, milliseconds. */
const PIPES_MS = 200;
const BOX_MS = 5_000;

/** Why we ended a process that did not end by itself. */
export type Fate = "timeout" | "flood" | "stopped" | "lingered" | "out_of_memory";

/** How a process ended: its code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A spawned agent in a process group of its own, with its output bounded. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #input: StandardInput | undefined;
  readonly #exited: Promise<Exit>;
  readonly #decoder = new StringDecoder("utf8");
  readonly #errors = new StringDecoder("utf8");
  readonly #lines: string[] = [];
  #partial = "";
  #bytes = 0;
  #errorBytes = 0;
  #stderr = "";
  #notes = "";
  #closed = false;
  #wake: (() => void) | undefined;
  #fate: Fate | undefined;

  private constructor(child: ChildProcess, input: StandardInput | undefined, boxed: boolean) {
    this.#child = child;
    this.#input = input;
    // A sandbox has ended when nothing in it holds a stream any more; elsewhere a descendant may keep one for ever.
    const ended = boxed ? "close" : "exit";
    this.#exited = new Promise((resolve) => child.once(ended, (code, signal) => resolve({ code, signal })));
    child.stdin?.on("error", () => undefined);
    child.stdout?.on("data", (chunk: Buffer) => this.#output(chunk));
    child.stdout?.once("close", () => this.#outputEnded());
    child.stderr?.on("data", (chunk: Buffer) => this.#errorOutput(chunk));
    child.once("exit", () => this.#sweep(boxed ? BOX_MS : PIPES_MS));
  }

  /**
   * Spawns; rejects when the command cannot be started. With `folder`, a place for a moment, `endedWithUnreadInput` can say whether
   * the process took its input.
   */
  static async start({ command, cwd, env, args }: Start, folder?: string): Promise<AgentProcess> {
    closeInherited();
    const [file, ...rest] = command;
    const input = folder === undefined ? undefined : await StandardInput.open(folder);
    return new Promise((resolve, reject) => {
      const boxed = args === undefined ? [] : ["pipe" as const, "pipe" as const];
      const stdio = [input?.theirs ?? "pipe", "pipe", "pipe", ...boxed] satisfies StdioOptions;
      const child = spawn(file ?? "", rest, { cwd, env, detached: true, stdio });
      const given = child.stdio[ARGUMENTS] as Socket | undefined;
      given?.on("error", () => undefined).end(args ?? "");
      input?.theirs.destroy();
      const agent = new AgentProcess(child, input, args !== undefined);
      child.once("error", (error) => {
        input?.close();
        reject(error);
      });
      child.once("spawn", () => resolve(agent));
    });
  }

  /** Undefined until it was spawned. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get fate(): Fate | undefined {
    return this.#fate;
  }

  get stderr(): string {
    return this.#stderr + this.#notes;
  }

  write(line: string): void {
    (this.#input ?? this.#child.stdin)?.write(`${line}\n`);
  }

  endInput(): void {
    (this.#input ?? this.#child.stdin)?.end();
  }

  /** Whether it ended without having taken all of its input; false where that cannot be told. */
  async endedWithUnreadInput(): Promise<boolean> {
    return (await this.#input?.endedWithUnreadInput()) ?? false;
  }

  /** What a sandbox says of its beginning; undefined where it ended before it said anything. */
  async entered(): Promise<Entry | undefined> {
    const mark = this.#child.stdio[MARK] as Socket;
    let said = "";
    try {
      for await (const chunk of mark) said += String(chunk);
    } catch {
      // It broke off.
    }
    return said === "" ? undefined : (said.trim() as Entry);
  }

  /** The next line of output; undefined once there is no more. */
  async line(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.shift();
  }

  /** Everything it puts out until its end. */
  async whole(): Promise<string> {
    const lines: string[] = [];
    for (let line = await this.line(); line !== undefined; line = await this.line()) lines.push(line);
    return lines.join("\n");
  }

  exit(): Promise<Exit> {
    return this.#exited;
  }

  /** Ends the whole process group: SIGTERM, then SIGKILL. The first reason is kept. */
  end(fate: Fate): void {
    if (this.#fate !== undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#fate = fate;
    this.#signal("SIGTERM");
    setTimeout(() => this.#signal("SIGKILL"), LIMITS.killMs).unref();
  }

  /** Ends what uses more than a trial may, with a word on it in its log. */
  exceed(excess: Excess, { memoryBytes, processes }: TrialLimits): void {
    if (this.#fate !== undefined) return;
    const most = excess === "memory" ? `${memoryBytes / 2 ** 20} MB of memory` : `${processes} processes`;
    this.#notes += `\nThe trial was ended: it used more than ${most}.`;
    this.end(excess === "memory" ? "out_of_memory" : "flood");
  }

  #output(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > LIMITS.outputBytes) {
      this.end("flood");
      return;
    }
    const parts = (this.#partial + this.#decoder.write(chunk)).split("\n");
    this.#partial = parts.pop() ?? "";
    for (const part of parts) this.#lines.push(part.replace(/\r$/, ""));
    if (this.#partial.length > LIMITS.answerBytes) this.end("flood");
    if (parts.length > 0) this.#wake?.();
  }

  #errorOutput(chunk: Buffer): void {
    this.#errorBytes += chunk.length;
    this.#stderr = tail(this.#stderr + this.#errors.write(chunk), LIMITS.logChars);
    if (this.#errorBytes > LIMITS.errorBytes) this.end("flood");
  }

  #outputEnded(): void {
    if (this.#partial !== "" && this.#fate === undefined) this.#lines.push(this.#partial);
    this.#partial = "";
    this.#closed = true;
    this.#wake?.();
  }

  /** What the leader left running goes too, and pipes that a descendant keeps open are let go. */
  #sweep(ms: number): void {
    this.#signal("SIGKILL");
    setTimeout(() => {
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
      this.#input?.close();
    }, ms).unref();
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // The group is gone already.
    }
  }
}
