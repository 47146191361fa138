import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { brokenAt } from "../../store/audit-chain.ts";
import { openStore } from "../../store/open.ts";
import { Note } from "./contract/notes.ts";
import { everyPage } from "./contract/setup.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-kill-"));
const path = join(folder, "store.db");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the writer and kills it once it has printed so many lines; gives back the whole lines it printed. */
function writeAndDie(round: number, afterLines: number): Promise<string[]> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("./kill-child.ts", import.meta.url)), path, `${round}`]);
  return new Promise((resolve, reject) => {
    let out = "";
    let errors = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
      if (out.split("\n").length > afterLines) child.kill("SIGKILL");
    });
    child.stderr.on("data", (chunk) => {
      errors += chunk;
    });
    child.on("close", (_, signal) => {
      if (signal !== "SIGKILL") reject(new Error(`the writer ended by itself: ${errors}`));
      else resolve(out.split("\n").slice(0, -1));
    });
  });
}

describe("a store whose process is killed while it writes", () => {
  it("has every row that was answered, whole, each time", async () => {
    const acked: string[] = [];
    for (let round = 0; round < 4; round++) {
      const lines = await writeAndDie(round, 26 + Math.floor(Math.random() * 250));
      expect(lines.length).toBeGreaterThan(0);
      acked.push(...lines);

      const db = new Database(path);
      expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
      expect(db.pragma("foreign_key_check")).toEqual([]);
      db.close();

      const store = await openStore({ path });
      const { records, audit, journals } = store.forOrg("org_1");
      const of = (what: string) => acked.filter((line) => line.startsWith(`${what} `)).map((line) => line.split(" "));
      const ids = of("record").map(([, id = ""]) => id);
      expect((await records.getMany(Note, ids)).length).toBe(ids.length);
      const pairs = of("pair").map(([, both = ""]) => both.split(","));
      expect((await records.getMany(Note, pairs.flat())).length).toBe(pairs.length * 2);
      expect((await records.count(Note, { colour: "pair" })) % 2).toBe(0);
      const chain = await everyPage((page) => audit.list({ ...page, order: "oldest" }), 500);
      expect(brokenAt("org_1", chain)).toBeUndefined();
      expect(chain.length).toBeGreaterThanOrEqual(Math.max(0, ...of("audit").map(([, seq]) => Number(seq))));
      const world = `wl_${round}`;
      const last = of("journal").filter(([, name]) => name === world).length;
      const entries = await journals.read(world);
      expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, i) => i + 1));
      expect(entries.length).toBeGreaterThanOrEqual(last);
      await store.close();
    }
    expect(acked.length).toBeGreaterThan(100);
  });
});
