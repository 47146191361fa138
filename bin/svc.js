#!/usr/bin/env node
// Runs on any Node, however old: nothing is imported before the version is known to do.
var version = process.versions.node.split(".").map(Number);
function old(least) {
  process.stderr.write(
    `svc needs Node ${least} or newer and this is ${process.versions.node}: install a current Node from https://nodejs.org, or run it with npx -y node@24.\n`,
  );
  process.exit(1);
}
// The embedded store's binary crashes below 22.14.
if (version[0] < 22 || (version[0] === 22 && version[1] < 14)) old("22.14");
Promise.all([import("node:fs"), import("node:module")])
  .then(([{ existsSync }, { enableCompileCache }]) => {
    // A client waits for the first answer: compiled code is kept between starts.
    enableCompileCache();
    // A checkout runs its sources, which a package does not hold; what was built in a checkout may be of yesterday.
    const source = new URL("../src/cli.ts", import.meta.url);
    if (!existsSync(source)) return import(new URL("../dist/src/cli.js", import.meta.url).href);
    if (!process.features.typescript) old("22.18 in a checkout");
    return import(source.href);
  })
  .then(({ main }) => main(process.argv.slice(2)))
  .catch((error) => {
    process.stderr.write(`svc: ${error.message}\n`);
    process.exitCode = 1;
  });
