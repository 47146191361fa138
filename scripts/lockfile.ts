import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** What is read of an entry of package-lock.json. */
interface Entry {
  name?: string;
  version?: string;
  integrity?: string;
  gypfile?: boolean;
  link?: boolean;
  inBundle?: boolean;
  optionalDependencies?: Record<string, string>;
}

/** What npm leaves out of an entry when it writes the file. */
interface Lack {
  /** The entry's key: the package's place under the project. */
  readonly place: string;
  readonly field: "gypfile" | "integrity";
}

/** The packages of other platforms that an entry names and that have no entry: a machine of that platform would go without. */
function absent(entries: Record<string, Entry>): string[] {
  return Object.entries(entries).flatMap(([place, { optionalDependencies = {} }]) => {
    // Where Node looks for a package from here: in the folder's own node_modules, then in those around it.
    const parts = place === "" ? [] : place.split(/\/?node_modules\//).slice(1);
    const around = [...parts, ""].map((_, n) => ["", ...parts.slice(0, n)].join("/node_modules/").slice(1));
    const found = (name: string) => around.some((from) => `${from}${from && "/"}node_modules/${name}` in entries);
    return Object.keys(optionalDependencies)
      .filter((name) => !found(name))
      .map((name) => `${place} names ${name}, which has no entry: take a version whose packages can all be had`);
  });
}

/**
 * The entries that lack what an install needs. `gypfile: false` says that a package with a binding.gyp ships its binary; npm reads it from
 * the lockfile alone, and compiles where it is absent. `integrity` is dropped for packages of other platforms.
 */
function lacking(root: string, entries: Record<string, Entry>): Lack[] {
  return Object.entries(entries).flatMap(([place, entry]): Lack[] => {
    if (place === "" || entry.link) return [];
    const manifest = join(root, place, "package.json");
    const ships = existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).gypfile === false;
    return [
      ...(ships && entry.gypfile !== false ? [{ place, field: "gypfile" } as const] : []),
      ...(!entry.integrity && !entry.inBundle ? [{ place, field: "integrity" } as const] : []),
    ];
  });
}

/** A published package's digest, asked of npm. Throws where the registry has no such version. */
async function integrityOf(place: string, { name, version }: Entry): Promise<string> {
  const spec = `${name ?? place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`;
  const { stdout } = await promisify(execFile)("npm", ["view", spec, "dist.integrity"]);
  const integrity = stdout.trim();
  if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)) throw new Error(`the registry names no digest of ${spec}`);
  return integrity;
}

/** `node scripts/lockfile.ts [--check] [FOLDER]`: fills in what the lockfile lacks, or with `--check` names it and fails. */
async function main(check: boolean, root: string): Promise<void> {
  if (!existsSync(join(root, "node_modules"))) throw new Error("nothing is installed: run npm ci first");
  const path = join(root, "package-lock.json");
  const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, Entry> };
  const lacks = lacking(root, lock.packages);
  for (const lack of absent(lock.packages)) {
    console.error(`package-lock.json: ${lack}.`);
    process.exitCode = 1;
  }
  for (const { place, field } of lacks) {
    if (check) {
      console.error(`package-lock.json has no ${field} for ${place}; run npm run lockfile.`);
      process.exitCode = 1;
      continue;
    }
    const entry = lock.packages[place] as Entry;
    if (field === "gypfile") entry.gypfile = false;
    // Before the other fields, where npm writes it.
    else
      lock.packages[place] = { version: entry.version, integrity: await integrityOf(place, entry), ...entry } as Entry;
    console.log(`${place}: ${field}`);
  }
  if (!check && lacks.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
}

const [folder = "."] = process.argv.slice(2).filter((word) => word !== "--check");
await main(process.argv.includes("--check"), folder);
