import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckedOutServer } from "../../chapters/agents/launcher.ts";
import { AppError } from "../../chapters/errors.ts";
import { ToolDefinition } from "../../worlds/bundle.ts";
import { version } from "../version.ts";
import { AgentProcess } from "./agent-process.ts";
import { copyTree, type ReadyTrees } from "./repository.ts";

const PROTOCOL = "2025-11-25";
/** From its start to its list, milliseconds. */
const LIST_MS = 60_000;
const MOST_TOOLS = 2_000;

/** Starts a server in a copy of its checkout, asks for its tools over standard input and output, and ends its whole group. */
export async function listServedTools(
  server: CheckedOutServer,
  trees: ReadyTrees,
  signal: AbortSignal,
): Promise<ToolDefinition[]> {
  const { checkout, setup, run, env } = server;
  const tree = await trees.ready({ checkout, ...(setup === undefined ? {} : { setup }) }, signal);
  const home = await mkdtemp(join(tmpdir(), "server-"));
  let started: AgentProcess | undefined;
  const end = () => started?.end("stopped");
  const timer = setTimeout(end, LIST_MS);
  signal.addEventListener("abort", end, { once: true });
  try {
    const cwd = join(home, "checkout");
    await copyTree(tree, cwd);
    const path = process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin";
    const own = { PATH: path, HOME: home, TMPDIR: home, LANG: "C.UTF-8", ...env };
    started = await AgentProcess.start(["/bin/sh", "-c", run], cwd, own).catch(() => undefined);
    const session = started && new Session(started);
    const tools = await session?.tools();
    signal.throwIfAborted();
    if (!tools)
      throw new AppError(
        "unprocessable",
        "The server did not list its tools over standard input and output within a minute; details name what it said last.",
        { names: started?.stderr.trim() ? [started.stderr.trim().slice(-300)] : [] },
      );
    return tools;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    end();
    await started?.exit();
    await rm(home, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}

/** The part of MCP that a list of tools takes: messages a line, answers by their id; what else the server says is passed over. */
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

  async #ask(method: string, params: object): Promise<Record<string, unknown> | undefined> {
    const id = this.#next++;
    this.#server.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    for (let line = await this.#server.line(); line !== undefined; line = await this.#server.line()) {
      const answer = parsed(line);
      if (answer?.id !== id) continue;
      const { result } = answer;
      return typeof result === "object" && result !== null ? (result as Record<string, unknown>) : undefined;
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
