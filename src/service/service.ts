import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { monotonicFactory } from "ulid";
import type { Caller } from "../../chapters/caller.ts";
import type { Compute } from "../../chapters/compute.ts";
import type { BaseCtx, Ctx, Jobs, Log, Settings } from "../../chapters/context.ts";
import type { JobDefinition } from "../../chapters/job.ts";
import { budgetToday } from "../../chapters/organization/budget.ts";
import type { AgentLauncher } from "../../chapters/ports/launcher.ts";
import type { OrgRow, ServiceStore } from "../../chapters/ports/store.ts";
import { openStore } from "../../store/open.ts";
import { chapters as everyChapter } from "../../tools/index.ts";
import type { CallRequest, Host } from "../../tools/kernel/call.ts";
import type { Chapter } from "../../tools/kernel/chapter.ts";
import { Registry } from "../../tools/kernel/registry.ts";
import { benchProgram } from "../bench-program/program.ts";
import { type Config, ConfigError, isLoopback } from "../config.ts";
import { type CallAnswer, type CallInput, callJob } from "../jobs/call-job.ts";
import { jobDefinitions } from "../jobs/definitions.ts";
import type { ComputePool } from "../jobs/pool.ts";
import { sharedQueue } from "../jobs/queue/shared.ts";
import { createJobs } from "../jobs/runner.ts";
import { Limits, UNLIMITED } from "../limits/limits.ts";
import { memoryMeter } from "../limits/meter.ts";
import { sharedMeter } from "../limits/shared-meter.ts";
import { createLog } from "../log.ts";
import { instructionsFor } from "../mcp/instructions.ts";
import { readTools } from "../mcp/read-tools.ts";
import { createModels } from "../models/index.ts";
import { createRepositories } from "../repositories/index.ts";
import { createTicker, type Ticker } from "../schedules/ticker.ts";
import { chatVendor } from "../vendors/chat.ts";
import { datasetVendor } from "../vendors/datasets.ts";
import { mailVendor } from "../vendors/mail.ts";
import { mirrorVendor } from "../vendors/mirror.ts";
import { obsWriteVendor } from "../vendors/obs-write.ts";
import { sourceVendor } from "../vendors/sources.ts";
import { traceStoreAt } from "../vendors/trace-store.ts";
import { traceVendor } from "../vendors/trace-vendor.ts";
import { vcsVendor } from "../vendors/vcs.ts";
import { Authenticator } from "./auth.ts";
import { lazy } from "./lazy.ts";
import { OAuthResource } from "./oauth.ts";
import { openWithRetries } from "./open-store.ts";
import { removalsOf } from "./removals.ts";
import { workspaceKeys } from "./seal.ts";
import { vacuumInThread } from "./vacuum.ts";
import { type Worlds, worldsOf } from "./worlds.ts";

/** The service, composed: what every surface and every job works with. */
export interface Service {
  readonly config: Config;
  readonly store: ServiceStore;
  readonly registry: Registry;
  readonly host: Host;
  readonly auth: Authenticator;
  /** The job that makes a call for a caller who would rather poll than wait. */
  readonly deferred: JobDefinition<CallInput, CallAnswer>;
  readonly worlds: Worlds;
  readonly limits: Limits;
  /** What begins by itself, by the clock. */
  readonly schedules: Ticker;
  readonly log: Log;
  /** Unix seconds. */
  readonly now: () => number;
  readonly id: (prefix: string) => string;
  /** What a model is told of the tool server when it connects. */
  readonly instructions: string;
  /** Where callers reach the service, no slash at the end; undefined before it listens. */
  address(): string | undefined;
  /** Told by the host once it listens; a public address that was set goes before it. */
  listensAt(url: string): void;
  /** Where a browser on this machine reaches it over loopback; undefined where it listens elsewhere alone. */
  loopbackAddress(): string | undefined;
  /** Takes up jobs, those that an earlier process left behind first. */
  begin(): void;
  /** Puts running jobs back, lets go of worlds and closes the store. */
  close(): Promise<void>;
}

/** What a service is composed of. */
export interface ServiceOptions {
  readonly config: Config;
  /** Unix seconds; the machine's clock when absent. */
  readonly now?: () => number;
  readonly log?: Log;
  /** What is served; everything when absent. */
  readonly chapters?: readonly Chapter[];
  /** Whether it looks by itself for what is scheduled; yes when absent. */
  readonly ticks?: boolean;
  /** Where heavy work is done, asked for at its first use and ended with the service; threads of its own when absent. */
  readonly pool?: () => Promise<ComputePool>;
  /** Whether the launcher of agents is forked before a first trial asks for it; yes when absent. */
  readonly forksEarly?: boolean;
}

/** What a service that is given no pool computes with; tests that run `svc` in their own process put theirs here. */
export const threads = {
  create: async (): Promise<ComputePool> => (await import("../jobs/pool.ts")).createComputePool(),
};

/** Composes the service over the configured store. The data folder is made with mode 0700 where it is not there. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { config } = options;
  const now = options.now ?? (() => Date.now() / 1000);
  const log = options.log ?? createLog(config.logLevel);
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  closeToOthers(config.dataDir, log);
  await refuseWithoutSandbox(config);
  const registry = new Registry(options.chapters ?? everyChapter);
  const next = monotonicFactory();
  const id = (prefix: string) => `${prefix}_${next(now() * 1000).toLowerCase()}`;
  const models = createModels(config.models);
  const place = config.databaseUrl ? { url: config.databaseUrl } : { path: join(config.dataDir, "store.db") };
  const store = await openWithRetries(
    () => openStore(place, { vacuum: vacuumInThread, warn: (sentence) => log.warn({}, sentence) }),
    log,
  );
  const keys = await workspaceKeys(config, store).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const { sealer } = keys;
  const sources = sourceVendor(config.sources, { privateAllowed: config.privateAddressesAllowed, now });
  const vendors = {
    chat: chatVendor(config.chat),
    mail: mailVendor(config.mail),
    mirror: mirrorVendor(config.mirror),
    sources,
    obsWrite: obsWriteVendor(config.sources.obs, sources.ask),
    datasets: datasetVendor(sources.ask, traceStoreAt(config.sources.traceStoreUrl)),
    traces: traceVendor(sources.ask, config.sources),
    vcs: vcsVendor(config.vcsApp, config.sources.vcsApiUrl),
  };
  // A client waits for the first answer: what that answer does not need is loaded when it is needed.
  const pool = lazy(options.pool ?? threads.create);
  const launcher = lazy(async () => (await import("../agents/launcher.ts")).createLauncher(config));
  const compute: Compute = {
    run: async (task, input, signal, told) => (await pool.get()).run(task, input, signal, told),
  };
  const agents: AgentLauncher = {
    run: async (target, brief, signal) => (await launcher.get()).run(target, brief, signal),
    withServer: async (server, use, signal) => (await launcher.get()).withServer(server, use, signal),
  };
  const repositories = createRepositories(config, compute);
  const program = benchProgram();
  const limits = new Limits(config.databaseUrl === undefined ? memoryMeter() : sharedMeter(store, now), config);
  if (config.databaseUrl !== undefined && config.key === undefined)
    log.warn(
      {},
      "The sealing key is a file of this data folder: set SVC_KEY, the same for every server of the database.",
    );
  let listening: string | undefined;
  let forking: NodeJS.Timeout | undefined;
  let leftover: NodeJS.Timeout | undefined;
  const address = () => config.publicUrl ?? listening;
  const worlds = worldsOf(store, { now, log, address, shared: config.databaseUrl !== undefined });

  const base = (caller: Caller, request: Pick<CallRequest, "signal" | "progress" | "body">): BaseCtx => ({
    caller,
    now,
    id,
    log,
    signal: request.signal,
    body: request.body,
    settings: settingsOf(config, address()),
    progress: request.progress ?? (() => {}),
  });
  const orgCtx: Host["orgCtx"] = (caller, org, request): Ctx => ({
    ...base(caller, request),
    org,
    store: store.forOrg(org.id),
    jobs: jobs.forOrg(org, caller.name),
    compute,
    worlds: worlds.forOrg(org.id),
    limits: UNLIMITED,
    agents,
    repositories,
    benchProgram: program,
    sealer,
    vendors,
    lifecycle: removals.forOrg(org.id),
    models,
    tools: readTools(registry, () => host, caller, org),
    account: { job: null, kind: "call" },
  });
  /** What a caller asks for is counted; what the service does by itself is not. */
  const limitedCtx: Host["orgCtx"] = (caller, org, request) => {
    const ctx = orgCtx(caller, org, request);
    const start: Jobs["start"] = async (...given) => {
      await limits.job(org.id);
      return ctx.jobs.start(...given);
    };
    return { ...ctx, jobs: { ...ctx.jobs, start }, limits: limits.forOrg(org.id) };
  };
  const inOrg = (org: OrgRow, caller: Caller, signal: AbortSignal, progress?: CallRequest["progress"]) =>
    orgCtx(
      caller,
      { id: org.id, tag: org.tag },
      { credential: { caller }, args: {}, signal, ...(progress ? { progress } : {}) },
    );
  const deferred = callJob({ registry, host: () => host, auth: () => auth });
  const definitions = [...jobDefinitions, deferred];
  const jobs = createJobs({
    store,
    definitions,
    now,
    id,
    log,
    ...(config.databaseUrl === undefined
      ? {}
      : { queue: sharedQueue({ url: config.databaseUrl, kinds: definitions.map(({ kind }) => kind), log }) }),
    // A shared database may have other servers; over the embedded one the folder's lock makes this process the only one.
    soleOwner: config.databaseUrl === undefined,
    context: inOrg,
    dailyBudget: async ({ org: orgId }) => {
      const org = await store.orgById(orgId);
      if (!org) return 0;
      const { usd_per_day } = await budgetToday(inOrg(org, SYSTEM, AbortSignal.abort()));
      return Math.round(usd_per_day * 1_000_000);
    },
  });
  const schedules = createTicker({
    store,
    context: (org) => inOrg(org, SCHEDULER, AbortSignal.timeout(TICK_MS)),
    log,
    ...(config.databaseUrl === undefined ? {} : { turns: { owner: id("own"), now, seconds: 2 * (TICK_MS / 1000) } }),
  });
  const removals = removalsOf(store, jobs, { now, log });
  const oauth = config.oauth && new OAuthResource(config.oauth, store, address);
  const auth = new Authenticator(store, config.operatorToken, now, log, oauth);
  const host: Host = {
    authenticate: (token) => auth.caller(token),
    orgByTag: (tag) => store.orgByTag(tag),
    orgOf: (kind, record) => holder(store, kind, record),
    orgCtx: limitedCtx,
    serviceCtx: (caller, request) => ({
      ...base(caller, request),
      service: store,
      keys,
      inOrg: (org) => orgCtx(caller, org, request),
    }),
  };
  return {
    config,
    store,
    registry,
    auth,
    deferred,
    worlds,
    limits,
    schedules,
    log,
    now,
    id,
    instructions: instructionsFor(registry),
    host,
    address,
    listensAt: (url) => {
      listening = url;
    },
    loopbackAddress: () => (listening !== undefined && isLoopback(new URL(listening).hostname) ? listening : undefined),
    begin() {
      if (!config.roles.work) return;
      if (options.forksEarly !== false)
        forking = setTimeout(async () => (await launcher.get()).start(), FORK_AFTER_MS).unref();
      jobs.begin();
      if (options.ticks !== false) schedules.begin();
      const failed = (err: unknown) => log.error({ err }, "an org's removal could not be finished");
      let removing = removals.resume().catch(failed);
      // One at a time, however long it takes.
      leftover = setInterval(() => {
        removing = removing.then(() => removals.finishAbandoned()).catch(failed);
      }, LEFTOVER_MS).unref();
    },
    async close() {
      clearTimeout(forking);
      clearInterval(leftover);
      await schedules.close();
      await jobs.close();
      await (await launcher.made())?.close();
      await (await pool.made())?.close();
      await sources.close();
      await store.close();
    },
  };
}

/** Files that hold the workspace, as a copy from elsewhere may have brought them: nobody but the service's user reads them. */
function closeToOthers(dataDir: string, log: Log): void {
  if (process.platform === "win32") return;
  for (const name of ["key", "owner.secret", "operator-token", "store.db", "store.db-wal", "store.db-shm"]) {
    const path = join(dataDir, name);
    const mode = statSync(path, { throwIfNoEntry: false })?.mode;
    if (mode === undefined || (mode & 0o077) === 0) continue;
    chmodSync(path, 0o600);
    log.warn({ file: name }, "a file of the data folder was open to other people of this machine; it no longer is");
  }
}

/** Where agents must be kept apart, a machine that cannot is told of at the start, and not by every trial. */
async function refuseWithoutSandbox({ isolation, commandsAllowed, roles, dataDir }: Config): Promise<void> {
  if (isolation.mode !== "bubblewrap" || !commandsAllowed || !roles.work) return;
  const { whyNoSandbox } = await import("../agents/isolation/sandbox.ts");
  const why = await whyNoSandbox(isolation, dataDir);
  if (why !== undefined)
    throw new ConfigError(`SVC_ISOLATION is bubblewrap, and this machine cannot: ${why} Or set SVC_ISOLATION=auto.`);
}

/** The launcher of agents is forked early, while this process is small, and yet after the first answer, which a client waits for. */
const FORK_AFTER_MS = 1_000;

/** How often removals that nobody finishes any more are looked for. */
const LEFTOVER_MS = 600_000;

/** Who starts what a schedule starts, and how long one org's schedules may take to start it. */
const SCHEDULER: Caller = { kind: "operator", name: "schedule", scope: "admin" };
const TICK_MS = 60_000;

/** Who the service itself is when it reads an org's settings. */
const SYSTEM: Caller = { kind: "operator", name: "service", scope: "admin" };

function settingsOf(config: Config, publicUrl: string | undefined): Settings {
  const { commandsAllowed, privateAddressesAllowed, defaultUsdPerDay, mirror, tokenDays } = config;
  return {
    publicUrl,
    commandsAllowed,
    privateAddressesAllowed,
    defaultUsdPerDay,
    ...(config.usdPerDaySet ? { usdPerDayFrom: "SVC_USD_PER_DAY" } : {}),
    ...(tokenDays === undefined ? {} : { tokenDays }),
    mirrorFrom: mirror.from,
  };
}

async function holder(store: ServiceStore, kind: string, record: string): Promise<OrgRow | undefined> {
  const org =
    kind === "job"
      ? await store.orgOfJob(record)
      : kind === "token"
        ? await store.orgOfToken(record)
        : await store.orgOfRecord(kind, record);
  return org === undefined ? undefined : store.orgById(org);
}
