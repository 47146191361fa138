import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type AppError, unprocessable } from "../../chapters/errors.ts";
import type { VcsChange, VcsCompare } from "../../chapters/ports/vendors.ts";
import type { RepositoryTarget } from "../../chapters/repositories.ts";
import { sha256 } from "../../worlds/digest.ts";
import { type AllowedRemotes, remoteOf } from "./address.ts";
import { type GitOptions, git } from "./git.ts";
import { Turns } from "./turns.ts";

const COMMIT = /^[0-9a-f]{40}$/;
const STATUS: Readonly<Record<string, string>> = { A: "added", M: "modified", D: "removed", T: "changed" };

/** Whole histories of repositories, kept apart from the single commits that are checked out: those know no parents. */
export class Histories {
  readonly #root: string;
  readonly #reach: AllowedRemotes;
  readonly #turns = new Turns();

  constructor(root: string, allowedRemotes: AllowedRemotes) {
    this.#root = root;
    this.#reach = allowedRemotes;
  }

  /** From where two commits parted to the second one. Refuses commits that the repository's branches and tags do not reach. */
  async compare(target: RepositoryTarget, base: string, head: string, signal: AbortSignal): Promise<VcsCompare> {
    if (!COMMIT.test(base) || !COMMIT.test(head)) throw noSuchCommit();
    const remote = await remoteOf(target, this.#reach);
    const store = join(this.#root, sha256(remote.url).slice(0, 32));
    return this.#turns.take(store, async () => {
      await mkdir(store, { recursive: true, mode: 0o700 });
      const options: GitOptions = { cwd: store, settings: remote.settings, signal };
      await fetchBoth(remote.url, base, head, options);
      const fork = (await git(["merge-base", base, head], options))?.trim();
      if (!fork) throw unprocessable("The two commits have no commit in common: there is nothing to compare.");
      const counts = (await git(["rev-list", "--left-right", "--count", `${base}...${head}`], options)) ?? "";
      const [behind = 0, ahead = 0] = counts.trim().split(/\s+/).map(Number);
      return { base: fork, ahead, behind, files: await changed(fork, head, options) };
    });
  }
}

async function fetchBoth(url: string, base: string, head: string, options: GitOptions): Promise<void> {
  if ((await git(["rev-parse", "--git-dir"], options)) === undefined) await git(["init", "--bare", "-q", "."], options);
  const held = async (commit: string) => (await git(["cat-file", "-e", `${commit}^{commit}`], options)) !== undefined;
  if ((await held(base)) && (await held(head))) return;
  const fetch = ["fetch", "-q", "--force", "--prune", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules"];
  await git([...fetch, "--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"], options);
  for (const commit of [base, head])
    if (!(await held(commit))) {
      await git([...fetch.filter((word) => word !== "--prune"), "--", url, commit], options);
      if (!(await held(commit))) throw noSuchCommit();
    }
}

async function changed(fork: string, head: string, options: GitOptions): Promise<VcsChange[]> {
  const diff = ["diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff"];
  const statuses = ((await git([...diff, "--name-status", fork, head], options)) ?? "").split("\0");
  const status = new Map<string, string>();
  for (let i = 0; i + 1 < statuses.length; i += 2)
    status.set(statuses[i + 1] ?? "", STATUS[statuses[i] ?? ""] ?? "changed");
  const counts = ((await git([...diff, "--numstat", fork, head], options)) ?? "").split("\0");
  return counts.flatMap((line) => {
    const [, additions, deletions, name] = /^(\S+)\t(\S+)\t(.+)$/s.exec(line) ?? [];
    if (name === undefined) return [];
    // Of a binary file git counts no lines.
    return [
      {
        name,
        status: status.get(name) ?? "changed",
        additions: Number(additions) || 0,
        deletions: Number(deletions) || 0,
      },
    ];
  });
}

function noSuchCommit(): AppError {
  return unprocessable("The repository has no such commit on its branches and tags.");
}
