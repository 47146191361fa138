import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { bundled } from "../src/bench-program/bundled.ts";
import { chapters } from "../tools/index.ts";
import { BUILT_INPUTS, leanInputsOf } from "../tools/kernel/lean.ts";
import { bundledPackages, licenseTexts } from "./bundled-packages.ts";

/** What the package holds besides code, by folder. */
const ASSETS = ["store/**/*.sql", "worlds/samples/**/*.{json,jsonl,md}", "docs/*.md", "src/pages/islands/*.js"];

/** What is started or imported by its path: the command line, threads, processes. All else is reached from these. */
const ENTRIES = [
  "src/cli.ts",
  "src/jobs/worker.ts",
  "src/jobs/brief-worker.ts",
  "src/service/vacuum-worker.ts",
  "src/agents/launcher-process.ts",
  "src/agents/isolation/network-holder.ts",
  "src/bench-program/program.ts",
  "worlds/samples/desk/agent.ts",
];

/** Asked for by bundled packages where it happens to be there, and done without where not; the bundler itself is a checkout's. */
const OPTIONAL = ["pg-native", "canvas", "rolldown"];

const compiled = (path: string) => path.replace(/\.ts$/, ".js");

/**
 * Modules read files beside their source: in a bundle, where code lies elsewhere, `import.meta.url` stays the address
 * that the module would have in `dist/`.
 */
function ownAddresses(root: string): Plugin {
  return {
    name: "own-addresses",
    transform(code, id) {
      if (id.includes("node_modules") || !code.includes("import.meta.url")) return;
      const path = compiled(relative(root, id).split(sep).join("/"));
      return code.replaceAll("import.meta.url", `__addressOf__("${path}")`);
    },
    renderChunk(code, { fileName }) {
      return code.replace(/__addressOf__\("([^"]+)"\)/g, (_, path) => {
        const from = posix.relative(posix.dirname(fileName), path);
        return `new URL("${from.startsWith(".") ? from : `./${from}`}", import.meta.url).href`;
      });
    },
  };
}

/** A checkout requires these packages, which a bundler does not follow; in a bundle they are imported. */
const requiredPackages: Plugin = {
  name: "required-packages",
  transform(code, id) {
    if (!id.endsWith(posix.join("store", "drizzle.ts"))) return;
    const names = [...new Set([...code.matchAll(/\bload\("([^"]+)"\)/g)].map((match) => match[1] as string))];
    const imports = names.map((name, n) => `import * as required${n} from "${name}";\n`);
    return imports.join("") + code.replace(/\bload\("([^"]+)"\)/g, (_, name) => `required${names.indexOf(name)}`);
  },
};

/** Express holds readers of bodies that nothing here calls, and with them tables of East Asian encodings: these stay out. */
const unusedEncodings: Plugin = {
  name: "unused-encodings",
  load: (id) =>
    id.endsWith(posix.join("iconv-lite", "encodings", "dbcs-data.js")) ? "module.exports = {};" : undefined,
};

/**
 * Bundles the product with the packages that it does not install (those that are no `dependencies` of package.json) to
 * a folder, and copies what it reads beside it. Types are checked by `npm run types`. Throws where a module is missing.
 */
async function build(root: string, dist: string): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(ENTRIES.map((path) => [path.replace(/\.ts$/, ""), path])),
    platform: "node",
    external: [...Object.keys(dependencies), ...OPTIONAL].map((name) => new RegExp(`^${name}(?:/|$)`)),
    plugins: [ownAddresses(root), requiredPackages, unusedEncodings],
    onLog(level, log, handle) {
      if (log.code === "UNRESOLVED_IMPORT") throw new Error(log.message);
      if (log.code !== "EVAL") handle(level, log);
    },
  });
  const { output } = await bundle.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    // Functions keep their names, so that an error's stack can be read.
    keepNames: true,
    minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  for (const path of globSync(ASSETS, { cwd: root })) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    cpSync(join(root, path), join(dist, path));
  }
  mkdirSync(dirname(join(dist, BUILT_INPUTS)), { recursive: true });
  writeFileSync(join(dist, BUILT_INPUTS), JSON.stringify(leanInputsOf(chapters.flatMap((each) => each.operations))));
  const modules = output.filter((each): each is OutputChunk => each.type === "chunk").flatMap((each) => each.moduleIds);
  const packages = bundledPackages(modules);
  const named = packages.map(({ name, version, license }) => ({ name, version, license }));
  writeFileSync(join(dist, "bundled.json"), `${JSON.stringify(named, null, 1)}\n`);
  writeFileSync(join(dist, "bundled-licenses.txt"), licenseTexts(packages));
  // Brotli takes an eighth less than the package's own compression.
  writeFileSync(join(dist, "src/bench-program/program.mjs.br"), brotliCompressSync(await bundled()));
}

// `node scripts/build.ts [FOLDER]`: to `dist/` where no folder is named.
const root = fileURLToPath(new URL("..", import.meta.url));
await build(root, resolve(process.argv[2] ?? join(root, "dist")));
