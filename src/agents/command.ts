import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentAnswer, TrialBrief, TrialConduct } from "../../chapters/agents/launcher.ts";
import type { OpenTarget } from "../../chapters/agents/schema.ts";
import { AgentProcess, type Exit } from "./agent-process.ts";
import { readAnswerLine, tail } from "./answers.ts";
import { type Egress, type EgressRule, openEgress } from "./egress.ts";
import { LIMITS } from "./limits.ts";
import { copyTree } from "./repository.ts";

/** A command to start, its secrets opened; with `tree` in a copy of that folder, which is removed after the trial. */
export type CommandTarget = Extract<OpenTarget, { kind: "command" }> & {
  readonly tree?: string;
  /** What it may reach beside its world; all that the machine reaches when absent. */
  readonly egress?: EgressRule;
};

/** Signals that a process brings on itself; any other that we did not send came from outside. */
const OWN_FAULT = new Set<NodeJS.Signals>(["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP"]);
/** What shells and `env` exit with when the command cannot be run at all. */
const NOT_RUNNABLE = new Set([126, 127]);
/** What a shell exits with when its child was ended by SIGKILL or SIGTERM. */
const KILLED_CHILD = new Set([137, 143]);

interface Part {
  readonly answers: AgentAnswer[];
  readonly malformed: boolean;
  readonly cause: TrialConduct["cause"];
  readonly log: string;
}

/** One trial of a command agent, in a home of its own that is removed afterwards. Never rejects for what the agent does. */
export async function runCommand(target: CommandTarget, brief: TrialBrief, signal: AbortSignal): Promise<TrialConduct> {
  const started = performance.now();
  const home = await mkdtemp(join(tmpdir(), "trial-"));
  const egress = target.egress && (await openEgress(target.egress, brief.mcpUrl, home));
  try {
    const placed = throughEgress(await inTree(target, home), egress);
    const part =
      target.adapter === "text"
        ? await eachTurn(placed, brief, home, signal)
        : await oneProcess(placed, brief, home, signal);
    return {
      answers: part.answers,
      began: part.cause !== "could_not_start",
      ...(part.cause === undefined ? {} : { cause: part.cause }),
      ...(part.malformed ? { malformed: true } : {}),
      ms: performance.now() - started,
      log: part.log,
      ...(egress === undefined ? {} : { egress: egress.counts() }),
    };
  } finally {
    egress?.close();
    await rm(home, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}

async function inTree(target: CommandTarget, home: string): Promise<CommandTarget> {
  if (target.tree === undefined) return target;
  const cwd = join(home, "checkout");
  await copyTree(target.tree, cwd);
  return { ...target, cwd };
}

function throughEgress(target: CommandTarget, egress: Egress | undefined): CommandTarget {
  if (egress === undefined) return target;
  return { ...target, command: egress.wrap(target.command), env: { ...target.env, ...egress.env } };
}

/** `svc`: one process for all turns, a line in and a line out for each. */
async function oneProcess(target: CommandTarget, brief: TrialBrief, home: string, signal: AbortSignal): Promise<Part> {
  const answers: AgentAnswer[] = [];
  const garbage: string[] = [];
  const played = await play(
    target.command,
    target,
    brief,
    home,
    brief.timeoutSeconds * 1_000,
    signal,
    async (agent) => {
      for (const [index, text] of brief.turns.entries()) {
        agent.write(JSON.stringify({ turn: index + 1, text }));
        const line = await agent.line();
        if (line === undefined) break;
        const answer = readAnswerLine(line);
        if (!answer) garbage.push(tail(line, 200));
        answers.push(answer ?? { text: "" });
      }
      agent.endInput();
    },
  );
  const notes = garbage.map((line) => `An answer was not in the contract's form: ${line}`);
  return { answers, malformed: garbage.length > 0, cause: played.cause, log: logOf([...notes, played.log]) };
}

/** `text`: a process per turn, the request its last argument, its standard output the answer. */
async function eachTurn(target: CommandTarget, brief: TrialBrief, home: string, signal: AbortSignal): Promise<Part> {
  const answers: AgentAnswer[] = [];
  const logs: string[] = [];
  const deadline = performance.now() + brief.timeoutSeconds * 1_000;
  for (const text of brief.turns) {
    const left = Math.max(0, deadline - performance.now());
    let output = "";
    const played = await play([...target.command, text], target, brief, home, left, signal, async (agent) => {
      agent.endInput();
      output = await agent.whole();
    });
    logs.push(played.log);
    if (played.cause !== undefined) return { answers, malformed: false, cause: played.cause, log: logOf(logs) };
    answers.push({ text: output.trim() });
  }
  return { answers, malformed: false, cause: undefined, log: logOf(logs) };
}

/** Starts a process, converses with it, and waits for its end. */
async function play(
  command: readonly string[],
  target: CommandTarget,
  brief: TrialBrief,
  home: string,
  timeoutMs: number,
  signal: AbortSignal,
  converse: (agent: AgentProcess) => Promise<void>,
): Promise<{ cause: TrialConduct["cause"]; log: string }> {
  if (signal.aborted) return { cause: "stopped", log: "" };
  let agent: AgentProcess;
  try {
    agent = await AgentProcess.start(command, target.cwd ?? home, environment(target, brief, home));
  } catch (error) {
    return { cause: "could_not_start", log: error instanceof Error ? error.message : String(error) };
  }
  const stop = () => agent.end("stopped");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const timer = setTimeout(() => agent.end("timeout"), timeoutMs);
  let linger: NodeJS.Timeout | undefined;
  try {
    await converse(agent);
    linger = setTimeout(() => agent.end("lingered"), LIMITS.exitMs);
    const exit = await agent.exit();
    return { cause: causeOf(agent, exit), log: agent.stderr };
  } finally {
    clearTimeout(timer);
    clearTimeout(linger);
    signal.removeEventListener("abort", stop);
  }
}

function causeOf(agent: AgentProcess, exit: Exit): TrialConduct["cause"] {
  // It answered all and only did not go: what it said counts.
  if (agent.fate === "lingered") return undefined;
  if (agent.fate !== undefined) return agent.fate;
  if (exit.signal !== null) return OWN_FAULT.has(exit.signal) ? "crash" : "killed";
  if (exit.code === 0) return undefined;
  if (exit.code !== null && NOT_RUNNABLE.has(exit.code)) return "could_not_start";
  return exit.code !== null && KILLED_CHILD.has(exit.code) ? "killed" : "crash";
}

/** Nothing of the service's own environment but where programs are; the agent's own values last. */
function environment(target: CommandTarget, brief: TrialBrief, home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    ...target.env,
    SVC_TRIAL_ID: brief.trial,
    SVC_TRIAL_MCP_URL: brief.mcpUrl,
    SVC_TRIAL_MCP_TOKEN: brief.mcpToken,
    SVC_TRIAL_TIMEOUT_S: String(brief.timeoutSeconds),
  };
}

function logOf(parts: readonly string[]): string {
  return tail(parts.filter((part) => part !== "").join("\n"), LIMITS.logChars);
}
