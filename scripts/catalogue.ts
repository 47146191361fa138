import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { chapters } from "../tools/index.ts";
import { catalogueMarkdown, type Planned, progressLines, wireContract } from "../tools/kernel/catalogue.ts";
import { Registry } from "../tools/kernel/registry.ts";

/** The written files: path under the project, and what must stand in it. */
export function written(registry: Registry, planned: Planned): Map<string, string> {
  const files = new Map([["tools/CATALOGUE.md", catalogueMarkdown(registry, planned)]]);
  for (const { name } of registry.chapters) files.set(`test/contract/${name}.json`, wireContract(registry, name));
  return files;
}

/** How many operations the contract names, by chapter. */
export function plannedCounts(): Planned {
  const contract = JSON.parse(readFileSync(new URL("../test/contract/operations.json", import.meta.url), "utf8")) as {
    chapter: string;
  }[];
  const counts: Record<string, number> = {};
  for (const { chapter } of contract) counts[chapter] = (counts[chapter] ?? 0) + 1;
  return counts;
}

/** Prints how much of the contract stands; writes the catalogue and the wire contracts, or with `--check` fails where they differ. */
function main(check: boolean): void {
  const registry = new Registry(chapters);
  const planned = plannedCounts();
  for (const line of progressLines(registry, planned)) console.log(line);
  for (const [path, text] of written(registry, planned)) {
    const file = new URL(`../${path}`, import.meta.url);
    const stands = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    if (stands === text) continue;
    if (check) {
      console.error(`${path} is not what the registry says; run npm run catalogue.`);
      process.exitCode = 1;
    } else {
      writeFileSync(file, text);
    }
  }
}

if (import.meta.main) main(process.argv.includes("--check"));
