import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { openStore } from "../../store/open.ts";
import { fillEveryTable } from "./contract/filled.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-removal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program on a store and kills it so many milliseconds after it said its first word, or lets it end; the last thing it said. */
function runAndDie(program: string, path: string, afterMs: number | "end"): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url)), path]);
  return new Promise((resolve) => {
    let out = "";
    child.stdout.on("data", (chunk) => {
      if (out === "" && afterMs !== "end") setTimeout(() => child.kill("SIGKILL"), afterMs);
      out += chunk;
    });
    child.on("close", () => resolve(out.trim().split("\n").at(-1) ?? ""));
  });
}

describe("a removal that is killed", () => {
  it("has not begun, or is finished by the next process with nothing of the org left", async () => {
    const whole = join(folder, "whole");
    const first = await openStore({ path: join(whole, "store.db") });
    for (const [id, mark] of [
      ["org_gone", "plantedmarker"],
      ["org_stays", "stays"],
    ] as const) {
      await first.createOrg({ id, tag: mark, created_at: 1 });
      await fillEveryTable(first.forOrg(id), mark, 100);
    }
    const counted = await first.removal.count("org_gone");
    const stays = await first.removal.count("org_stays");
    await first.close();
    const ends = new Set<string>();
    for (const afterMs of [0, 3, 8, 15, 30, 60, 120, "end"] as const) {
      const data = join(folder, `killed-${afterMs}`);
      cpSync(whole, data, { recursive: true });
      const path = join(data, "store.db");
      const said = await runAndDie("./removal-child.ts", path, afterMs);
      ends.add(said);
      const db = new Database(path);
      expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
      db.close();
      const store = await openStore({ path });
      const begun = await store.removal.begun();
      if (await store.orgByTag("plantedmarker")) {
        expect(begun).toEqual([]);
        expect(said).toBe("open");
        expect(await store.removal.count("org_gone")).toEqual(counted);
        await store.close();
        continue;
      }
      for (const org of begun) await store.removal.finish(org, 3);
      if (await store.removal.vacuumDue()) await store.removal.vacuum();
      expect(Object.values(await store.removal.count("org_gone")).every((rows) => rows === 0)).toBe(true);
      expect(await store.removal.count("org_stays")).toEqual(stays);
      // Read while the store is open: its log is there, and empty of it too.
      for (const file of readdirSync(data)) {
        const bytes = readFileSync(join(data, file));
        expect(bytes.includes("plantedmarker"), `${file} after ${afterMs} ms (${said})`).toBe(false);
        expect(bytes.includes("org_gone"), `${file} after ${afterMs} ms (${said})`).toBe(false);
      }
      await store.close();
    }
    expect(ends.has("scrubbed")).toBe(true);
    expect(ends.size).toBeGreaterThan(1);
  });
});

describe("a renaming that is killed", () => {
  it("has moved the org and written its line, or neither", async () => {
    for (const afterMs of [0, 7, 40]) {
      const path = join(folder, `renamed-${afterMs}`, "store.db");
      const done = Number(await runAndDie("./rename-child.ts", path, afterMs));
      const store = await openStore({ path });
      const tag = (await store.orgById("org_moves"))?.tag;
      const { audit } = store.forOrg("org_moves");
      const [last] = (await audit.list({ limit: 1 })).items;
      expect(last?.seq).toBeGreaterThanOrEqual(done);
      expect(tag).toBe(`tag-${last?.seq}`);
      expect(last?.fields).toEqual({ to: tag });
      expect(await audit.verify()).toEqual({ lines: last?.seq });
      await store.close();
    }
  });
});
