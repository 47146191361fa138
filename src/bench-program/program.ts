import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import type { BenchProgram } from "../../chapters/sandboxes/bench/bench-program.ts";
import { lazy } from "../service/lazy.ts";
import { bundled } from "./bundled.ts";

const unpacked = promisify(brotliDecompress);

/** The program of an exported dataset: that of the build, or made from the sources where this is no build. Read once. */
export function benchProgram(): BenchProgram {
  const text = lazy(async () =>
    import.meta.url.endsWith(".ts")
      ? bundled()
      : String(await unpacked(await readFile(new URL("./program.mjs.br", import.meta.url)))),
  );
  return { text: () => text.get() };
}
