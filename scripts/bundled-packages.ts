import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package of another maker whose code is in the bundle. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
  /** What its makers ask to be passed on with it; empty where the package holds no such file. */
  readonly texts: readonly string[];
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

/** The packages that modules of these paths lie in, by name and version, each once. Throws where one names no licence. */
export function bundledPackages(modules: readonly string[]): BundledPackage[] {
  const found = new Map<string, BundledPackage>();
  for (const folder of new Set(modules.filter((path) => path.includes("/node_modules/")).map(rootOf))) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
    if (!name || !version || !license) throw new Error(`${folder} does not say its name, version and licence`);
    const texts = readdirSync(folder)
      .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), "utf8").trim());
    found.set(`${name}@${version}`, { name, version, license, texts });
  }
  return [...found.keys()].sort().map((key) => found.get(key) as BundledPackage);
}

/** The folder of the package that a module is in: the nearest whose manifest has a name and a version. */
function rootOf(path: string): string {
  for (
    let folder = dirname(path.replace(/^\0/, "").replace(/\?.*$/, ""));
    folder !== dirname(folder);
    folder = dirname(folder)
  ) {
    const manifest = join(folder, "package.json");
    if (!existsSync(manifest)) continue;
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8")) as Manifest;
    if (name && version) return folder;
  }
  throw new Error(`${path} is in no package`);
}

/** All their licences as one text, with each package's name above. */
export function licenseTexts(packages: readonly BundledPackage[]): string {
  return packages
    .map(({ name, version, license, texts }) => [`${name} ${version} (${license})`, ...texts].join("\n\n"))
    .join(`\n\n${"-".repeat(80)}\n\n`)
    .concat("\n");
}
