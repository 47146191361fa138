import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A real git repository on this machine, to be cloned. */
export interface TestRepository {
  readonly folder: string;
  /** What a clone is made of. */
  readonly url: string;
  git(...args: string[]): string;
  /** Writes files, takes others away, commits all there is, and answers the commit. */
  commit(files: Readonly<Record<string, string>>, gone?: readonly string[]): string;
  remove(): void;
}

/** Makes an empty repository whose branch is `main`. */
export function makeRepository(): TestRepository {
  const folder = mkdtempSync(join(tmpdir(), "repository-"));
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: "T",
        GIT_AUTHOR_EMAIL: "t@example.com",
        GIT_COMMITTER_NAME: "T",
        GIT_COMMITTER_EMAIL: "t@example.com",
      },
    }).trim();
  git("init", "-q", "-b", "main");
  return {
    folder,
    url: folder,
    git,
    commit(files, gone = []) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      for (const path of gone) rmSync(join(folder, path));
      git("add", "-A");
      git("-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "change");
      return git("rev-parse", "HEAD");
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
