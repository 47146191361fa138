import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Checkouts } from "../../src/repositories/checkout.ts";
import { type TestRepo, testRepo } from "../helpers/git.ts";

const { signal } = new AbortController();
const OPEN = { privateAllowed: true, localAllowed: true };
let folder: string;
let repo: TestRepo;
let checkouts: Checkouts;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "checkouts-"));
  repo = testRepo({});
  checkouts = new Checkouts(join(folder, "repositories"), OPEN);
});
afterEach(() => {
  repo.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a checkout", () => {
  it("holds the files of its commit alone, of a branch, a tag or a commit that is no tip", async () => {
    const first = repo.commit({ "a.txt": "one", "dir/only-first.txt": "x" });
    repo.git("tag", "-a", "v1", "-m", "first");
    const second = repo.commit({ "a.txt": "two", "dir/only-first.txt": null });
    const tip = await checkouts.checkout({ url: repo.folder }, signal);
    expect(tip).toMatchObject({ commit: second, ref: "main", files: 1, bytes: 3, removed: [] });
    expect(readFileSync(join(tip.folder, "a.txt"), "utf8")).toBe("two");
    expect(readdirSync(tip.folder)).toEqual(["a.txt"]);
    const tagged = await checkouts.checkout({ url: repo.folder, ref: "v1" }, signal);
    expect(tagged).toMatchObject({ commit: first, ref: "v1", files: 2 });
    const third = repo.commit({ "a.txt": "three" });
    const older = await checkouts.checkout({ url: repo.folder, ref: second }, signal);
    expect(readdirSync(older.folder)).toEqual(["a.txt"]);
    expect((await checkouts.checkout({ url: repo.folder, ref: "main" }, signal)).commit).toBe(third);
    expect(await checkouts.refs({ url: repo.folder }, signal)).toEqual([
      { name: "main", kind: "branch", commit: third },
      { name: "v1", kind: "tag", commit: first },
    ]);
  });

  it("is fetched once: a second asking reads what stands, also when its origin is gone", async () => {
    const commit = repo.commit({ "a.txt": "one" });
    const target = { url: repo.folder, ref: commit };
    const [one, two] = await Promise.all([checkouts.checkout(target, signal), checkouts.checkout(target, signal)]);
    expect(two).toEqual(one);
    repo.close();
    expect(await checkouts.checkout(target, signal)).toEqual(one);
  });

  it("runs no hook and no filter, and lets no link lead outside", async () => {
    const mark = join(folder, "ran");
    repo.commit({
      ".gitattributes": "*.txt filter=evil\n",
      ".gitconfig": `[filter "evil"]\n\tsmudge = touch ${mark}\n`,
      "a.txt": "one",
      "deep/er/b.txt": "b",
    });
    repo.git("config", "core.hooksPath", join(repo.folder, "hooks"));
    mkdirSync(join(repo.folder, "hooks"));
    writeFileSync(join(repo.folder, "hooks", "post-checkout"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    symlinkSync("/etc/passwd", join(repo.folder, "outside"));
    symlinkSync("../../../etc", join(repo.folder, "climbs"));
    symlinkSync("../..", join(repo.folder, "deep/er/up"));
    symlinkSync("deep/er/up/../x", join(repo.folder, "through"));
    symlinkSync("a.txt", join(repo.folder, "inside"));
    const commit = repo.commit({});
    const got = await checkouts.checkout({ url: repo.folder }, signal);
    expect(got.commit).toBe(commit);
    expect(got.removed.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual(["link climbs", "link outside"]);
    expect(readFileSync(join(got.folder, "inside"), "utf8")).toBe("one");
    for (const gone of ["outside", "climbs"]) expect(() => lstatSync(join(got.folder, gone))).toThrow();
    expect(readdirSync(folder)).not.toContain("ran");
    const copy = join(folder, "copy");
    mkdirSync(copy);
    await checkouts.copyTo(got, copy);
    expect(readFileSync(join(copy, "inside"), "utf8")).toBe("one");
  });

  it("tells what differs between two commits", async () => {
    const first = repo.commit({ "a.txt": "one", "b.txt": "b", "a file with\ttab": "t" });
    const second = repo.commit({ "a.txt": "two", "c/d.txt": "d", "b.txt": null });
    expect(await checkouts.changed({ url: repo.folder }, first, second, signal)).toEqual([
      { path: "a.txt", change: "changed" },
      { path: "b.txt", change: "removed" },
      { path: "c/d.txt", change: "added" },
    ]);
  });

  it("refuses what is no ref, and refs that are options", async () => {
    repo.commit({ "a.txt": "one" });
    for (const ref of ["nowhere", "--upload-pack=touch x", "a..b", "a".repeat(300), "f".repeat(40)]) {
      await expect(checkouts.checkout({ url: repo.folder, ref }, signal), ref).rejects.toMatchObject({
        code: "unprocessable",
        reason: "The repository has no such branch, tag or commit.",
      });
    }
    await expect(checkouts.refs({ url: join(folder, "nothing") }, signal)).rejects.toMatchObject({
      code: "unprocessable",
    });
  });
});

describe("an address", () => {
  it("is one this workspace reaches", async () => {
    const shared = new Checkouts(join(folder, "shared"), { privateAllowed: false, localAllowed: false });
    const cases = [
      [repo.folder, "forbidden"],
      [`file://${repo.folder}`, "forbidden"],
      ["https://127.0.0.1/x/y", "forbidden"],
      ["https://localhost/x/y", "forbidden"],
      ["https://[::ffff:10.0.0.1]/x/y", "forbidden"],
      ["http://example.com/x/y", "bad_request"],
      ["ssh://git@example.com/x/y", "bad_request"],
      ["ext::sh -c touch% x", "bad_request"],
      ["git@example.com:x/y", "bad_request"],
      ["https://user:secret@example.com/x/y", "bad_request"],
    ] as const;
    for (const [url, code] of cases) await expect(shared.refs({ url }, signal), url).rejects.toMatchObject({ code });
  });

  it("gives a token to its own host and to no command line", async () => {
    repo.commit({ "a.txt": "one" });
    const seen: (string | undefined)[] = [];
    const { createServer } = await import("node:http");
    const server = createServer((req, res) => {
      seen.push(req.headers.authorization);
      res.writeHead(401).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const url = `http://127.0.0.1:${port}/x/y.git`;
    await expect(checkouts.refs({ url, token: "t0ken" }, signal)).rejects.toMatchObject({
      reason: "The repository cannot be read: there is none at this address, or it asks for a credential.",
    });
    server.close();
    expect(seen[0]).toBe(`Basic ${Buffer.from("x-access-token:t0ken").toString("base64")}`);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files)
      expect(readFileSync(join(parentPath, name)).includes("t0ken")).toBe(false);
  });
});
