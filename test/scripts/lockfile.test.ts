import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ROOT } from "../helpers/doc-blocks.ts";

interface Entry {
  gypfile?: boolean;
  integrity?: string;
  os?: string[];
}

const folder = mkdtempSync(join(tmpdir(), "svc-lockfile-"));
symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "package-lock.json");
const script = (...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/lockfile.ts"), ...args], {
    encoding: "utf8",
  });
  return { status, stderr };
};

/** The project's lockfile after a change to it. */
function changed(change: (entries: Record<string, Entry>) => void): string {
  const text = readFileSync(join(ROOT, "package-lock.json"), "utf8");
  const lock = JSON.parse(text) as { packages: Record<string, Entry> };
  change(lock.packages);
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  return text;
}

// Finding S11.
it("the lockfile says which packages ship their binary, and has every platform's packages with their digests", () => {
  expect(script("--check", ROOT)).toEqual({ status: 0, stderr: "" });
});

it("fails where npm left out that a package ships its binary, and writes it back", () => {
  const text = changed((entries) => delete entries["node_modules/better-sqlite3"]?.gypfile);
  expect(script("--check", folder)).toEqual({
    status: 1,
    stderr: "package-lock.json has no gypfile for node_modules/better-sqlite3; run npm run lockfile.\n",
  });
  expect(script(folder)).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(JSON.parse(text));
});

it("fails where a package of another platform has no digest, or no entry", () => {
  const other = "node_modules/@oxc-parser/binding-win32-x64-msvc";
  changed((entries) => delete entries[other]?.integrity);
  expect(script("--check", folder)).toEqual({
    status: 1,
    stderr: `package-lock.json has no integrity for ${other}; run npm run lockfile.\n`,
  });
  changed((entries) => delete entries[other]);
  const { status, stderr } = script("--check", folder);
  expect(status).toBe(1);
  expect(stderr).toContain("node_modules/oxc-parser names @oxc-parser/binding-win32-x64-msvc, which has no entry");
});
