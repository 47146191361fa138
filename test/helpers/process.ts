import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { cleanEnv } from "./child.ts";
import { builtSvc } from "./run/built.ts";

/** The `svc` that users install. */
export const BIN = await builtSvc();

/** `svc` as a real process; the words of `within` stand before its command. */
export function svc(
  args: readonly string[],
  env: Record<string, string>,
  within: readonly string[] = [],
): ChildProcessWithoutNullStreams {
  const [file = "", ...words] = [...within, process.execPath, BIN, ...args];
  return spawn(file, words, { env: cleanEnv(env), stdio: "pipe" });
}

/** Runs `svc` to its end. */
export async function runSvc(args: readonly string[], env: Record<string, string>, input = "") {
  const child = svc(args, env);
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(input);
  const [code] = (await once(child, "close")) as [number];
  return { code, stdout, stderr };
}

/** `svc serve` on a free port, once it says where it listens. */
export async function startServe(dataDir: string, env: Record<string, string> = {}, within?: readonly string[]) {
  const child = svc(["serve"], { SVC_DATA_DIR: dataDir, SVC_PORT: "0", ...env }, within);
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`svc serve ended with ${code}: ${lines.join("\n")}`)));
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      const found = /http:\/\/[\d.]+:\d+/.exec(line)?.[0];
      if (found) resolve(found);
    });
  });
  return { child, url, lines };
}

/** A bare stdio client: lines out, lines in, so that everything on standard output is seen. */
export class StdioClient {
  readonly child: ChildProcessWithoutNullStreams;
  readonly received: Record<string, unknown>[] = [];
  /** Lines on standard output that are no JSON-RPC message. */
  readonly stray: string[] = [];
  #next = 1;
  readonly #waiting = new Map<number, (message: Record<string, unknown>) => void>();

  constructor(args: readonly string[], env: Record<string, string>) {
    this.child = svc(args, env);
    this.child.stderr.resume();
    createInterface({ input: this.child.stdout }).on("line", (line) => this.#take(line));
  }

  request(method: string, params: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const answer = new Promise<Record<string, unknown>>((resolve) => this.#waiting.set(id, resolve));
    this.send({ jsonrpc: "2.0", id, method, params });
    return answer;
  }

  /** A tool's answer: its structured content, or the error of its text. */
  async call(name: string, args: Record<string, unknown> = {}) {
    const { result } = (await this.request("tools/call", { name, arguments: args })) as {
      result: {
        isError?: boolean;
        content: { text: string }[];
        structuredContent?: { status: number; body: Record<string, unknown> };
      };
    };
    const error = result.isError
      ? (JSON.parse(result.content[0]?.text ?? "{}") as { error: string; reason: string })
      : undefined;
    const told = result.isError ? undefined : (result.structuredContent ?? JSON.parse(result.content[0]?.text ?? "{}"));
    return { error, body: (told as { body?: Record<string, unknown> } | undefined)?.body };
  }

  send(message: Record<string, unknown>): void {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async initialize(): Promise<void> {
    await this.request("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1" },
    });
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  kill(signal: NodeJS.Signals): Promise<unknown> {
    const gone = once(this.child, "exit");
    this.child.kill(signal);
    return gone;
  }

  /** Closes standard input, as a client does when it is done. */
  async end(): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const gone = once(this.child, "exit");
    this.child.stdin.end();
    await gone;
    return this.child.exitCode;
  }

  #take(line: string): void {
    let message: Record<string, unknown>;
    try {
      message = JSON.parse(line) as Record<string, unknown>;
    } catch {
      this.stray.push(line);
      return;
    }
    if (message.jsonrpc !== "2.0") this.stray.push(line);
    this.received.push(message);
    if (typeof message.id === "number") this.#waiting.get(message.id)?.(message);
  }
}
