import { readFile } from "node:fs/promises";
import type { BenchPrograms } from "../../chapters/sandboxes/bench-programs.ts";
import { lazy } from "../lazy.ts";
import { bundled, type Program } from "./bundled.ts";

/** The programs of an exported dataset: those of the build, or made from the sources where this is no build. Read once. */
export function benchPrograms(): BenchPrograms {
  const text = (program: Program) =>
    import.meta.url.endsWith(".ts") ? bundled(program) : readFile(new URL(`./${program}.mjs`, import.meta.url), "utf8");
  const files = lazy(async () => ({ world: await text("world"), verifier: await text("verifier") }));
  return { files: () => files.get() };
}
