import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unprocessable } from "../../chapters/errors.ts";
import type { CheckedOutServer, ServedSession } from "../../chapters/ports/launcher.ts";
import { ToolDefinition } from "../../worlds/bundle.ts";
import type { JsonObject } from "../../worlds/json.ts";
import { version } from "../version.ts";
import { AgentProcess } from "./agent-process.ts";
import { HOME } from "./isolation/script.ts";
import { copyTree, type ReadyTrees, type SandboxOf } from "./repository.ts";

const PROTOCOL = "2025-11-25";
/** From its start to its list, for one call, and for all that is done with it, milliseconds. */
const LIST_MS = 60_000;
const CALL_MS = 20_000;
const USE_MS = 300_000;
/** How long a server that said its last may take to end, milliseconds. */
const END_MS = 500;
const MOST_TOOLS = 2_000;
/** Characters of an answer that are kept. */
const MOST_TEXT = 200_000;

/**
 * Starts a server in a copy of its checkout, in a sandbox where the machine can, asks for its tools over standard input
 * and output, lends it, and ends all of its processes. It has the machine's network: what it serves may lie there.
 */
export async function withServer<T>(
  server: CheckedOutServer,
  use: (session: ServedSession) => Promise<T>,
  { trees, sandbox: sandboxOf }: { readonly trees: ReadyTrees; readonly sandbox: SandboxOf },
  signal: AbortSignal,
): Promise<T> {
  const { checkout, setup, run, env } = server;
  const tree = await trees.ready({ checkout, ...(setup === undefined ? {} : { setup }) }, signal);
  const home = await mkdtemp(join(tmpdir(), "server-"));
  let started: AgentProcess | undefined;
  let unwatch: (() => void) | undefined;
  const end = () => started?.end("stopped");
  const timers = [setTimeout(end, LIST_MS)];
  signal.addEventListener("abort", end, { once: true });
  try {
    const sandbox = await sandboxOf();
    const boxed = typeof sandbox !== "string";
    const cwd = join(home, "checkout");
    if (!boxed) await copyTree(tree, cwd);
    const path = process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin";
    const its = boxed ? HOME : home;
    const own = { PATH: path, HOME: its, TMPDIR: its, LANG: "C.UTF-8", ...env };
    const command = ["/bin/sh", "-c", run];
    const start = boxed
      ? sandbox.start({ command, env: own, tree, named: { command: [run], env } })
      : { command, cwd, env: own };
    started = await AgentProcess.start(start).catch(() => undefined);
    if (boxed && started) unwatch = sandbox.watchFromStart(started);
    const session = started && new Session(started);
    const tools = await session?.tools();
    signal.throwIfAborted();
    if (!session || !tools) {
      const how = await failedHow(started);
      const reason = `The server ${how}; details name its last output.`;
      throw unprocessable(reason, {
        names: started?.stderr.trim() ? [started.stderr.trim().slice(-300)] : [],
      });
    }
    clearTimeout(timers[0]);
    timers.push(setTimeout(end, USE_MS));
    const done = await use({
      tools,
      async call(tool, args) {
        const timer = setTimeout(end, CALL_MS);
        try {
          return await session.call(tool, args);
        } finally {
          clearTimeout(timer);
        }
      },
    });
    signal.throwIfAborted();
    return done;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener("abort", end);
    end();
    await started?.exit();
    unwatch?.();
    await rm(home, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}

/** How a server came to list nothing: it could not be started, ended by itself, answered otherwise, or took too long. */
async function failedHow(server: AgentProcess | undefined): Promise<string> {
  if (!server) return "could not be started";
  const gone = await Promise.race([server.exit(), new Promise<undefined>((resolve) => setTimeout(resolve, END_MS))]);
  if (server.fate !== undefined) return "did not list its tools over standard input and output within a minute";
  if (!gone) return "closed its output, or answered with something else, when it was asked for its tools";
  const how = gone.code === null ? `by ${gone.signal}` : `with exit status ${gone.code}`;
  return `ended ${how} before it had listed its tools`;
}

/** The part of MCP that lists and calls take: messages a line, answers by their id; what else the server says is passed over. */
class Session {
  readonly #server: AgentProcess;
  #next = 1;

  constructor(server: AgentProcess) {
    this.#server = server;
  }

  /** Every page of the list; undefined where the server ends or answers otherwise. */
  async tools(): Promise<ToolDefinition[] | undefined> {
    const clientInfo = { name: "svc", version };
    const opened = await this.#ask("initialize", { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
    if (!opened) return undefined;
    this.#server.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    const tools: ToolDefinition[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#ask("tools/list", cursor === undefined ? {} : { cursor });
      const read = ToolDefinition.array().safeParse(page?.tools);
      if (!read.success) return undefined;
      tools.push(...read.data);
      const next = page?.nextCursor;
      cursor = typeof next === "string" && next !== "" && next !== cursor ? next : undefined;
    } while (cursor !== undefined && tools.length < MOST_TOOLS);
    return tools;
  }

  /** What a tool answers as text; undefined where the server ends. A refusal of the protocol is an error with its words. */
  async call(tool: string, args: JsonObject): Promise<{ text: string; isError: boolean } | undefined> {
    const answer = await this.#answer("tools/call", { name: tool, arguments: args });
    if (!answer) return undefined;
    const { result, error } = answer as { result?: Record<string, unknown>; error?: { message?: unknown } };
    if (error) return { text: String(error.message ?? ""), isError: true };
    const parts = Array.isArray(result?.content) ? (result.content as { type?: unknown; text?: unknown }[]) : [];
    const text = parts.flatMap((part) => (part?.type === "text" ? [String(part.text)] : [])).join("\n");
    return { text: text.slice(0, MOST_TEXT), isError: result?.isError === true };
  }

  async #ask(method: string, params: object): Promise<Record<string, unknown> | undefined> {
    const result = (await this.#answer(method, params))?.result;
    return typeof result === "object" && result !== null ? (result as Record<string, unknown>) : undefined;
  }

  async #answer(method: string, params: object): Promise<Record<string, unknown> | undefined> {
    const id = this.#next++;
    this.#server.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    for (let line = await this.#server.line(); line !== undefined; line = await this.#server.line()) {
      const answer = parsed(line);
      if (answer?.id === id) return answer;
    }
    return undefined;
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
