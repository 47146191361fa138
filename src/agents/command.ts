import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentAnswer, TrialBrief, TrialOutcome } from "../../chapters/ports/launcher.ts";
import { AgentProcess, type Exit } from "./agent-process.ts";
import { readAnswerLine, tail } from "./answers.ts";
import type { CommandTarget } from "./command-target.ts";
import { NulCharacter, type Sandbox } from "./isolation/sandbox.ts";
import { type Entry, turnFunction, turnLine } from "./isolation/script.ts";
import type { Leftovers } from "./leftovers.ts";
import { LIMITS } from "./limits.ts";
import { outage } from "./outage.ts";
import { machineHost, type ProcessHost, sandboxHost } from "./process-host.ts";
import { userTurns } from "./user-turns.ts";
import type { WorldRelay } from "./world-relay.ts";

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
  /** What trials run in; a sentence that says why they run without. Rejects where they must not. */
  readonly sandbox: () => Promise<Sandbox | string>;
  /** The kernel's count of processes that it ended for want of memory. */
  readonly outOfMemoryKills: () => number | undefined;
}

/** Where the processes of one trial are, and what was counted when it began. */
interface TrialProcesses {
  readonly host: ProcessHost;
  readonly outOfMemory: () => boolean;
}

interface Part {
  readonly answers: AgentAnswer[];
  readonly malformed: boolean;
  readonly cause: TrialOutcome["cause"];
  readonly log: string;
}

/**
 * One trial of a command agent, in a sandbox where the machine can, else in a home of its own that is removed afterwards
 * with every process that it left. Its calls go through the relay: one whose world was away while it called ends with the
 * cause `service`, however it ended. Never rejects for what the agent does.
 */
export async function runCommand(
  target: CommandTarget,
  brief: TrialBrief,
  signal: AbortSignal,
  host: TrialHost,
): Promise<TrialOutcome> {
  const { relay, leftovers, outOfMemoryKills } = host;
  const sandbox = await host.sandbox();
  const processHost =
    typeof sandbox === "string"
      ? await machineHost(target, brief, relay, leftovers, sandbox)
      : await sandboxHost(target, brief, relay, sandbox);
  const started = performance.now();
  const kills = outOfMemoryKills();
  const trialProcesses: TrialProcesses = {
    host: processHost,
    outOfMemory: () => (outOfMemoryKills() ?? 0) > (kills ?? Number.POSITIVE_INFINITY),
  };
  try {
    const part =
      target.adapter !== "text"
        ? await oneProcess(target, brief, trialProcesses, signal)
        : processHost.boxed
          ? await eachTurnBoxed(target, brief, trialProcesses, signal)
          : await eachTurn(target, brief, trialProcesses, signal);
    const ms = performance.now() - started;
    const egress = processHost.counts();
    const counts = egress === undefined ? {} : { egress };
    return outage({ ...outcomeOf(part), ms, ...counts, isolation: processHost.isolation }, processHost.lost());
  } finally {
    await processHost.close();
  }
}

function outcomeOf({ answers, malformed, log, ...part }: Part): Omit<TrialOutcome, "ms"> {
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

/** `svc`: one process for all turns, a line in and a line out for each. */
async function oneProcess(
  target: CommandTarget,
  brief: TrialBrief,
  trialProcesses: TrialProcesses,
  signal: AbortSignal,
): Promise<Part> {
  const answers: AgentAnswer[] = [];
  const garbage: string[] = [];
  const played = await play(target.command, trialProcesses, brief.timeoutSeconds * 1_000, signal, async (agent) => {
    for await (const text of userTurns(brief, answers)) {
      agent.write(JSON.stringify({ turn: answers.length + 1, text }));
      const line = await agent.line();
      if (line === undefined) break;
      const answer = readAnswerLine(line);
      if (!answer) garbage.push(tail(line, 200));
      answers.push(answer ?? { text: "" });
    }
    agent.endInput();
  });
  const notes = garbage.map((line) => `An answer was not in the contract's form: ${line}`);
  return { answers, malformed: garbage.length > 0, cause: played.cause, log: logOf([...notes, played.log]) };
}

/** `text`: a process per turn, the request its last argument, its standard output the answer. */
async function eachTurn(
  target: CommandTarget,
  brief: TrialBrief,
  trialProcesses: TrialProcesses,
  signal: AbortSignal,
): Promise<Part> {
  const answers: AgentAnswer[] = [];
  const logs: string[] = [];
  const deadline = performance.now() + brief.timeoutSeconds * 1_000;
  for await (const text of userTurns(brief, answers)) {
    const left = Math.max(0, deadline - performance.now());
    let output = "";
    const played = await play([...target.command, text], trialProcesses, left, signal, async (agent) => {
      agent.endInput();
      output = await agent.whole();
    });
    logs.push(played.log);
    if (played.cause !== undefined) return { answers, malformed: false, cause: played.cause, log: logOf(logs) };
    answers.push({ text: output.trim() });
  }
  return { answers, malformed: false, cause: undefined, log: logOf(logs) };
}

/** `text` in a sandbox: a shell in it runs a turn after the other, and tells the exit status of each. */
async function eachTurnBoxed(
  target: CommandTarget,
  brief: TrialBrief,
  trialProcesses: TrialProcesses,
  signal: AbortSignal,
): Promise<Part> {
  const answers: AgentAnswer[] = [];
  const mark = randomUUID();
  const played = await play(target.command, trialProcesses, brief.timeoutSeconds * 1_000, signal, async (agent) => {
    agent.write(turnFunction(mark));
    for (const text of brief.turns) {
      agent.write(turnLine([...target.command, text]));
      const output: string[] = [];
      let line = await agent.line();
      for (; line !== undefined && !line.startsWith(`${mark} `); line = await agent.line()) output.push(line);
      if (line === undefined) break;
      const status = Number(line.slice(mark.length));
      if (status !== 0) {
        // A shell ends by the last status that it saw.
        agent.write(`exit ${status}`);
        break;
      }
      answers.push({ text: output.join("\n").trim() });
    }
    agent.endInput();
  });
  return { answers, malformed: false, cause: played.cause, log: played.log };
}

/** Starts a process, converses with it, and waits for its end. */
async function play(
  command: readonly string[],
  trialProcesses: TrialProcesses,
  timeoutMs: number,
  signal: AbortSignal,
  converse: (agent: AgentProcess) => Promise<void>,
): Promise<{ cause: TrialOutcome["cause"]; log: string }> {
  if (signal.aborted) return { cause: "stopped", log: "" };
  const { host } = trialProcesses;
  let agent: AgentProcess;
  try {
    agent = await AgentProcess.start(host.start(command), host.folder);
  } catch (error) {
    // Of a sandbox only our own programs are started from here.
    if (host.boxed && !(error instanceof NulCharacter)) throw error;
    return { cause: "could_not_start", log: error instanceof Error ? error.message : String(error) };
  }
  const stop = () => agent.end("stopped");
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const timer = setTimeout(() => agent.end("timeout"), timeoutMs);
  let linger: NodeJS.Timeout | undefined;
  try {
    const entry = host.boxed ? await agent.entered() : "ready";
    host.began(agent);
    if (entry !== "ready" && agent.fate === undefined) return await notEntered(agent, entry);
    await converse(agent);
    linger = setTimeout(() => agent.end("lingered"), LIMITS.exitMs);
    const exit = await agent.exit();
    const cause = await causeOf(agent, exit, trialProcesses, signal);
    return { cause, log: logOf([agent.stderr, agent.fate === undefined ? told(exit) : ""]) };
  } finally {
    clearTimeout(timer);
    clearTimeout(linger);
    signal.removeEventListener("abort", stop);
  }
}

/** What did not get as far as its command. Throws where the sandbox is at fault. */
async function notEntered(agent: AgentProcess, entry: Entry | undefined) {
  agent.endInput();
  await agent.exit();
  if (entry === "none") return { cause: "could_not_start" as const, log: logOf([agent.stderr]) };
  const what =
    entry === "copy"
      ? "the agent's checkout does not fit into its sandbox (SVC_TRIAL_DISK_MB)"
      : "a sandbox for a trial could not be made";
  throw new Error(`${what}: ${tail(agent.stderr.trim(), 300)}`);
}

/**
 * What an end is called. What we did not do is the agent's: a signal that nobody here sent, and an exit status that reads
 * like one, may be its own. Only a command that never took its first turn, and says that there is nothing to run, could not start.
 */
async function causeOf(
  agent: AgentProcess,
  exit: Exit,
  trialProcesses: TrialProcesses,
  signal: AbortSignal,
): Promise<TrialOutcome["cause"]> {
  // It answered all and only did not go: what it said counts.
  if (agent.fate === "lingered") return undefined;
  if (agent.fate !== undefined) return agent.fate;
  if (exit.code === 0) return undefined;
  const { host } = trialProcesses;
  const excess = host.excess();
  if (excess === "processes") {
    host.exceeded(agent, excess);
    return "flood";
  }
  if (exit.code !== null && NOT_RUNNABLE.has(exit.code))
    return (await agent.endedWithUnreadInput()) ? "could_not_start" : "crash";
  if (exit.code !== null && exit.code <= SIGNALLED) return "crash";
  await sleep(STOP_MS, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return "stopped";
  const killed = exit.signal === "SIGKILL" || exit.code === SIGNALLED + SIGKILL;
  if (!killed || !(excess === "machine" ? trialProcesses.outOfMemory() : excess === "memory")) return "crash";
  if (excess === "memory") host.exceeded(agent, excess);
  return "out_of_memory";
}

function told({ code, signal }: Exit): string {
  if (code === 0) return "";
  return code === null ? `The command was ended by ${signal}.` : `The command ended with exit status ${code}.`;
}

function logOf(parts: readonly string[]): string {
  return tail(parts.filter((part) => part !== "").join("\n"), LIMITS.logChars);
}
