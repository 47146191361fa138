import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../../src/config.ts";
import { createService } from "../../../src/service/service.ts";
import { appOver, type TestApp } from "../app.ts";
import { startServe, svc } from "../process.ts";
import { type RoundRobin, startRoundRobin } from "../round-robin.ts";

/** What a process does: answers callers, or runs jobs. */
export type Role = "serve" | "work";

/** A process of the shared service. */
export interface Member {
  readonly role: Role;
  readonly dataDir: string;
  child: ChildProcess;
  /** Where a server answers; empty for a worker. */
  url: string;
}

/** Where a process runs, and the settings that are its own there. */
export interface Place {
  readonly within: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

/** Several servers and workers over one database, behind a balancer; `app` calls them through it. */
export interface SharedService {
  readonly app: TestApp;
  readonly balancer: RoundRobin;
  readonly members: readonly Member[];
  /** Ends a process at once and starts it anew. */
  kill(member: Member): Promise<void>;
}

/** Starts real `svc` processes over a database, each with a data folder of its own, one sealing key and the same settings for all. */
export async function startShared(
  databaseUrl: string,
  count = { servers: 3, workers: 2 },
  settings: Readonly<Record<string, string>> = {},
  places: readonly Place[] = [],
): Promise<SharedService> {
  const root = mkdtempSync(join(tmpdir(), "svc-shared-"));
  const balancer = await startRoundRobin();
  const operator = `svc_op_${randomBytes(32).toString("base64url")}`;
  const env = {
    SVC_DATABASE_URL: databaseUrl,
    SVC_KEY: randomBytes(32).toString("hex"),
    SVC_OPERATOR_TOKEN: operator,
    SVC_PUBLIC_URL: balancer.url,
    SVC_ALLOW_COMMANDS: "1",
    // What its agents read lies in temporary folders, which a shared workspace shows to no agent.
    SVC_ISOLATION: "none",
    SVC_ALLOW_PRIVATE_ADDRESSES: "1",
    SVC_CALLS_PER_MINUTE: "0",
    ...settings,
  };
  // Composed over the same store for what a test writes itself; it answers no one and runs no job.
  const config = readConfig({ ...env, SVC_DATA_DIR: join(root, "test"), SVC_LOG_LEVEL: "error" });
  const service = await createService({ config });
  const roles: Role[] = [...Array(count.servers).fill("serve"), ...Array(count.workers).fill("work")];
  const started = new Set<ChildProcess>();
  const begin = async (role: Role, dataDir: string, place?: Place): Promise<Member> => {
    const { child, url } =
      role === "serve"
        ? await startServe(dataDir, { ...env, SVC_ROLES: role, ...place?.settings }, place?.within)
        : { child: await startWorker(dataDir, env), url: "" };
    started.add(child);
    child.once("exit", () => started.delete(child));
    return { role, dataDir, child, url };
  };
  // A test that ran out of time leaves no process behind.
  process.once("exit", () => {
    for (const child of started) child.kill("SIGKILL");
  });
  const balance = () => {
    balancer.targets = members.flatMap(({ role, url }) => (role === "serve" ? [url] : []));
  };
  const members: Member[] = await Promise.all(
    roles.map((role, i) => begin(role, join(root, `${role}-${i}`), places[i])),
  );
  balance();
  let closed = false;
  const end = async ({ child }: Member, signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  };
  const app = appOver(service, { url: balancer.url, dataDir: config.dataDir, operator }, async () => {
    closed = true;
    await balancer.close();
    await Promise.all(members.map((member) => end(member, "SIGKILL")));
    await service.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    app,
    balancer,
    members,
    async kill(member) {
      await end(member, "SIGKILL");
      while (!closed) {
        // Whoever looks after a process starts it again where the database was away as it started.
        const anew = await begin(member.role, member.dataDir, places[members.indexOf(member)]).catch((error: Error) => {
          if (!error.message.includes("database cannot be reached")) throw error;
        });
        if (anew === undefined) continue;
        Object.assign(member, anew);
        return balance();
      }
    },
  };
}

/** `svc worker`, once it works. */
async function startWorker(dataDir: string, env: Record<string, string>): Promise<ChildProcess> {
  const child = svc(["worker"], { ...env, SVC_DATA_DIR: dataDir });
  await new Promise<void>((resolve, reject) => {
    let said = "";
    child.once("exit", (code) => reject(new Error(`svc worker ended with ${code}: ${said}`)));
    child.stderr.on("data", (chunk) => {
      said += chunk;
      if (said.includes("Working on")) resolve();
    });
  });
  return child;
}
