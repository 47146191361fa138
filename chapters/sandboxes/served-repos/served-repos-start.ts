import type { SourceReading, SourceRoute } from "../../repositories.ts";

/** How a server in a checkout is set up and started: a shell line each. */
export interface StartLines {
  readonly setup?: string;
  readonly run: string;
}

/** Reads a file of the checkout; undefined where there is none. */
type ReadFile = (path: string) => Promise<string | undefined>;

const PROGRAMS = /^(?:node|python3?|uv|uvx|npx|tsx|deno|bun)$/;
const ENTRIES = [
  "server.py",
  "main.py",
  "app.py",
  "server.ts",
  "server.js",
  "server.mjs",
  "index.ts",
  "index.js",
  "index.mjs",
];

/**
 * How a checkout says that its server is started: a client's configuration beside it (`.mcp.json`, `mcp.json`), its
 * package's `bin`, `start` script or `main`, its project's script, or an entry file of a usual name. Undefined where it
 * says nothing.
 */
export async function startLines(files: readonly string[], read: ReadFile): Promise<StartLines | undefined> {
  const has = new Set(files);
  const node = await nodeLines(has, read);
  const python = await pythonLines(has, read);
  const setup = node?.setup ?? python?.setup;
  const configured = await configuredRun(read);
  const run = configured ?? node?.run ?? python?.run ?? entryRun(has);
  return run === undefined ? undefined : { run, ...(setup === undefined ? {} : { setup }) };
}

async function configuredRun(read: ReadFile): Promise<string | undefined> {
  for (const path of [".mcp.json", "mcp.json"]) {
    const servers = objectIn(objectIn(parsed(await read(path)))?.mcpServers);
    const first = objectIn(Object.values(servers ?? {})[0]);
    const { command, args } = first ?? {};
    if (typeof command === "string" && PROGRAMS.test(command))
      return [command, ...(Array.isArray(args) ? args.map(String) : [])].map(quoted).join(" ");
  }
  return undefined;
}

async function nodeLines(has: ReadonlySet<string>, read: ReadFile): Promise<Partial<StartLines> | undefined> {
  const manifest = objectIn(parsed(await read("package.json")));
  if (!manifest) return undefined;
  const needs = ["dependencies", "devDependencies"].some(
    (kind) => Object.keys(objectIn(manifest[kind]) ?? {}).length > 0,
  );
  const scripts = objectIn(manifest.scripts) ?? {};
  const install = has.has("package-lock.json") ? "npm ci --no-audit --no-fund" : "npm install --no-audit --no-fund";
  const setup = [...(needs ? [install] : []), ...(typeof scripts.build === "string" ? ["npm run build"] : [])].join(
    " && ",
  );
  const bin = typeof manifest.bin === "string" ? manifest.bin : Object.values(objectIn(manifest.bin) ?? {})[0];
  const entry = [bin, manifest.main].find((path): path is string => typeof path === "string" && path !== "");
  const run = entry ? `node ${quoted(entry)}` : typeof scripts.start === "string" ? "npm start --silent" : undefined;
  return { ...(setup === "" ? {} : { setup }), ...(run === undefined ? {} : { run }) };
}

async function pythonLines(has: ReadonlySet<string>, read: ReadFile): Promise<Partial<StartLines> | undefined> {
  const project = await read("pyproject.toml");
  const script = project && /^\[project\.scripts\]\s*\n\s*"?([\w.-]+)"?\s*=/m.exec(project)?.[1];
  const venv = "python3 -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check";
  if (script) return { setup: `${venv} .`, run: `.venv/bin/${quoted(script)}` };
  if (!has.has("requirements.txt")) return undefined;
  const entry = ENTRIES.find((path) => path.endsWith(".py") && has.has(path));
  return entry === undefined
    ? undefined
    : { setup: `${venv} -r requirements.txt`, run: `.venv/bin/python ${quoted(entry)}` };
}

function entryRun(has: ReadonlySet<string>): string | undefined {
  const entry = ENTRIES.find((path) => has.has(path));
  return entry === undefined ? undefined : `${entry.endsWith(".py") ? "python3" : "node"} ${quoted(entry)}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectIn(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The environment variable that the upstream's address is read from: the one most routes begin with, else one that is called so. */
export function upstreamEnv({ routes, env }: SourceReading): string | undefined {
  const counts = new Map<string, number>();
  for (const { base_env } of routes) if (base_env !== undefined) counts.set(base_env, (counts.get(base_env) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most?.[0] ?? env.find((name) => /(?:^|_)(?:URL|URI|HOST|ENDPOINT|BASE|ORIGIN)$/i.test(name));
}

/**
 * The path of the door below which the client's routes lie, where a base address holds one (`/v1`): of all beginnings
 * of the door's routes the one under which most of the client's are served, with those that are not.
 */
export function pathOfDoor(
  routes: readonly SourceRoute[],
  templates: readonly string[],
  serves: (method: string, path: string) => boolean,
): { readonly path: string; readonly held: readonly string[] } {
  const asked = [...new Set(routes.map(({ route }) => route))];
  const heldUnder = (path: string) =>
    asked.filter((route) => {
      const [method = "", rest = ""] = route.split(" ");
      return !serves(method, `${path}${rest}`.replaceAll("{}", "0"));
    });
  const beginnings = new Set([""]);
  for (const template of templates) {
    const parts = template.split("/").filter((part) => part !== "");
    for (let n = 1; n < parts.length && !parts[n - 1]?.startsWith("{"); n++)
      beginnings.add(`/${parts.slice(0, n).join("/")}`);
  }
  let best = { path: "", held: heldUnder("") };
  for (const path of beginnings) {
    const held = heldUnder(path);
    if (held.length < best.held.length) best = { path, held };
  }
  return best;
}
