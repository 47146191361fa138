#!/usr/bin/env node
// Runs on any Node, however old: nothing is imported before the version is known to do.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 12)) {
  process.stderr.write(
    "svc needs Node 22.12 or newer and this is " +
      process.versions.node +
      ": install a current Node from https://nodejs.org, or run it with npx -y node@24.\n",
  );
  process.exit(1);
}
Promise.all([import("node:fs"), import("node:module")])
  .then(([{ existsSync }, { enableCompileCache }]) => {
    // A client waits for the first answer: compiled code is kept between starts.
    enableCompileCache();
    const built = new URL("../dist/src/cli.js", import.meta.url);
    return import(existsSync(built) ? built.href : new URL("../src/cli.ts", import.meta.url).href);
  })
  .then(({ main }) => main(process.argv.slice(2)))
  .catch((error) => {
    process.stderr.write(`svc: ${error.message}\n`);
    process.exitCode = 1;
  });
