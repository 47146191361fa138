import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findFiles } from "../../src/evaluate/files.ts";
import { withPipesRead } from "../../src/evaluate/pipes.ts";
import { unopened } from "../../src/evaluate/read-files.ts";
import { svcHere } from "../cli/svc-here.ts";
import { runSvc } from "../helpers/process.ts";
import { trial } from "../tools/evidence/kit.ts";

const folder = mkdtempSync(join(tmpdir(), "pipes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = { SVC_DATA_DIR: join(folder, "store"), XDG_CONFIG_HOME: join(folder, "config"), TMPDIR: folder };
const text = JSON.stringify([trial(1, 1), trial(2, 1)]);

/** A named pipe into which somebody writes that text. */
function pipeOf(name: string, content: string): string {
  const path = join(folder, name);
  execFileSync("mkfifo", [path]);
  const writer = spawn("sh", ["-c", 'cat > "$1"', "sh", path], { stdio: ["pipe", "ignore", "ignore"] });
  writer.stdin.end(content);
  return path;
}

describe("a pipe", () => {
  it("is pushed like a file, under the name that it was given by", async () => {
    const path = pipeOf("traces", text);
    const { code, stdout, stderr } = await svcHere(["push", path, "--json"], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout).files).toMatchObject([{ file: path, traces: 2, calls: 2, bytes: text.length }]);
    expect(readdirSync(folder).filter((name) => name.startsWith("svc-"))).toEqual([]);
  });

  it("may be standard input", async () => {
    const { code, stdout } = await runSvc(["push", "-"], env, text);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^-\t\S+\ttraces tau-bench: 2 traces, 2 calls/)]);
  });

  it("is read whole before it is used, and its copy is gone after a failure", async () => {
    const path = pipeOf("more", text);
    let copy = "";
    const failing = withPipesRead([path], async ([file = ""]) => {
      copy = file;
      expect(findFiles([file]).files).toMatchObject([{ name: "more", bytes: text.length }]);
      throw new Error("failed");
    });
    await expect(failing).rejects.toThrow("failed");
    expect(() => findFiles([copy])).toThrow("no such file");
  });

  it("is compared too, and what is neither pipe nor file is refused in a sentence", async () => {
    const { code, stderr } = await svcHere(["compare", pipeOf("a", "{}"), pipeOf("b", "{}")], env);
    expect([code, stderr]).toEqual([2, expect.stringContaining("holds no verdicts that can be compared")]);
    const device = await svcHere(["push", "/dev/null"], env);
    expect([device.code, device.stderr]).toEqual([
      2,
      expect.stringContaining("neither a file nor a folder nor a pipe"),
    ]);
  });
});

it("links that lead nowhere and pipes in a folder are told, links to folders passed by", () => {
  const inner = join(folder, "inner");
  mkdirSync(inner);
  writeFileSync(join(inner, "one.json"), text);
  symlinkSync(join(folder, "nowhere"), join(inner, "broken"));
  symlinkSync(folder, join(inner, "loop"));
  execFileSync("mkfifo", [join(inner, "pipe")]);
  const { files, skipped } = findFiles([inner]);
  expect(files).toMatchObject([{ name: "one.json" }]);
  expect(skipped).toEqual([
    { name: join(inner, "broken"), reason: "the link leads to no file" },
    { name: join(inner, "pipe"), reason: "it is no file" },
  ]);
});

it("a file that cannot be opened is told by name, and the others are pushed", async () => {
  const shut = join(folder, "shut.json");
  writeFileSync(shut, text);
  chmodSync(shut, 0);
  // Whoever may open everything is not refused.
  const refused = process.getuid?.() !== 0;
  const open = join(folder, "open.json");
  writeFileSync(open, text);
  const { code, stdout } = await svcHere(["push", shut, open, "--json"], env);
  const [first, second] = JSON.parse(stdout).files;
  expect([code, first.error, second.traces]).toEqual(refused ? [2, "forbidden", 2] : [0, undefined, 2]);
  expect(unopened(Object.assign(new Error(), { code: "EACCES", syscall: "open" }))).toContain("cannot be opened");
});

it("a store that cannot be opened is one sentence, also where a file is read before it is asked", async () => {
  const file = join(folder, "large.json");
  writeFileSync(file, "x".repeat(32 * 1024 * 1024));
  const { code, stderr } = await runSvc(["push", file], { ...env, SVC_DATA_DIR: join(file, "store") });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^svc: A file stands where a folder is needed.*\n$/)]);
});
