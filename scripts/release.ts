import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Component, objections } from "./licences.ts";

const run = promisify(execFile);

/** Runs npm and answers what it prints; what it says of a failure goes on to who reads it. */
async function npm(...args: readonly string[]): Promise<string> {
  const shell = process.platform === "win32";
  return (await run("npm", args, { maxBuffer: 2 ** 26, shell })).stdout;
}

/**
 * `node scripts/release.ts FOLDER [--unsigned]`: what a release consists of, in that folder: the package, the bill of
 * materials of all that is installed with it (CycloneDX), and the digests of both. Ends where a licence or a digest is
 * missing, or where the registry's signatures of what is installed do not hold; `--unsigned` leaves that last check out.
 */
async function main(folder: string, unsigned: boolean): Promise<void> {
  await run(process.execPath, ["scripts/lockfile.ts", "--check"]);
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const bill = await npm("sbom", "--sbom-format", "cyclonedx", "--omit", "dev", "--package-lock-only");
  const { components } = JSON.parse(bill) as { components: Component[] };
  const against = objections(components);
  if (against.length > 0) throw new Error(`these cannot be passed on:\n${against.join("\n")}`);
  console.log(`${components.length} packages: every licence is permissive, every one has a digest`);
  if (!unsigned) console.log((await npm("audit", "signatures")).trim());
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `proving-ground-${version}.cdx.json`), bill);
  await npm("pack", "--pack-destination", folder);
  const files = readdirSync(folder).filter((name) => name.startsWith(`proving-ground-${version}.`));
  const sums = files.map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex")}  ${name}`,
  );
  writeFileSync(join(folder, "SHA256SUMS"), `${sums.join("\n")}\n`);
  console.log(sums.join("\n"));
}

const [folder] = process.argv.slice(2).filter((word) => word !== "--unsigned");
if (folder === undefined) throw new Error("name the folder that the release is put into");
await main(folder, process.argv.includes("--unsigned")).catch((error: unknown) => {
  const { stderr, message } = Object(error) as { stderr?: string; message?: string };
  console.error(`release: ${stderr?.trim() || message}`);
  process.exitCode = 1;
});
