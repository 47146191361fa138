import { execFile } from "node:child_process";
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import type { Machine } from "./network.ts";

const exec = promisify(execFile);
const INSTALLED = "/usr/lib/postgresql";

/** A PostgreSQL server of its own on loopback, in a folder that goes when it stops. */
export interface Cluster {
  /** Makes an empty database and answers its URL. */
  database(): Promise<string>;
  /** Ends every connection of every database at once, as a failing network does. */
  cutConnections(): Promise<void>;
  /** Runs one of PostgreSQL's own programs (`pg_dump`, `psql`, …), in the server's folder. */
  tool(name: string, ...args: string[]): Promise<unknown>;
  /** Starts it anew, its files no longer in memory: neither its own nor the system's. Connections end. */
  restartCold(): Promise<void>;
  /** What it has logged. */
  readonly log: string;
  stop(): Promise<void>;
}

/** The URL of a database for the server's own superuser, whom no row is hidden from. */
export function asSuperuser(url: string): string {
  return url.replace("://app@", "://svc@");
}

/** Starts Debian's newest PostgreSQL, on a machine of its own if one is given. Fails with what to install where there is none. */
export async function startPostgres(machine?: Machine, own: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const bin = newestBin();
  const folder = mkdtempSync(join(tmpdir(), "svc-postgres-"));
  const data = join(folder, "data");
  const host = machine?.back ?? "127.0.0.1";
  const asServer = await unprivileged(folder, machine?.within);
  const port = await freePort();
  await asServer(join(bin, "initdb"), ["-D", data, "-U", "svc", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"]);
  if (machine) appendFileSync(join(data, "pg_hba.conf"), "host all all samenet trust\n");
  const more = Object.entries(own).map(([name, value]) => ` -c ${name}=${value}`);
  const settings = `-c listen_addresses=${host} -c port=${port} -c unix_socket_directories=${folder} -c max_connections=100 -c fsync=off -c synchronous_commit=off${more.join("")}`;
  const log = join(folder, "log");
  const start = () =>
    asServer(join(bin, "pg_ctl"), ["-D", data, "-w", "-t", "300", "-l", log, "-o", settings, "start"]);
  await start();
  const url = (name: string, user = "svc") => `postgres://${user}@${host}:${port}/${name}`;
  // As a service should connect: the owner of its database and nothing more.
  await query(url("postgres"), "create role app login");
  let made = 0;
  return {
    async database() {
      made += 1;
      await query(url("postgres"), `create database store_${made} owner app`);
      return url(`store_${made}`, "app");
    },
    async cutConnections() {
      await query(
        url("postgres"),
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'",
      );
    },
    log,
    async restartCold() {
      await asServer(join(bin, "pg_ctl"), ["-D", data, "-m", "fast", "-w", "-t", "300", "stop"]);
      for (const file of readdirSync(join(data, "base"), { recursive: true, encoding: "utf8" }))
        await forget(join(data, "base", file));
      await start();
    },
    tool: (name, ...args) => asServer(join(bin, name), args),
    async stop() {
      await asServer(join(bin, "pg_ctl"), ["-D", data, "-m", "immediate", "-w", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Takes a file that is not small out of the system's memory. */
async function forget(file: string): Promise<void> {
  const { size } = statSync(file);
  if (size < 1 << 20 || statSync(file).isDirectory()) return;
  await exec("dd", [`of=${file}`, "oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none", "if=/dev/null"]);
}

function newestBin(): string {
  let versions: string[] = [];
  try {
    versions = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a));
  } catch {
    // Told below.
  }
  const newest = versions[0];
  if (newest === undefined) throw new Error(`PostgreSQL is not under ${INSTALLED}: apt-get install postgresql`);
  return join(INSTALLED, newest, "bin");
}

/** PostgreSQL refuses to run as root: then its commands run as the user that Debian's package makes. */
async function unprivileged(
  folder: string,
  within: readonly string[] = [],
): Promise<(file: string, args: string[]) => Promise<unknown>> {
  const options = { cwd: folder, env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" } };
  if (userInfo().uid !== 0) return (file, args) => exec(file, args, options);
  chmodSync(folder, 0o711);
  await exec("chown", ["postgres", folder]);
  return (file, args) => {
    const [first = "", ...rest] = [...within, "runuser", "-u", "postgres", "--", file, ...args];
    return exec(first, rest, options);
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
