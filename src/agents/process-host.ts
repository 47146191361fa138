import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TrialBrief } from "../../chapters/ports/launcher.ts";
import type { TrialIsolation } from "../../chapters/records/runs/runs.ts";
import type { AgentProcess } from "./agent-process.ts";
import type { CommandTarget } from "./command-target.ts";
import { Egress, type EgressCounts, proxyVariables } from "./egress.ts";
import type { Sandbox, Start } from "./isolation/sandbox.ts";
import { BEGIN, BEGIN_TURNS, HOME } from "./isolation/script.ts";
import type { Excess } from "./isolation/usage.ts";
import type { Leftovers } from "./leftovers.ts";
import { copyTree } from "./repository.ts";
import type { WorldRelay } from "./world-relay.ts";

/** Where one trial runs: in a sandbox of its own, or on the machine as it is. */
export interface ProcessHost {
  readonly isolation: TrialIsolation;
  /** A folder of this machine, for a moment's sockets. */
  readonly folder: string;
  /** Whether one process holds the whole trial: then a turn is run by a shell in it. */
  readonly boxed: boolean;
  start(command: readonly string[]): Start;
  /** Told of each process once it has begun. */
  began(agent: AgentProcess): void;
  counts(): EgressCounts | undefined;
  /** Which limit the kernel held it to; `machine` where only the machine's counts tell. */
  excess(): Excess | "machine" | undefined;
  /** Notes in the agent's log that it went over a limit, and ends it. */
  exceeded(agent: AgentProcess, excess: Excess): void;
  /** Lets no more calls through; answers how many the world's endpoint left without an answer of its own. */
  lost(): number;
  /** Called when no process is under way any more. */
  close(): Promise<void>;
}

/** A ground in a sandbox, with a network that has the trial's world and what its rule lets it reach. */
export async function sandboxHost(
  target: CommandTarget,
  brief: TrialBrief,
  relay: WorldRelay,
  sandbox: Sandbox,
): Promise<ProcessHost> {
  // A command that names no list reaches what is public: it could not ask its model otherwise.
  const ports = sandbox.settings.local ? namedPorts(target) : [];
  const egress = new Egress(target.egress ?? { privateAllowed: false, ports });
  const network = await sandbox.networks.open(egress.loopback());
  const folder = await mkdtemp(join(tmpdir(), "trial-"));
  const passage = await relay.open(brief.mcpUrl, network.worldPort);
  network.take({
    world: (socket) => (passage === undefined ? socket.destroy() : passage.take(socket)),
    proxy: (socket) => egress.proxy(socket),
    loopback: (socket, port) => egress.through(socket, port),
  });
  const given = { ...brief, mcpUrl: passage?.url ?? brief.mcpUrl };
  const env = environment(target, given, HOME, proxyVariables(network.proxyPort, "127.0.0.1"));
  const { cwd, tree } = target;
  const named = { command: target.command, cwd, env: target.env };
  const begin = target.adapter === "text" ? BEGIN_TURNS : BEGIN;
  const group = sandbox.group();
  let unwatch: (() => void) | undefined;
  return {
    isolation: { by: "bubblewrap", limits: group === undefined ? "measured" : "cgroup" },
    folder,
    boxed: true,
    start: (command) => sandbox.start({ command, cwd, env, tree, named, begin, network, group }),
    began(agent) {
      unwatch = sandbox.watch(agent);
    },
    counts: () => (target.egress === undefined ? undefined : egress.counts(true)),
    excess: () => (group === undefined ? "machine" : group.excess()),
    exceeded: (agent, excess) => agent.exceed(excess, sandbox.settings.limits),
    lost: () => passage?.close() ?? 0,
    async close() {
      unwatch?.();
      passage?.close();
      egress.close();
      network.release();
      group?.remove();
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

const LOOPBACK_PORT = /(?:localhost|127\.0\.0\.1):(\d{1,5})(?!\d)/gi;

/** Ports of this machine's loopback that a definition names: where its model is served, say. */
function namedPorts({ command, env }: Pick<CommandTarget, "command" | "env">): number[] {
  const texts = [...command, ...Object.values(env)];
  const ports = texts.flatMap((text) => [...text.matchAll(LOOPBACK_PORT)].map(([, port]) => Number(port)));
  return ports.filter((port) => port > 0 && port < 65_536);
}

/** A ground without a sandbox: the machine as it is, with a home that is removed and every process ended that is found. */
export async function machineHost(
  target: CommandTarget,
  brief: TrialBrief,
  relay: WorldRelay,
  leftovers: Leftovers,
  why: string,
): Promise<ProcessHost> {
  const passage = await relay.open(brief.mcpUrl);
  const folder = await mkdtemp(join(tmpdir(), "trial-"));
  const given = { ...brief, mcpUrl: passage?.url ?? brief.mcpUrl };
  const world = target.egress && new URL(given.mcpUrl);
  const egress = target.egress && new Egress(target.egress, world);
  const proxy = egress && world ? proxyVariables(await egress.listen(), world.hostname) : {};
  const env = environment(target, given, folder, proxy);
  const tree = target.tree === undefined ? undefined : join(folder, "checkout");
  if (target.tree !== undefined && tree !== undefined) await copyTree(target.tree, tree);
  const cwd = tree ?? target.cwd ?? folder;
  let leader: number | undefined;
  return {
    isolation: { by: "none", limits: "none", why },
    folder,
    boxed: false,
    start: (command) => ({ command, cwd, env }),
    began(agent) {
      leader ??= agent.pid;
    },
    counts: () => egress?.counts(false),
    excess: () => "machine",
    exceeded: () => undefined,
    lost: () => passage?.close() ?? 0,
    async close() {
      passage?.close();
      egress?.close();
      if (leader !== undefined) leftovers.ended(brief.mcpToken, leader);
      await rm(folder, { recursive: true, force: true, maxRetries: 2 }).catch(() => undefined);
    },
  };
}

/** Nothing of the service's own environment but where programs are; the agent's own values last. */
function environment(
  target: CommandTarget,
  brief: TrialBrief,
  home: string,
  proxy: Readonly<Record<string, string>>,
): Record<string, string> {
  return {
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TMPDIR: home,
    LANG: "C.UTF-8",
    ...target.env,
    ...pastProxies(target.env),
    ...proxy,
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
