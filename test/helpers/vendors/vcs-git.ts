import { spawn } from "node:child_process";
import type { TestRepo } from "../git.ts";
import type { Seen, VendorAnswer } from "./server.ts";

/** A repository's branches, tags, commits and comparisons in the code host's form, from real git; undefined for other paths. */
export function repositoryAnswer(repo: TestRepo, rest: string): VendorAnswer | undefined {
  const listed = (pattern: string) =>
    repo
      .git("for-each-ref", "--format=%(refname:short) %(objectname)", pattern)
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" "))
      .map(([name, sha]) => ({ name, commit: { sha, url: "" }, protected: false }));
  if (rest === "branches") return { body: listed("refs/heads") };
  if (rest === "tags") return { body: listed("refs/tags") };
  const ref = /^commits\/(.+)$/.exec(rest)?.[1];
  if (ref !== undefined) {
    const sha = shaOf(repo, decodeURIComponent(ref));
    return sha === undefined
      ? { status: 422, body: { message: `No commit found for SHA: ${ref}` } }
      : { body: { sha, commit: { message: "" } } };
  }
  const [, base, head] = /^compare\/(.+)\.\.\.(.+)$/.exec(decodeURIComponent(rest)) ?? [];
  if (base !== undefined && head !== undefined) return compared(repo, base, head);
  return undefined;
}

/** The commit of a ref, if the repository has it. */
export function shaOf(repo: TestRepo, ref: string): string | undefined {
  try {
    return repo.git("rev-parse", "--verify", "-q", `${ref}^{commit}`);
  } catch {
    return undefined;
  }
}

function compared(repo: TestRepo, base: string, head: string): VendorAnswer {
  if (shaOf(repo, base) === undefined || shaOf(repo, head) === undefined)
    return { status: 404, body: { message: "Not Found" } };
  const fork = repo.git("merge-base", base, head);
  const [behind, ahead] = repo.git("rev-list", "--left-right", "--count", `${base}...${head}`).split(/\s+/).map(Number);
  const words = { A: "added", M: "modified", D: "removed" } as Record<string, string>;
  const statuses = new Map(
    repo
      .git("diff", "--no-renames", "--name-status", fork, head)
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("\t") as [string, string])
      .map(([letter, name]) => [name, words[letter] ?? "changed"]),
  );
  const files = repo
    .git("diff", "--no-renames", "--numstat", fork, head)
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t") as [string, string, string])
    .map(([additions, deletions, filename]) => ({
      filename,
      status: statuses.get(filename),
      additions: Number(additions),
      deletions: Number(deletions),
      changes: Number(additions) + Number(deletions),
    }));
  const status = ahead === 0 ? (behind === 0 ? "identical" : "behind") : behind === 0 ? "ahead" : "diverged";
  const counts = { ahead_by: ahead, behind_by: behind, total_commits: ahead };
  return { body: { status, ...counts, merge_base_commit: { sha: fork }, commits: [], files } };
}

/** Serves a repository to git itself, by git's own CGI. */
export function gitAnswer(repo: TestRepo, path: string, seen: Seen): Promise<VendorAnswer> {
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      GIT_CONFIG_KEY_1: "uploadpack.allowAnySHA1InWant",
      GIT_CONFIG_VALUE_1: "true",
      GIT_PROJECT_ROOT: repo.folder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: `/.git${path}`,
      QUERY_STRING: seen.query.toString(),
      REQUEST_METHOD: seen.method,
      CONTENT_TYPE: String(seen.headers["content-type"] ?? ""),
      HTTP_CONTENT_ENCODING: String(seen.headers["content-encoding"] ?? ""),
      GIT_PROTOCOL: String(seen.headers["git-protocol"] ?? ""),
      CONTENT_LENGTH: String(seen.raw.length),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const parts: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => parts.push(chunk));
  // Git may have answered before it read everything.
  child.stdin.on("error", () => undefined);
  child.stdin.end(seen.raw);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => {
      const out = Buffer.concat(parts);
      const end = out.indexOf("\r\n\r\n");
      const head = out.subarray(0, end).toString().split("\r\n");
      const headers = Object.fromEntries(head.map((line) => line.split(": ") as [string, string]));
      const { Status: status = "200", ...rest } = headers;
      resolve({ status: Number.parseInt(status, 10), headers: rest, body: out.subarray(end + 4) });
    });
  });
}
