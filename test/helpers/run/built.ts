import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { remembered } from "./compute.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache");
const DAY_MS = 86_400_000;

/** What the package is made of. */
const SOURCES = ["{bin,chapters,docs,scripts,src,store,tools,worlds}/**", "package.json", "package-lock.json"];

/**
 * `bin/svc.js` of the package that the sources of now make. A process of it starts with a third of the work of one that
 * reads the sources. Kept for later runs by the digest of what it was made of.
 */
export function builtSvc(): Promise<string> {
  return remembered("built svc", undefined, () => {
    const folder = join(CACHE, `svc-${digest()}`);
    if (!existsSync(folder)) build(folder);
    return join(folder, "bin/svc.js");
  });
}

function digest(): string {
  const all = createHash("sha256");
  const paths = globSync(SOURCES, { cwd: ROOT }).sort();
  for (const path of paths)
    if (statSync(join(ROOT, path)).isFile()) all.update(`${path}\n`).update(readFileSync(join(ROOT, path)));
  return all.digest("hex").slice(0, 16);
}

function build(folder: string): void {
  // Another run may use what is younger.
  for (const old of globSync("svc-*", { cwd: CACHE }))
    if (Date.now() - statSync(join(CACHE, old)).mtimeMs > DAY_MS) rmSync(join(CACHE, old), { recursive: true });
  const part = `${folder}.${process.pid}`;
  execFileSync(process.execPath, [join(ROOT, "scripts/build.ts"), join(part, "dist")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  for (const path of ["bin", "package.json"]) cpSync(join(ROOT, path), join(part, path), { recursive: true });
  try {
    renameSync(part, folder);
  } catch (error) {
    // Another run built the same meanwhile.
    if (!existsSync(folder)) throw error;
    rmSync(part, { recursive: true });
  }
}
