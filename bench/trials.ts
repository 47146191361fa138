import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { connectAgent } from "../chapters/automation/onboarding/connect-agent.ts";
import { startRun } from "../chapters/runs/start/start-run.ts";
import { whyNoSandbox } from "../src/agents/isolation/sandbox.ts";
import { DEFAULT_ISOLATION } from "../src/agents/isolation/settings.ts";
import type { Config } from "../src/config.ts";
import { readConfig } from "../src/config.ts";
import { createService, type Service } from "../src/service/service.ts";
import { createOrg } from "../src/service/workspace.ts";
import { ctxOf } from "../test/helpers/ctx.ts";
import { shopIn } from "../test/tools/runs/kit.ts";
import { against, type BenchLine } from "./harness.ts";

/** Reads its turn, answers nothing, ends. */
const NO_OP = ["/bin/sh", "-c", `read turn; echo '{"answer":""}'`];
const AT_ONCE = 64;
const TASKS = 16;
const TRIES = 32;
const TRIALS = TASKS * TRIES;
/** The clock of processes ticks each 10 ms: so many that a tick is a tenth of a millisecond. */
const SPAWNS = 100;

/** Trials per second of an agent that does nothing, 64 at once, against bare spawns of it; and what scheduling costs. */
export async function bench(): Promise<BenchLine[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-trials-"));
  const config: Config & { commands: number } = {
    ...readConfig({ SVC_DATA_DIR: dataDir, SVC_LOG_LEVEL: "error" }),
    commands: AT_ONCE,
  };
  const service = await createService({ config });
  service.listensAt("http://127.0.0.1:1");
  service.begin();
  try {
    const bare = await bareSpawns();
    const { seconds, own, launcher } = await run(service);
    return [
      against(`trials, no-op command, ${AT_ONCE} at once`, TRIALS / seconds, "trials/s", {
        name: "bare spawns",
        value: bare,
      }),
      ...(await sandboxes()),
      { name: "processor time a trial, service", value: (1000 * own) / TRIALS, unit: "ms" },
      { name: "processor time a trial, launcher process", value: (1000 * launcher) / TRIALS, unit: "ms" },
    ];
  } finally {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * Processor time of one trial that calls its world once, all its processes and the launcher's part: in a sandbox
 * behind the relay, and bare.
 */
async function sandboxes(): Promise<BenchLine[]> {
  const closed = await whyNoSandbox(DEFAULT_ISOLATION, join(tmpdir(), "bench"));
  if (closed !== undefined) return [{ name: `no sandbox here: ${closed}`, value: 0, unit: "ms" }];
  const bare = trialTime("bare");
  const boxed = trialTime("boxed");
  return [
    against("processor time of a trial in a sandbox behind its relay", boxed, "ms", {
      name: "bare spawn",
      value: bare,
    }),
    { name: "processor time of a sandbox and its relay", value: boxed - bare, unit: "ms" },
  ];
}

/** Milliseconds of processor time of one trial: of so many, less those of none. */
function trialTime(how: "bare" | "boxed"): number {
  return (usedBy(how, SPAWNS) - usedBy(how, 0)) / SPAWNS;
}

const APART = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
const TRIALS_ALONE = fileURLToPath(new URL("./sandbox-trials.ts", import.meta.url));

/** Milliseconds of processor time of all processes of a namespace in which so many trials are played. */
function usedBy(how: string, trials: number): number {
  const used = () => {
    const stat = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
    return stat.slice(13, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
  };
  const before = used();
  execFileSync("unshare", [...APART, process.execPath, TRIALS_ALONE, how, String(trials)]);
  return used() - before;
}

async function run(service: Service): Promise<{ seconds: number; own: number; launcher: number }> {
  const org = await createOrg(service, "bench");
  const ctx = ctxOf(service, org);
  const { environment } = await shopIn(service, org.id, TASKS);
  const { agent } = await connectAgent(ctx, { kind: "command", name: "no-op", command: NO_OP });
  const [cpu, started, before] = [process.cpuUsage(), performance.now(), launcherSeconds()];
  const { body } = await startRun(ctx, { agent: agent.id, environment, trials: TRIES });
  for (;;) {
    const job = await ctx.store.jobs.get(body.job);
    if (job?.ended_at != null) break;
    await sleep(20);
  }
  const used = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - started) / 1000,
    own: (used.user + used.system) / 1e6,
    launcher: launcherSeconds() - before,
  };
}

/** Processor seconds that this process's launcher has used itself; 0 where /proc does not tell. */
function launcherSeconds(): number {
  try {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!line.includes("launcher-process")) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      if (Number(stat[1]) === process.pid) return (Number(stat[11]) + Number(stat[12])) / 100;
    }
  } catch {
    // A process went while it was looked at, or there is no /proc.
  }
  return 0;
}

/** How many of the same processes a second start and end, as many at once, spoken to by nobody. */
async function bareSpawns(): Promise<number> {
  const started = performance.now();
  let left = TRIALS;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        await new Promise<void>((resolve) => {
          const child = spawn(NO_OP[0] ?? "", NO_OP.slice(1), { stdio: ["pipe", "pipe", "ignore"] });
          child.stdin.end("{}\n");
          child.stdout.resume();
          child.once("close", () => resolve());
        });
      }
    }),
  );
  return TRIALS / ((performance.now() - started) / 1000);
}
