import type { ToolDefinition } from "../../worlds/bundle.ts";
import type { JsonObject } from "../../worlds/json.ts";
import type { OpenTarget } from "../records/agents/agents.ts";
import type { EndCause, TrialIsolation } from "../records/runs/runs.ts";
import type { Checkout } from "../repositories.ts";

/** What an agent is given for one trial; its token is of this trial alone: what still holds it afterwards is ended. */
export interface TrialBrief {
  readonly trial: string;
  /** User turns in order: the request, then scripted follow-ups. */
  readonly turns: readonly string[];
  /** What the user says after these to the answers given so far; undefined when it has gone. Nobody replies when absent. */
  readonly reply?: (answers: readonly AgentAnswer[]) => Promise<string | undefined>;
  /** The world's own MCP endpoint and its connector token. A command is given a way to it on its own machine. */
  readonly mcpUrl: string;
  readonly mcpToken: string;
  readonly timeoutSeconds: number;
}

/** One answer of an agent to one turn. */
export interface AgentAnswer {
  readonly text: string;
  readonly class?: string;
}

/** How a trial went. `cause` is absent when the agent ended properly; `service` when its world was unreachable. */
export interface TrialOutcome {
  readonly answers: readonly AgentAnswer[];
  /** Whether the agent had taken its first turn: before that it could not start, after it every end that is not ours is its own. */
  readonly began: boolean;
  readonly cause?: Extract<
    EndCause,
    "crash" | "out_of_memory" | "timeout" | "flood" | "could_not_start" | "service" | "stopped"
  >;
  /** Whether an answer did not have the contract's form; its text is then empty. */
  readonly malformed?: boolean;
  /** From the agent's start to its end, milliseconds; waiting for a free place is not counted. */
  readonly ms: number;
  /** Last lines of standard error and what we saw go wrong, capped, for a person. */
  readonly log: string;
  /** What went out beside the world, where that was counted; `enforced` says whether there was no other way. */
  readonly egress?: { readonly forwarded: number; readonly refused: number; readonly enforced: boolean };
  /** What kept a command apart from its machine; absent for what did not run on ours. */
  readonly isolation?: TrialIsolation;
}

/** A tool server in a checkout, as its owner runs it: it speaks MCP over standard input and output. */
export interface CheckedOutServer {
  readonly checkout: Checkout;
  readonly setup?: string;
  /** One shell line. */
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A server that runs, with what it lists. */
export interface ServedSession {
  readonly tools: readonly ToolDefinition[];
  /** The text that a tool answers; undefined where the server ended, or did not answer in time and was ended. */
  call(tool: string, args: JsonObject): Promise<{ readonly text: string; readonly isError: boolean } | undefined>;
}

/** Runs connected agents that live outside this process (commands, http), so many at once. Built-in harnesses play on a World directly. */
export interface AgentLauncher {
  /** `brief` is asked for once there is room for the trial: what it prepares is never prepared for one that only waits. */
  run(target: OpenTarget, brief: () => Promise<TrialBrief>, signal: AbortSignal): Promise<TrialOutcome>;
  /** Sets a server up and starts it, asks for its list of tools, and ends it once `use` is done with it. Refuses what does not list. */
  withServer<T>(server: CheckedOutServer, use: (session: ServedSession) => Promise<T>, signal: AbortSignal): Promise<T>;
}
