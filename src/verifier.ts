import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { VerifierSource } from "../chapters/sandboxes/bench-verifier.ts";
import { lazy } from "./lazy.ts";

const HERE = new URL("..", import.meta.url);
const ENTRY = new URL(import.meta.url.endsWith(".ts") ? "./verifier-entry.ts" : "./verifier-entry.js", import.meta.url);
const IMPORT = /^((?:import|export)\b[^"';]*?\bfrom\s+|import\s+)"([^"]+)"/gm;

/** The grader and every module it imports, as plain JavaScript: read from this very process's own files, once. */
export function verifierSource(): VerifierSource {
  const source = lazy(async () => {
    const found = new Map<string, string>();
    await collect(ENTRY, found);
    const files = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, content]) => ({ name, content }));
    // Modules of this kind, wherever they are unpacked.
    files.push({ name: "package.json", content: '{"type":"module"}\n' });
    return { entry: nameOf(ENTRY), files };
  });
  return { files: () => source.get() };
}

async function collect(url: URL, found: Map<string, string>): Promise<void> {
  if (found.has(nameOf(url))) return;
  const text = await readFile(url, "utf8");
  const code = url.pathname.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
  found.set(
    nameOf(url),
    code.replace(IMPORT, (whole, head: string, from: string) =>
      from.startsWith(".") ? `${head}"${script(from)}"` : whole,
    ),
  );
  for (const [, , from] of code.matchAll(IMPORT)) {
    if (from?.startsWith(".")) await collect(new URL(from, url), found);
    else if (!from?.startsWith("node:")) throw new Error(`the grader imports a package: ${from}`);
  }
}

function nameOf(url: URL): string {
  return script(relative(fileURLToPath(HERE), fileURLToPath(url)).split("\\").join("/"));
}

function script(path: string): string {
  return path.replace(/\.ts$/, ".js");
}
