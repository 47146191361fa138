import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentAnswer, TrialBrief, TrialConduct } from "../../chapters/agents/launcher.ts";
import type { OpenTarget } from "../../chapters/agents/schema.ts";
import { AgentProcess, type Exit } from "./agent-process.ts";
import { readAnswerLine, tail } from "./answers.ts";
import { type Egress, type EgressRule, openEgress } from "./egress.ts";
import type { Leftovers } from "./leftovers.ts";
import { LIMITS } from "./limits.ts";
import { outage } from "./outage.ts";
import { copyTree } from "./repository.ts";
import { userTurns } from "./user-turns.ts";
import type { WorldRelay } from "./world-relay.ts";

/** A command to start, its secrets opened; with `tree` in a copy of that folder, which is removed after the trial. */
export type CommandTarget = Extract<OpenTarget, { kind: "command" }> & {
  readonly tree?: string;
  /** What it may reach beside its world; all that the machine reaches when absent. */
  readonly egress?: EgressRule;
};

/** What shells and `env` exit with when the command cannot be run at all. */
const NOT_RUNNABLE = new Set([126, 127]);
/** Above it a shell tells by its exit status which signal ended its child. */
const SIGNALLED = 128;
const SIGKILL = 9;
/** How long after an end by a signal our own stop may come, milliseconds: what ends a machine ends the agents first. */
const STOP_MS = 250;

/** What the trials of one launcher share. */
export interface TrialHost {
  readonly relay: WorldRelay;
  readonly leftovers: Leftovers;
  /** The kernel's count of processes that it ended for want of memory. */
  readonly outOfMemoryKills: () => number | undefined;
}

/** Where the processes of one trial are, and what was counted when it began. */
interface Place {
  readonly home: string;
  readonly outOfMemory: () => boolean;
  /** The first of them. */
  leader?: number | undefined;
}

interface Part {
  readonly answers: AgentAnswer[];
  readonly malformed: boolean;
  readonly cause: TrialConduct["cause"];
  readonly log: string;
}

/**
 * One trial of a command agent, in a home of its own that is removed afterwards with every process that it left. Its calls
 * go through the relay: one whose world was away while it called ends with the cause `service`, however it ended. Never
 * rejects for what the agent does.
 */
export async function runCommand(
  target: CommandTarget,
  given: TrialBrief,
  signal: AbortSignal,
  { relay, leftovers, outOfMemoryKills }: TrialHost,
): Promise<TrialConduct> {
  const started = performance.now();
  const passage = await relay.open(given.mcpUrl);
  const home = await mkdtemp(join(tmpdir(), "trial-"));
  const brief = passage === undefined ? given : { ...given, mcpUrl: passage.url };
  const egress = target.egress && (await openEgress(target.egress, brief.mcpUrl, home));
  const kills = outOfMemoryKills();
  const place: Place = { home, outOfMemory: () => (outOfMemoryKills() ?? 0) > (kills ?? Number.POSITIVE_INFINITY) };
  try {
    const placed = throughEgress(await inTree(target, home), egress);
    const part =
      target.adapter === "text"
        ? await eachTurn(placed, brief, place, signal)
        : await oneProcess(placed, brief, place, signal);
    const ms = performance.now() - started;
    const counts = egress === undefined ? {} : { egress: egress.counts() };
    return outage({ ...conductOf(part), ms, ...counts }, passage?.close() ?? 0);
  } finally {
    passage?.close();
    egress?.close();
    if (place.leader !== undefined) leftovers.ended(brief.mcpToken, place.leader);
    await rm(home, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
  }
}

function conductOf({ answers, malformed, log, ...part }: Part): Omit<TrialConduct, "ms"> {
  // What has answered has started.
  const cause = part.cause === "could_not_start" && answers.length > 0 ? "crash" : part.cause;
  return {
    answers,
    began: cause !== "could_not_start",
    ...(cause === undefined ? {} : { cause }),
    ...(malformed ? { malformed: true } : {}),
    log,
  };
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
async function oneProcess(target: CommandTarget, brief: TrialBrief, place: Place, signal: AbortSignal): Promise<Part> {
  const answers: AgentAnswer[] = [];
  const garbage: string[] = [];
  const played = await play(
    target.command,
    target,
    brief,
    place,
    brief.timeoutSeconds * 1_000,
    signal,
    async (agent) => {
      for await (const text of userTurns(brief, answers)) {
        agent.write(JSON.stringify({ turn: answers.length + 1, text }));
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
async function eachTurn(target: CommandTarget, brief: TrialBrief, place: Place, signal: AbortSignal): Promise<Part> {
  const answers: AgentAnswer[] = [];
  const logs: string[] = [];
  const deadline = performance.now() + brief.timeoutSeconds * 1_000;
  for await (const text of userTurns(brief, answers)) {
    const left = Math.max(0, deadline - performance.now());
    let output = "";
    const played = await play([...target.command, text], target, brief, place, left, signal, async (agent) => {
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
  place: Place,
  timeoutMs: number,
  signal: AbortSignal,
  converse: (agent: AgentProcess) => Promise<void>,
): Promise<{ cause: TrialConduct["cause"]; log: string }> {
  if (signal.aborted) return { cause: "stopped", log: "" };
  let agent: AgentProcess;
  try {
    const env = environment(target, brief, place.home);
    agent = await AgentProcess.start(command, target.cwd ?? place.home, env, place.home);
    place.leader ??= agent.pid;
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
    const cause = await causeOf(agent, exit, place, signal);
    return { cause, log: logOf([agent.stderr, agent.fate === undefined ? told(exit) : ""]) };
  } finally {
    clearTimeout(timer);
    clearTimeout(linger);
    signal.removeEventListener("abort", stop);
  }
}

/**
 * What an end is called. What we did not do is the agent's: a signal that nobody here sent, and an exit status that reads
 * like one, may be its own. Only a command that never took its first turn, and says that there is nothing to run, could not start.
 */
async function causeOf(
  agent: AgentProcess,
  exit: Exit,
  place: Place,
  signal: AbortSignal,
): Promise<TrialConduct["cause"]> {
  // It answered all and only did not go: what it said counts.
  if (agent.fate === "lingered") return undefined;
  if (agent.fate !== undefined) return agent.fate;
  if (exit.code === 0) return undefined;
  if (exit.code !== null && NOT_RUNNABLE.has(exit.code))
    return (await agent.leftUnread()) ? "could_not_start" : "crash";
  if (exit.code !== null && exit.code <= SIGNALLED) return "crash";
  await sleep(STOP_MS, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return "stopped";
  const killed = exit.signal === "SIGKILL" || exit.code === SIGNALLED + SIGKILL;
  return killed && place.outOfMemory() ? "out_of_memory" : "crash";
}

function told({ code, signal }: Exit): string {
  if (code === 0) return "";
  return code === null ? `The command was ended by ${signal}.` : `The command ended with exit status ${code}.`;
}

/** Nothing of the service's own environment but where programs are; the agent's own values last. */
function environment(target: CommandTarget, brief: TrialBrief, home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    ...target.env,
    ...pastProxies(target.env),
    SVC_TRIAL_ID: brief.trial,
    SVC_TRIAL_MCP_URL: brief.mcpUrl,
    SVC_TRIAL_MCP_TOKEN: brief.mcpToken,
    SVC_TRIAL_TIMEOUT_S: String(brief.timeoutSeconds),
  };
}

/** An agent's own proxy is not asked for its world, which it reaches on this machine. */
function pastProxies(env: CommandTarget["env"]): Record<string, string> {
  if (!Object.keys(env).some((name) => /^(?:https?|all)_proxy$/i.test(name))) return {};
  const direct = ["localhost", "127.0.0.1", "::1"];
  const past = (name: string) => [...new Set([...(env[name] ?? "").split(",").filter(Boolean), ...direct])].join(",");
  return { NO_PROXY: past("NO_PROXY"), no_proxy: past("no_proxy") };
}

function logOf(parts: readonly string[]): string {
  return tail(parts.filter((part) => part !== "").join("\n"), LIMITS.logChars);
}
