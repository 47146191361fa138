/** A file of a repository by its path: its text, or undefined. */
export type ReadFile = (path: string) => Promise<string | undefined>;

/** How a repository could be run, as far as its files say. */
export interface Proposal {
  readonly setup?: string;
  readonly command?: string[];
  /** Files it was read from. */
  readonly read: string[];
}

const VENV = "python3 -m venv .venv && .venv/bin/pip install -q";
const ENTRY = /^(?:agent|bot|main|app|run)\.(mjs|cjs|js|ts|py|sh)$/;
const STARTS: Readonly<Record<string, readonly string[]>> = {
  mjs: ["node"],
  cjs: ["node"],
  js: ["node"],
  ts: ["node"],
  py: ["python3"],
  sh: ["/bin/sh"],
};

/**
 * What runs a repository, by rule: a Procfile, a package's script, a make target, a Python project's script, else a file
 * at its top that is named as agents are. The first that is there is taken; nothing is run. `files` are its paths.
 */
export async function proposalOf(files: readonly string[], read: ReadFile): Promise<Proposal> {
  const top = new Set(files.filter((path) => !path.includes("/")));
  const seen: string[] = [];
  const open = async (path: string) => {
    if (!top.has(path)) return undefined;
    const text = await read(path);
    if (text !== undefined) seen.push(path);
    return text;
  };
  const pack = packageOf(await open("package.json"));
  const project = await open("pyproject.toml");
  const python = project !== undefined || top.has("requirements.txt");
  const setup = nodeSetup(pack, top) ?? pythonSetup(project, top);
  const own = (argv: readonly string[] | undefined) =>
    argv?.[0] === "python3" && python && setup?.includes(".venv") ? [".venv/bin/python", ...argv.slice(1)] : argv;
  const command =
    procfile(await open("Procfile")) ??
    packageScript(pack, "agent") ??
    makeTarget(await open("Makefile")) ??
    projectScript(project, top) ??
    entryFile(top) ??
    packageScript(pack, "start") ??
    (pack?.main === undefined ? undefined : ["node", pack.main]);
  const argv = own(command);
  return {
    ...(setup === undefined ? {} : { setup }),
    ...(argv === undefined ? {} : { command: [...argv] }),
    read: seen,
  };
}

interface Pack {
  readonly scripts: Readonly<Record<string, string>>;
  readonly depends: boolean;
  readonly main: string | undefined;
}

function packageOf(text: string | undefined): Pack | undefined {
  if (text === undefined) return undefined;
  try {
    const { scripts, dependencies, devDependencies, main } = JSON.parse(text) as Record<string, unknown>;
    const count = (value: unknown) => Object.keys(typeof value === "object" && value !== null ? value : {}).length;
    return {
      scripts: typeof scripts === "object" && scripts !== null ? (scripts as Record<string, string>) : {},
      depends: count(dependencies) + count(devDependencies) > 0,
      main: typeof main === "string" ? main : undefined,
    };
  } catch {
    return undefined;
  }
}

function nodeSetup(pack: Pack | undefined, top: ReadonlySet<string>): string | undefined {
  if (!pack?.depends) return undefined;
  if (top.has("pnpm-lock.yaml")) return "corepack pnpm install --frozen-lockfile";
  if (top.has("yarn.lock")) return "corepack yarn install --frozen-lockfile";
  return top.has("package-lock.json") ? "npm ci --no-audit --no-fund" : "npm install --no-audit --no-fund";
}

function pythonSetup(project: string | undefined, top: ReadonlySet<string>): string | undefined {
  if (top.has("uv.lock")) return "uv sync --frozen";
  if (project !== undefined && /^\[(?:project|build-system)\]/m.test(project)) return `${VENV} -e .`;
  return top.has("requirements.txt") ? `${VENV} -r requirements.txt` : undefined;
}

function procfile(text: string | undefined): string[] | undefined {
  const line = /^(?:agent|worker):\s*(\S.*)$/m.exec(text ?? "")?.[1];
  return line === undefined ? undefined : ["/bin/sh", "-c", line.trim()];
}

function packageScript(pack: Pack | undefined, name: string): string[] | undefined {
  return typeof pack?.scripts[name] === "string" ? ["npm", "run", "--silent", name] : undefined;
}

function makeTarget(text: string | undefined): string[] | undefined {
  return /^agent:/m.test(text ?? "") ? ["make", "--silent", "agent"] : undefined;
}

function projectScript(project: string | undefined, top: ReadonlySet<string>): string[] | undefined {
  const section = /^\[project\.scripts\]\s*\n((?:(?!\[).*\n?)*)/m.exec(project ?? "")?.[1] ?? "";
  const name = /^\s*"?([\w.-]+)"?\s*=/m.exec(section)?.[1];
  if (name === undefined) return undefined;
  return top.has("uv.lock") ? ["uv", "run", "--no-sync", name] : [`.venv/bin/${name}`];
}

function entryFile(top: ReadonlySet<string>): string[] | undefined {
  const found = [...top].filter((path) => ENTRY.test(path)).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))[0];
  const start = found === undefined ? undefined : STARTS[found.split(".").at(-1) ?? ""];
  return found === undefined || start === undefined ? undefined : [...start, found];
}

function rank(path: string): number {
  return ["agent", "bot", "main", "app", "run"].indexOf(path.split(".")[0] ?? "");
}
