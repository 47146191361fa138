import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NamedAgent } from "./options.ts";

/** The order desk that comes with the package: recorded sessions, the tools listing, and its agent in two versions. */
export interface Sample {
  readonly surface: string;
  readonly files: readonly string[];
  /** The same agent twice; the second version has a planted fault. */
  readonly agent: { readonly name: string; readonly versions: readonly (NamedAgent & { readonly version: string })[] };
}

/** Where the sample lies: beside the sources in a checkout, beside the built code in a package. */
export function sample(): Sample {
  const at = (name: string) => fileURLToPath(new URL(`../../worlds/samples/desk/${name}`, import.meta.url));
  const script = [at("agent.ts"), at("agent.js")].find((path) => existsSync(path)) ?? at("agent.js");
  const version = (n: string) => ({
    name: `desk agent ${n}`,
    version: n,
    command: [process.execPath, script, "--version", n],
    // Most of a short trial is starting the agent: what was compiled once is kept.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), "proving-ground-compile-cache") },
  });
  return {
    surface: "desk",
    files: [at("traces.jsonl"), at("tools.json")],
    agent: { name: "desk agent", versions: [version("1"), version("2")] },
  };
}
