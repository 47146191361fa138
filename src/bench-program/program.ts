import { readFile } from "node:fs/promises";
import type { BenchProgram } from "../../chapters/sandboxes/bench/bench-program.ts";
import { lazy } from "../service/lazy.ts";
import { bundled } from "./bundled.ts";

/** The program of an exported dataset: that of the build, or made from the sources where this is no build. Read once. */
export function benchProgram(): BenchProgram {
  const text = lazy(() =>
    import.meta.url.endsWith(".ts") ? bundled() : readFile(new URL("./program.mjs", import.meta.url), "utf8"),
  );
  return { text: () => text.get() };
}
