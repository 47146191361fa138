import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PRODUCT = "{worlds,store,chapters,tools,src}/**/*.ts";
/** What makes files of the package, in a checkout alone. */
const MAKES = new Set(["src/bench-program/bundled.ts", "worlds/samples/desk/record.ts"]);
const IMPORTED = /(?:\bfrom|\bimport|\bimport\(|\bload\()\s*"(?!node:)(@[\w-]+\/[\w.-]+|[a-z][\w.-]*)/g;

/** The packages of others that the product of a checkout imports: those that are installed with it and those that it bundles. */
export function importedPackages(root: string): string[] {
  const names = globSync(PRODUCT, { cwd: root })
    .filter((path) => !MAKES.has(path))
    .flatMap((path) =>
      [...readFileSync(join(root, path), "utf8").matchAll(IMPORTED)].map((match) => match[1] as string),
    );
  return [...new Set(names)].sort();
}
