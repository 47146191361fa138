import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { against, type BenchLine, median } from "./harness.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const STARTS = 10;

/** Milliseconds until the packed and installed service answers a client's first question, beside Node's own start; and of the install. */
export async function bench(): Promise<BenchLine[]> {
  const folder = mkdtempSync(join(tmpdir(), "svc-launch-"));
  try {
    const env = { PATH: process.env.PATH ?? "", HOME: folder, XDG_DATA_HOME: folder, SVC_LOG_LEVEL: "error" };
    const place = installed(folder);
    const bin = join(place, "proving-ground/bin/svc.js");
    const bare: number[] = [];
    const answered: number[] = [];
    // The first start keeps what it compiled for those after it, as at any client.
    await start(bin, env);
    for (let i = 0; i < STARTS; i++) {
      const began = performance.now();
      spawnSync(process.execPath, ["-e", "0"], { env });
      bare.push(performance.now() - began);
      answered.push(await start(bin, env));
    }
    const floor = { name: "node -e 0", value: median(bare) };
    const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
    const { packages } = JSON.parse(readFileSync(join(place, ".package-lock.json"), "utf8")) as { packages: object };
    return [
      against("start to initialize and tools/list answered, median", median(answered), "ms", floor),
      { name: "installed, size", value: bytes / 1e6, unit: "MB" },
      { name: "installed, packages", value: Object.keys(packages).length, unit: "packages" },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs this checkout and installs the file into an empty folder; answers its `node_modules`. What was built stays in `dist/`. */
function installed(folder: string): string {
  const empty = join(folder, "empty");
  mkdirSync(empty);
  npm(["pack", "--silent", "--pack-destination", folder], ROOT);
  const [file = ""] = globSync("*.tgz", { cwd: folder });
  npm(["install", "--no-audit", "--no-fund", "--no-save", join(folder, file)], empty);
  return join(empty, "node_modules");
}

function npm(args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args.join(" ")} ended with ${status}: ${stderr}`);
}

/** One start as an MCP client does it: milliseconds until both answers are there. */
async function start(bin: string, env: Record<string, string>): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [bin, "stdio"], { env, stdio: ["pipe", "pipe", "inherit"] });
  const clientInfo = { name: "bench", version: "1" };
  await asked(child, {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  await asked(child, { id: 2, method: "tools/list", params: {} });
  const took = performance.now() - began;
  child.stdin.end();
  await once(child, "exit");
  return took;
}

/** Waits for the answer to one request. Throws where it is refused or the process ends. */
async function asked({ stdin, stdout }: ChildProcess, request: { id: number; method: string; params: object }) {
  stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
  const lines = createInterface({ input: stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    const { id, result } = JSON.parse(line) as { id?: number; result?: object };
    if (id !== request.id) continue;
    if (result === undefined) throw new Error(`${request.method} was refused: ${line}`);
    return;
  }
  throw new Error(`the service ended before it answered ${request.method}`);
}
