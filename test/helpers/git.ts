import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A real repository in a temporary folder, its first branch `main`. */
export interface TestRepo {
  readonly folder: string;
  /** Writes files (null removes one) and commits them on a branch, made from `from` where there is none; the commit. */
  commit(files: Readonly<Record<string, string | null>>, branch?: string, from?: string): string;
  /** Runs git in it; what it put out. */
  git(...args: string[]): string;
  close(): void;
}

const AUTHOR = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.com",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.com",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** Makes a repository with a first commit of these files. */
export function testRepo(files: Readonly<Record<string, string>>): TestRepo {
  const folder = mkdtempSync(join(tmpdir(), "repo-"));
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: folder, env: { PATH: process.env.PATH, ...AUTHOR }, encoding: "utf8" }).trim();
  const commit: TestRepo["commit"] = (changed, branch = "main", from = "main") => {
    const known = git("branch", "--list", branch) !== "";
    if (git("rev-parse", "--abbrev-ref", "HEAD") !== branch)
      git("checkout", "-q", ...(known ? [branch] : ["-b", branch, from]));
    for (const [name, text] of Object.entries(changed)) {
      const path = join(folder, name);
      if (text === null) rmSync(path);
      else {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, text);
      }
    }
    git("add", "-A");
    git("commit", "-q", "--allow-empty", "-m", `change ${Object.keys(changed).join(", ")}`);
    return git("rev-parse", "HEAD");
  };
  git("init", "-q", "-b", "main");
  // Git answers a branch's name only once it has a commit.
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "first");
  return { folder, git, commit, close: () => rmSync(folder, { recursive: true, force: true }) };
}
