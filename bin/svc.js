#!/usr/bin/env node
// Runs on any Node that has modules: nothing of ours is imported before the version is known to do.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const manifest = (name) => JSON.parse(readFileSync(path(name), "utf8"));

function refuse(why) {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

/** Whether this Node is older than a version such as `22.14`. */
function olderThan(version) {
  const [own, other] = [process.versions.node, version].map((each) => each.split(".").map(Number));
  const at = other.findIndex((part, i) => part !== own[i]);
  return at >= 0 && own[at] < other[at];
}

/** Starts this again with another Node, and ends as that does. */
function again(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => {
      // What a terminal sends goes to both already.
      if (signal === "SIGTERM" || !process.stdin.isTTY) child.kill(signal);
    });
  child.on("error", (error) => refuse(`svc: ${node} does not start (${error.message}): run npm ci again.`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Runs what `load` imports. */
async function start(load) {
  try {
    // A client waits for the first answer: compiled code is kept between starts.
    if (nodeModule.enableCompileCache) nodeModule.enableCompileCache();
    const { main } = await load();
    await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`svc: ${error.message}\n`);
    process.exitCode = 1;
  }
}

// A checkout runs its sources, which a package does not hold; what was built in a checkout may be of yesterday.
if (existsSync(path("src/cli.ts"))) {
  if (!existsSync(path("node_modules")))
    refuse(`svc: nothing is installed in this checkout: run npm ci in ${path(".")}`);
  const brought = path("node_modules/node/bin/node");
  const major = existsSync(brought) && manifest("node_modules/node/package.json").version.split(".")[0];
  if (major && olderThan(major) && realpathSync(brought) !== realpathSync(process.execPath)) again(brought);
  else if (!process.features.typescript)
    refuse(`svc: the checkout lacks the Node that it brings: run npm ci in ${path(".")}`);
  else start(() => import("../src/cli.ts"));
} else {
  const least = manifest("package.json").engines.node.replace(/[^\d.]/g, "");
  if (olderThan(least))
    refuse(
      `svc needs Node ${least} or newer and this is ${process.versions.node}: install a current Node from https://nodejs.org, or run it with npx -y node@24.`,
    );
  else start(() => import("../dist/src/cli.js"));
}
