import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

// Installs a fresh clone as on a machine that has Git and Node alone, under several versions of Node and npm.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LIMIT_MS = 15 * 60_000;

/** What is on the PATH beside Node and npm. */
const PROGRAMS = [
  "git sh [ arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date dd df dir dirname",
  "du echo env expand expr factor false fmt fold groups head hostid id install join link ln logname ls md5sum mkdir mkfifo",
  "mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink realpath rm rmdir",
  "seq sha1sum sha256sum sha512sum shred shuf sleep sort split stat stty sum sync tac tail tee test timeout touch tr true",
  "truncate tsort tty uname unexpand uniq unlink users vdir wc who whoami yes",
].flatMap((line) => line.split(" "));

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly devEngines: { readonly runtime: { readonly version: string } };
  readonly devDependencies: { readonly node: string };
}

/** A version of Node with one of npm, and whether the README's first command is run or the install alone. */
interface Combination {
  readonly node: string;
  readonly npm: string;
  readonly first: boolean;
}

const digits = (range: string) => range.replace(/[^\d.]/g, "");
const major = (range: string) => digits(range).split(".")[0] ?? "";

/** The oldest Node that a checkout works from, with the npm that came with it; the package's oldest; the one that the checkout brings. */
function combinations({ engines, devEngines, devDependencies }: Manifest): Combination[] {
  return [
    { node: digits(devEngines.runtime.version), npm: "10", first: true },
    { node: major(engines.node), npm: "11", first: false },
    { node: major(devDependencies.node), npm: "11", first: false },
  ];
}

/** A program's place on this machine's PATH. */
function found(name: string): string | undefined {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Fills a folder with links to Git, a shell, the core utilities, Node and npm, and nothing else. */
function emptiedPath(folder: string, node: string, npmBin: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of PROGRAMS) {
    const path = found(name);
    if (path !== undefined) symlinkSync(path, join(folder, name));
    else if (name === "git" || name === "sh") throw new Error(`${name} is not on the PATH`);
  }
  symlinkSync(node, join(folder, "node"));
  for (const name of ["npm", "npx"]) symlinkSync(join(npmBin, `${name}-cli.js`), join(folder, name));
}

/** This process's environment without what `npm run` adds to it. */
function ownEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$)/i.test(name)));
}

/** How this machine reaches the registry, for an npm that has no settings of its own. */
function network(): Record<string, string> {
  const { stdout } = spawnSync("npm", ["config", "list", "--json"], { cwd: tmpdir(), env: ownEnv(), encoding: "utf8" });
  const config = JSON.parse(stdout) as Record<string, unknown>;
  const names = ["registry", "cafile", "proxy", "https-proxy", "noproxy", "strict-ssl", "cache"];
  const set = names.flatMap((name) => {
    const value = config[name];
    return `${value ?? ""}` === "" ? [] : [[`npm_config_${name.replace(/-/g, "_")}`, `${value}`]];
  });
  const passed = [
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
  ];
  return {
    ...(Object.fromEntries(set) as Record<string, string>),
    ...Object.fromEntries(passed.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  };
}

interface Run {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs a line in a shell and answers what it printed. Throws with that where it fails or does not end. */
function run(line: string, { cwd, env }: Run): { stdout: string; stderr: string } {
  const { status, signal, stdout, stderr } = spawnSync("sh", ["-c", line], {
    cwd,
    env,
    encoding: "utf8",
    timeout: LIMIT_MS,
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`${line}\nended with ${status ?? signal}:\n${stdout}${stderr}`);
  return { stdout, stderr };
}

/** The README's first line for a shell. */
function firstCommand(): string {
  const [, line] = /^```sh\n(.+?) *(?:#.*)?$/m.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
  if (!line?.startsWith("npm ci && ")) throw new Error("the README does not begin with an install");
  return line;
}

/** One combination in a clone of its own. Throws at the first thing that does not hold. */
function hold({ node, npm, first }: Combination, folder: string, { version }: Manifest): void {
  const runtime = join(folder, "runtime");
  const home = join(folder, "home");
  for (const each of [runtime, home]) mkdirSync(each, { recursive: true });
  writeFileSync(join(runtime, "package.json"), JSON.stringify({ private: true, allowScripts: { node: true } }));
  run(`npm install --no-audit --no-fund node@${node} npm@${npm}`, { cwd: runtime, env: ownEnv() });
  emptiedPath(join(folder, "bin"), join(runtime, "node_modules/node/bin/node"), join(runtime, "node_modules/npm/bin"));
  // A checkout may be another user's.
  writeFileSync(join(home, ".gitconfig"), "[safe]\n  directory = *\n");
  const env = { PATH: join(folder, "bin"), HOME: home, LANG: "C.UTF-8", ...network() };
  run(`git clone --quiet '${ROOT}' checkout`, { cwd: folder, env });
  const here = { cwd: join(folder, "checkout"), env };
  const clean = (after: string) => {
    const { stdout } = run("git status --porcelain", here);
    if (stdout !== "") throw new Error(`after ${after} git status says:\n${stdout}`);
  };
  const timed = (line: string, use = here) => {
    const began = performance.now();
    const said = run(line, use);
    console.log(`  ${line}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
    clean(line);
    return said;
  };
  const [own = "", theirs = ""] = run("node --version && npm --version", here).stdout.split("\n");
  if (!own.startsWith(`v${node}.`) || !theirs.startsWith(`${npm}.`))
    throw new Error(`this is Node ${own}, npm ${theirs}`);
  console.log(`Node ${own}, npm ${theirs}`);
  const { stdout, stderr } = timed(first ? firstCommand() : "npm ci");
  if (stderr.includes("EBADENGINE")) throw new Error(`npm warns of what needs no warning:\n${stderr}`);
  if (first && !/^verdict +desk agent 2 is worse/m.test(stdout))
    throw new Error(`the sample has no verdict:\n${stdout}`);
  // npx keeps links to the checkout in its cache: they go with it.
  const apart = { ...here, env: { ...env, npm_config_cache: join(folder, "cache") } };
  for (const line of ["npx svc --version", "node bin/svc.js --version"])
    if (timed(line, apart).stdout.trim() !== version) throw new Error(`${line} does not say ${version}`);
}

/** `node scripts/matrix.ts [NODE…]`: every combination, or those of some Nodes. `--path FOLDER` makes an emptied PATH and ends. */
function main(args: readonly string[]): void {
  if (args[0] === "--path") {
    const npm = found("npm");
    if (args[1] === undefined || npm === undefined) throw new Error("--path takes a folder, and npm has to be there");
    emptiedPath(args[1], process.execPath, join(realpathSync(npm), ".."));
    return;
  }
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  const all = combinations(manifest);
  const unknown = args.filter((arg) => !all.some(({ node }) => node === arg));
  if (unknown.length > 0) throw new Error(`${unknown} is none of ${all.map(({ node }) => node).join(", ")}`);
  for (const each of all.filter(({ node }) => args.length === 0 || args.includes(node))) {
    const folder = mkdtempSync(join(tmpdir(), "svc-matrix-"));
    try {
      hold(each, folder, manifest);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

main(process.argv.slice(2));
