import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import { zipSync } from "fflate";
import { version } from "../src/version.ts";
import { migrations } from "../store/sqlite/migrations.ts";
import { invoker, startApp } from "../test/helpers/app.ts";
import { startPostgres } from "../test/helpers/stores/postgres.ts";
import { FILES, fill, reviews, said, WRITTEN, type WrittenStore } from "../test/helpers/stores/written-store.ts";
import { ENGINE } from "../worlds/tasks/grading/certificate.ts";

/** The agent that the stored runs were played by, on the PATH under its name. */
function installAgent(root: string): void {
  const folder = join(root, "bin");
  mkdirSync(folder);
  const agent = fileURLToPath(new URL("../worlds/samples/desk/agent.ts", import.meta.url));
  writeFileSync(join(folder, "desk-agent"), `#!/bin/sh\nexec "${process.execPath}" "${agent}" "$@"\n`);
  chmodSync(join(folder, "desk-agent"), 0o755);
  process.env.PATH = `${folder}:${process.env.PATH ?? ""}`;
}

/** A filled store, and what it says once it was opened anew. */
async function written(dataDir: string, databaseUrl: string | undefined): Promise<WrittenStore> {
  const key = randomBytes(32);
  const config = databaseUrl === undefined ? {} : { databaseUrl, key };
  const app = await startApp({ dataDir, config: { ...config, commandsAllowed: true } });
  try {
    const org = await app.org();
    const invoke = invoker(app, "rest", org);
    const ids = await fill(invoke);
    const answers = await said(invoke, ids);
    return {
      tables: migrations.length,
      key: key.toString("hex"),
      token: org.admin,
      ids,
      said: answers,
      engine: ENGINE,
      reviews: await reviews(app.service.store.forOrg(org.id), ids),
    };
  } finally {
    await app.close();
  }
}

/** The files of a data folder whose service has ended, the database without its free pages. */
function packed(dataDir: string): Uint8Array {
  const db = new Database(join(dataDir, "store.db"));
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.exec("vacuum");
  db.close();
  const files = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile());
  return zipSync(Object.fromEntries(files.map(({ name }) => [name, readFileSync(join(dataDir, name))])), { level: 9 });
}

/**
 * `node scripts/written-store.ts NAME`: writes test/store/written/NAME, a data folder and a PostgreSQL dump as this
 * version writes them, with what they answer. Made before a release, never made anew: every later version opens them.
 * Needs Debian's postgresql. The dump is pg_dump's own, as the operator's guide has it, with a row an INSERT, so that any
 * client loads it.
 */
async function main(name: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "written-store-"));
  chmodSync(root, 0o777);
  const cluster = await startPostgres();
  try {
    installAgent(root);
    const dataDir = join(root, "data");
    mkdirSync(dataDir);
    const sqlite = await written(dataDir, undefined);
    const url = await cluster.database();
    const besides = join(root, "besides");
    mkdirSync(besides);
    const postgres = await written(besides, url);
    const file = join(root, "dump.sql");
    const superuser = url.replace("://app@", "://svc@");
    await cluster.tool("pg_dump", "--inserts", "--no-owner", "--no-privileges", "--file", file, superuser);
    // What only psql understands.
    const dump = readFileSync(file, "utf8").replaceAll(/^\\(?:un)?restrict .*\n/gm, "");
    const folder = fileURLToPath(new URL(`${name}/`, WRITTEN));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, FILES.folder), packed(dataDir));
    writeFileSync(join(folder, FILES.dump), gzipSync(dump, { level: 9 }));
    writeFileSync(join(folder, FILES.known), `${JSON.stringify({ version, sqlite, postgres }, undefined, 1)}\n`);
  } finally {
    await cluster.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

const [name] = process.argv.slice(2);
if (name === undefined || !/^[\w.-]+$/.test(name)) throw new Error("NAME is asked for, such as 0.1.0");
await main(name);
