import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runSvc, svc } from "../../helpers/process.ts";
import { asSuperuser, type Cluster, startPostgres } from "../../helpers/stores/postgres.ts";
import { fullStore } from "../../store/transfer-kit.ts";

let cluster: Cluster;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-cli-pg-"));
  cluster = await startPostgres();
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Finding {
  readonly what: string;
  readonly state: string;
  readonly says: string;
  readonly next?: string;
}
const doctor = async (url: string) => {
  const env = { SVC_DATA_DIR: join(folder, "doctor"), SVC_DATABASE_URL: url, SVC_PORT: "0" };
  const { code, stdout } = await runSvc(["doctor", "--json"], env);
  const { well, findings } = JSON.parse(stdout) as { well: boolean; findings: Finding[] };
  const of = (what: string) => findings.filter((finding) => finding.what === what);
  return { code, well, stdout, of };
};

it("doctor reads a live database: empty, made, above its guards, of a newer version, and not there", async () => {
  const url = await cluster.database();
  const empty = await doctor(url);
  expect([empty.code, empty.well]).toEqual([0, true]);
  expect(empty.of("database")).toMatchObject([
    { state: "ok", says: expect.stringMatching(/^PostgreSQL \d+.*tables will be made/) },
  ]);
  expect(empty.of("row guards")).toMatchObject([{ state: "ok", says: "they hold the role app" }]);
  expect(empty.of("clock")).toMatchObject([{ state: "ok", says: expect.stringContaining("the database") }]);
  // It changed nothing: the same is said again.
  expect((await doctor(url)).of("database")).toEqual(empty.of("database"));

  const made = await runSvc(["init", "--org", "acme"], { SVC_DATA_DIR: join(folder, "init"), SVC_DATABASE_URL: url });
  expect(made.code).toBe(0);
  const full = await doctor(url);
  expect(full.of("database")).toMatchObject([{ state: "ok", says: expect.stringMatching(/tables \d+$/) }]);

  const above = await doctor(asSuperuser(url));
  expect(above).toMatchObject({ code: 1, well: false });
  expect(above.of("row guards")).toMatchObject([{ state: "bad", says: expect.stringContaining("superuser") }]);

  const { default: pg } = await import("pg");
  const client = new pg.Client(url);
  await client.connect();
  await client.query("insert into migrations (version, name) values (9999, 'of a later release')");
  await client.end();
  const newer = await doctor(url);
  expect(newer).toMatchObject({ code: 1, well: false });
  expect(newer.of("database")).toMatchObject([{ state: "bad", says: expect.stringContaining("newer version") }]);

  const gone = await doctor(`${url}_that_is_not_there`);
  expect(gone.of("database")).toMatchObject([{ state: "bad", says: "cannot be read (3D000)" }]);
  for (const { stdout } of [empty, full, above, newer, gone]) expect(stdout).not.toContain("postgres://");
});

it("migrate and worker print one JSON value, and what is said to a person goes to standard error", async () => {
  const source = join(folder, "source");
  const url = await cluster.database();
  mkdirSync(source);
  await fullStore(join(source, "store.db"), 3);
  const copied = await runSvc(["migrate", "--from", source, "--to", url, "--json"], {});
  expect(copied.code, copied.stderr).toBe(0);
  const { tables } = JSON.parse(copied.stdout) as { tables: { table: string; rows: number; digest: string }[] };
  expect(tables.length).toBeGreaterThan(5);
  expect(tables.find(({ table }) => table === "orgs")).toMatchObject({ digest: expect.stringMatching(/\S{8,}/) });
  expect(copied.stderr).toContain("rows copied");
  const again = await runSvc(["migrate", "--from", source, "--to", url, "--json"], {});
  expect(again).toMatchObject({ code: 1, stdout: "" });

  const dataDir = join(folder, "worker");
  const child = svc(["worker", "--json"], { SVC_DATA_DIR: dataDir, SVC_DATABASE_URL: url, SVC_KEY: "a".repeat(64) });
  const out = await new Promise<string>((resolve, reject) => {
    let all = "";
    child.stdout.on("data", (chunk) => {
      all += chunk;
      if (all.endsWith("\n")) resolve(all);
    });
    child.once("exit", (code) => reject(new Error(`svc worker ended with ${code}`)));
  });
  expect(JSON.parse(out)).toEqual({ working: true, data_dir: dataDir });
  child.removeAllListeners("exit");
  child.kill("SIGTERM");
  expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(0);
});
