import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PAGES, pageText, ROOT } from "../helpers/doc-blocks.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-bin-"));
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  engines: { node: string };
  devEngines: { runtime: { version: string } };
};
const LEAST = manifest.engines.node.replace(">=", "");
/** What stands in for the command line: says how it was started, and ends as it is told. */
const MAIN = `export async function main(args) {
  if (args[0] === "wait") process.on("SIGTERM", () => process.exit(7));
  console.log(JSON.stringify({ args, node: process.versions.node, faked: process.execArgv.length > 0 }));
  if (args[0] === "echo") for await (const chunk of process.stdin) process.stdout.write(chunk);
  if (args[0] === "wait") setInterval(() => {}, 1000);
  if (args[0] === "die") process.kill(process.pid, "SIGKILL");
  process.exitCode = Number(args[1] ?? 0);
}`;

/** A folder with the package's manifest, its bin, and one module. */
function laidOut(name: string, module: string): string {
  const root = join(folder, name);
  mkdirSync(join(root, module, ".."), { recursive: true });
  cpSync(join(ROOT, "bin"), join(root, "bin"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(root, "package.json"));
  writeFileSync(join(root, module), MAIN);
  return root;
}

/** Gives a checkout a Node: this one, under the version that it brings. */
function brings(root: string, version: string): void {
  mkdirSync(join(root, "node_modules/node/bin"), { recursive: true });
  writeFileSync(join(root, "node_modules/node/package.json"), JSON.stringify({ version }));
  // A file of another place than this Node's own, or bin would take it for itself.
  writeFileSync(join(root, "node_modules/node/bin/node"), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, {
    mode: 0o755,
  });
}

let packed: string;
let checkout: string;
beforeAll(() => {
  packed = laidOut("packed", "dist/src/cli.js");
  checkout = laidOut("checkout", "src/cli.ts");
  brings(checkout, "24.1.0");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The arguments of a Node that takes itself for another version, and lacks what an older one lacks. */
function as(version: string, root: string): string[] {
  const fake = join(folder, `node-${version}.cjs`);
  const value = `{ value: { ...process.versions, node: "${version}" } }`;
  writeFileSync(fake, `Object.defineProperty(process, "versions", ${value});`);
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const strips = major > 22 || (major === 22 && minor >= 18);
  return [...(strips ? [] : ["--no-experimental-strip-types"]), "--require", fake, join(root, "bin/svc.js")];
}
const run = (version: string, root: string, args: string[] = [], input = "") =>
  spawnSync(process.execPath, [...as(version, root), ...args], { input, encoding: "utf8" });

it.each(["18.20.0", "20.19.1", "22.12.0", "22.13.1"])(
  "the package on Node %s says in one line what it needs",
  (version) => {
    const { status, stdout, stderr } = run(version, packed);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^svc needs [^\n]+\n$/);
    expect(stderr).toContain(`svc needs Node ${LEAST} or newer and this is ${version}: `);
  },
);

it.each([LEAST, `${LEAST}.0`, "22.20.1", "23.0.0", "26.1.0"])("the package runs on Node %s", (version) => {
  const { status, stdout } = run(version, packed, ["a", "3"]);
  expect(JSON.parse(stdout)).toEqual({ args: ["a", "3"], node: version, faked: true });
  expect(status).toBe(3);
});

it.each(["18.20.0", "20.19.1", "22.20.1"])(
  "a checkout on Node %s starts again with the Node that it brings",
  (version) => {
    const { status, stdout } = run(version, checkout, ["echo", "5"], "one\ntwo\n");
    const [first = "", ...rest] = stdout.split("\n");
    expect(JSON.parse(first)).toEqual({ args: ["echo", "5"], node: process.versions.node, faked: false });
    expect([rest, status]).toEqual([["one", "two", ""], 5]);
  },
);

it.each(["24.0.0", "24.2.1", "26.0.0"])("a checkout on Node %s, which is not older, stays with it", (version) => {
  expect(JSON.parse(run(version, checkout).stdout)).toMatchObject({ node: version, faked: true });
});

it("passes signals on, and ends as the other Node ended", async () => {
  expect(run("20.19.1", checkout, ["die"]).signal).toBe("SIGKILL");
  const child: ChildProcess = spawn(process.execPath, [...as("20.19.1", checkout), "wait"]);
  await once(child.stdout as NonNullable<typeof child.stdout>, "data");
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([7, null]);
});

it("a checkout in which nothing is installed, or not the Node that it brings, says how to", () => {
  const bare = laidOut("bare", "src/cli.ts");
  for (const version of ["20.19.1", "24.2.1"]) {
    const { status, stderr } = run(version, bare);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: `svc: nothing is installed in this checkout: run npm ci in ${bare}/\n`,
    });
  }
  mkdirSync(join(bare, "node_modules"));
  expect(run("20.19.1", bare).stderr).toBe(`svc: the checkout lacks the Node that it brings: run npm ci in ${bare}/\n`);
  brings(bare, "24.1.0");
  rmSync(join(bare, "node_modules/node/bin/node"));
  writeFileSync(join(bare, "node_modules/node/bin/node"), "");
  expect(run("20.19.1", bare).stderr).toMatch(/^svc: .*node does not start .*run npm ci again\.\n$/);
  // The Node that it brings never starts itself again, whatever its version is said to be.
  rmSync(join(bare, "node_modules/node/bin/node"));
  symlinkSync(process.execPath, join(bare, "node_modules/node/bin/node"));
  writeFileSync(join(bare, "node_modules/node/package.json"), JSON.stringify({ version: "99.0.0" }));
  expect(JSON.parse(run("24.2.1", bare).stdout)).toMatchObject({ node: "24.2.1" });
});

it("the README says which Node a checkout and the package need, each once, as package.json has it; no page says another", () => {
  const said = PAGES.flatMap((page) =>
    [...pageText(page).matchAll(/\bNode(?:\.js)? v?(\d[\d.]*\d)(?: or (?:newer|later)|\+)?/g)].map(
      ([, version]) => `${page} ${version}`,
    ),
  );
  const checkoutNeeds = manifest.devEngines.runtime.version.replace(">=", "");
  // The table of dependencies names the Node that one of them would need.
  const others = ["docs/dependencies.md 22.19"];
  expect(said.filter((each) => !others.includes(each)).sort()).toEqual(
    [`README.md ${checkoutNeeds}`, `README.md ${LEAST}`].sort(),
  );
});
