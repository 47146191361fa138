import { spawnSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { minify } from "rolldown/utils";
import { bundled } from "../src/bench-program/bundled.ts";

/** What the package holds besides compiled code, by folder. */
const ASSETS = ["store/**/*.sql", "worlds/samples/**/*.{json,jsonl,md}", "docs/*.md", "src/pages/islands/*.js"];
const FOLDERS = ["worlds", "chapters", "store", "tools", "src"];

/** Compiles the layers to `dist/`, copies what they read beside it and bundles the program of exported datasets. Throws when the compiler finds an error. */
async function build(root: string): Promise<void> {
  const dist = join(root, "dist");
  rmSync(dist, { recursive: true, force: true });
  const config = {
    extends: "./tsconfig.json",
    compilerOptions: {
      noEmit: false,
      outDir: "dist",
      rootDir: ".",
      allowImportingTsExtensions: false,
      declaration: false,
      // They are in the sources; npx loads the package before it can answer.
      removeComments: true,
    },
    include: FOLDERS,
  };
  const project = join(root, "tsconfig.build.json");
  writeFileSync(project, JSON.stringify(config));
  try {
    const tsc = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--project", project], {
      stdio: "inherit",
    });
    if (tsc.status !== 0) throw new Error("the compiler found errors");
  } finally {
    rmSync(project);
  }
  for (const path of globSync(ASSETS, { cwd: root })) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    cpSync(join(root, path), join(dist, path));
  }
  for (const path of globSync("**/*.js", { cwd: dist })) await tighten(join(dist, path));
  // Brotli takes an eighth less than the package's own compression.
  writeFileSync(join(dist, "src/bench-program/program.mjs.br"), brotliCompressSync(await bundled()));
}

/** Shortens a module: no white space, short names of local variables; functions keep theirs, so that an error's stack can be read. */
async function tighten(path: string): Promise<void> {
  const { code, errors } = await minify(path, readFileSync(path, "utf8"), {
    module: true,
    compress: false,
    mangle: { toplevel: false, keepNames: true },
    codegen: { removeWhitespace: true },
  });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  writeFileSync(path, code);
}

await build(fileURLToPath(new URL("..", import.meta.url)));
