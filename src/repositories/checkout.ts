import {
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { type AppError, unprocessable } from "../../chapters/errors.ts";
import type { ChangedFile, Checkout, RepositoryRef, RepositoryTarget } from "../../chapters/repositories.ts";
import { sha256 } from "../../worlds/digest.ts";
import { type AllowedRemotes, type Remote, remoteOf } from "./address.ts";
import { git, large } from "./git.ts";
import { Turns } from "./turns.ts";

const MOST_BYTES = 512 * 1024 * 1024;
const MOST_FILES = 50_000;
const COMMIT = /^[0-9a-f]{40}$/;
/** No option, no refspec, nothing that climbs: what git itself allows of a ref's name. */
const REF = /^(?!-)(?!.*(?:\.\.|@\{|\/\/))[\w./@+-]{1,250}$/;

/** Repositories fetched into a folder: one bare store per address, one folder per commit, both kept. */
export class Checkouts {
  readonly #root: string;
  readonly #reach: AllowedRemotes;
  /** What is being fetched, by store: git locks its own files, and two fetches of one commit are one. */
  readonly #turns = new Turns();

  constructor(root: string, allowedRemotes: AllowedRemotes) {
    this.#root = root;
    this.#reach = allowedRemotes;
  }

  async refs(target: RepositoryTarget, signal: AbortSignal): Promise<RepositoryRef[]> {
    const listed = await this.#listed(await remoteOf(target, this.#reach), signal);
    return listed.flatMap(({ name, commit }) => {
      const [, kind, short] = /^refs\/(heads|tags)\/(.+)$/.exec(name) ?? [];
      if (kind === undefined || short === undefined || short.endsWith("^{}")) return [];
      const peeled = listed.find((each) => each.name === `${name}^{}`)?.commit ?? commit;
      return [{ name: short, kind: kind === "heads" ? ("branch" as const) : ("tag" as const), commit: peeled }];
    });
  }

  async checkout(target: RepositoryTarget, signal: AbortSignal): Promise<Checkout> {
    const remote = await remoteOf(target, this.#reach);
    const { ref, commit } = await this.#resolve(remote, target.ref, signal);
    const store = this.#store(remote);
    return this.#turns.take(store, async () => {
      const folder = join(store, "trees", commit);
      const known = await readFile(`${folder}.json`, "utf8").catch(() => undefined);
      if (known !== undefined) return { ...(JSON.parse(known) as Omit<Checkout, "folder" | "ref">), folder, ref };
      await this.#fetch(remote, store, commit, ref, signal);
      const facts = await this.#write(store, commit, folder, signal);
      await writeFile(`${folder}.json`, JSON.stringify(facts));
      return { ...facts, folder, ref };
    });
  }

  async changed(target: RepositoryTarget, from: string, to: string, signal: AbortSignal): Promise<ChangedFile[]> {
    const remote = await remoteOf(target, this.#reach);
    const store = this.#store(remote);
    if (!COMMIT.test(from) || !COMMIT.test(to)) throw noSuchRef();
    return this.#turns.take(store, async () => {
      for (const commit of [from, to]) await this.#fetch(remote, store, commit, commit, signal);
      const args = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff", "--name-status", from, to];
      const out = await git(args, { cwd: store, signal });
      if (out === undefined) throw noSuchRef();
      const parts = out.split("\0");
      const files: ChangedFile[] = [];
      for (let i = 0; i + 1 < parts.length; i += 2) {
        const change = parts[i] === "A" ? "added" : parts[i] === "D" ? "removed" : "changed";
        files.push({ path: parts[i + 1] as string, change });
      }
      return files;
    });
  }

  /** Copies a checkout's files, links as links, into a folder for a process to work in. */
  async copyTo(checkout: Checkout, folder: string): Promise<void> {
    await cp(checkout.folder, folder, { recursive: true, verbatimSymlinks: true });
  }

  async #listed(remote: Remote, signal: AbortSignal): Promise<{ name: string; commit: string; to?: string }[]> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const options = { cwd: this.#root, settings: remote.settings, signal };
    const out = await git(["ls-remote", "--symref", "--", remote.url], options);
    if (out === undefined)
      throw unprocessable("The repository cannot be read: there is none at this address, or it asks for a credential.");
    return out.split("\n").flatMap((line) => {
      const [left, name] = line.split("\t");
      if (left === undefined || name === undefined) return [];
      return [left.startsWith("ref: ") ? { name, commit: "", to: left.slice(5) } : { name, commit: left }];
    });
  }

  async #resolve(remote: Remote, asked: string | undefined, signal: AbortSignal) {
    if (asked !== undefined && COMMIT.test(asked)) return { ref: asked, commit: asked };
    if (asked !== undefined && !REF.test(asked)) throw noSuchRef();
    const listed = await this.#listed(remote, signal);
    const at = (name: string) => listed.find((each) => each.name === name && each.commit !== "")?.commit;
    const head = listed.find((each) => each.name === "HEAD" && each.to !== undefined)?.to;
    const names = asked === undefined ? [head ?? "HEAD"] : [`refs/heads/${asked}`, `refs/tags/${asked}`, asked];
    for (const name of names) {
      const commit = at(`${name}^{}`) ?? at(name);
      if (commit !== undefined) return { ref: name.replace(/^refs\/(heads|tags)\//, ""), commit };
    }
    throw noSuchRef();
  }

  #store(remote: Remote): string {
    return join(this.#root, sha256(remote.url).slice(0, 32));
  }

  /** Fetches a commit into the store: it alone where the host gives single commits, else what its branches and tags hold. */
  async #fetch(remote: Remote, store: string, commit: string, ref: string, signal: AbortSignal): Promise<void> {
    await mkdir(join(store, "trees"), { recursive: true, mode: 0o700 });
    const tooMuch = async () => (await sizeOf(store)).bytes > 2 * MOST_BYTES;
    const options = { cwd: store, settings: remote.settings, signal, tooMuch };
    if ((await git(["rev-parse", "--git-dir"], options)) === undefined)
      await git(["init", "--bare", "-q", "."], options);
    const held = async () => (await git(["cat-file", "-e", `${commit}^{commit}`], options)) !== undefined;
    if (await held()) return;
    const fetch = ["fetch", "-q", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
    await git([...fetch, "--depth=1", "--", remote.url, commit], options);
    if (await held()) return;
    if (ref !== commit) await git([...fetch, "--depth=1", "--", remote.url, ref], options);
    if (await held()) return;
    const whole = (await lstat(join(store, "shallow")).catch(() => undefined)) ? ["--unshallow"] : [];
    const every = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
    await git([...fetch, ...whole, "--", remote.url, ...every], options);
    if (!(await held())) throw noSuchRef();
  }

  /** Writes a commit's files beside their place and moves them there whole: a folder that stands is complete. */
  async #write(store: string, commit: string, folder: string, signal: AbortSignal) {
    const listed = (await git(["ls-tree", "-r", "-l", "-z", commit], { cwd: store, signal })) ?? "";
    const entries = listed.split("\0").flatMap((line) => {
      const [, mode, size, path] = /^(\d+) \w+ \w+ +(\S+)\t(.+)$/s.exec(line) ?? [];
      return mode === undefined || path === undefined ? [] : [{ mode, bytes: Number(size) || 0, path }];
    });
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    if (entries.length > MOST_FILES || bytes > MOST_BYTES) throw large();
    await rm(folder, { recursive: true, force: true });
    // What another commit's checkout left in the index would be written out along.
    await rm(join(store, "index"), { force: true });
    const beside = await mkdtemp(join(store, "trees", "new-"));
    try {
      const args = ["--work-tree", beside, "checkout", "-q", "--force", commit, "--", "."];
      // An empty commit has no path to check out, and git says so by failing.
      const done = entries.length === 0 ? "" : await git([`--git-dir=${store}`, ...args], { cwd: beside, signal });
      if (done === undefined) throw unprocessable("The repository's files cannot be written out.");
      const removed: Checkout["removed"][number][] = entries
        .filter(({ mode }) => mode === "160000")
        .map(({ path }) => ({ kind: "submodule", path }));
      for (const { path } of entries.filter(({ mode }) => mode === "120000")) {
        if (!(await leadsOutside(beside, path))) continue;
        await rm(join(beside, path), { force: true });
        removed.push({ kind: "link", path });
      }
      await rename(beside, folder);
      return { commit, files: entries.length - removed.length, bytes, removed };
    } catch (error) {
      await rm(beside, { recursive: true, force: true });
      throw error;
    }
  }
}

async function leadsOutside(root: string, path: string): Promise<boolean> {
  const link = join(root, path);
  const info = await lstat(link).catch(() => undefined);
  if (!info?.isSymbolicLink()) return false;
  const to = await readlink(link);
  if (isAbsolute(to)) return true;
  // Through other links where it leads somewhere, by its words where it does not.
  const end = await realpath(link).catch(() => resolve(dirname(link), to));
  const inside = relative(await realpath(root), end);
  return inside === ".." || inside.startsWith(`..${sep}`);
}

async function sizeOf(folder: string): Promise<{ bytes: number }> {
  let bytes = 0;
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    bytes += (await lstat(join(folder, name)).catch(() => undefined))?.size ?? 0;
  }
  return { bytes };
}

function noSuchRef(): AppError {
  return unprocessable("The repository has no such branch, tag or commit.");
}
