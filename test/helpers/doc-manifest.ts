import { type DocBlock, docBlocks } from "./doc-blocks.ts";

/** Which test runs each block of the README and the documentation. A block that is not named here fails a test. */
const RUN_BY: Readonly<Record<string, readonly string[]>> = {
  "docs-run": [
    "README.md sh 1",
    "README.md sh 2",
    "README.md sh 3",
    "CONTRIBUTING.md sh 1",
    "CONTRIBUTING.md sh 2",
    "CONTRIBUTING.md sh 3",
    "docs/command-line.md sh 1",
    "docs/command-line.md sh 2",
    "docs/command-line.md sh 3",
    "docs/connect.md sh 1",
    "docs/connect.md sh 2",
    "docs/connect.md sh 3",
    "docs/deploy.md sql 1",
    "docs/deploy.md sh 1",
    "docs/deploy.md sh 2",
    "docs/deploy.md sh 3",
    "docs/measure.md sh 1",
    "docs/measure.md sh 2",
    "docs/operating.md sh 1",
    "docs/security.md sql 1",
  ],
  "docs-settings": [
    "docs/connect.md json 1",
    "docs/connect.md json 2",
    "docs/connect.md json 3",
    "docs/connect.md json 4",
    "docs/connect.md toml 1",
    "docs/connect.md toml 2",
    "docs/deploy.md ini 1",
    "docs/deploy.md ini 2",
    "docs/deploy.md ini 3",
    "docs/deploy.md ini 4",
    "docs/deploy.md ini 5",
    "docs/deploy.md nginx 1",
    "docs/deploy.md caddyfile 1",
  ],
  // Agents of the contract's page: they play trials there.
  "trial-contract": ["docs/trial-contract.md js 1", "docs/trial-contract.md python 1", "docs/trial-contract.md sh 1"],
};

/** The blocks that no test runs, and those named here that no page has any more. */
export function unmatched(): { readonly unrun: readonly string[]; readonly stale: readonly string[] } {
  const there = docBlocks().map(({ key }) => key);
  const named = Object.values(RUN_BY).flat();
  return { unrun: there.filter((key) => !named.includes(key)), stale: named.filter((key) => !there.includes(key)) };
}

/** The keys of the blocks that no test can run as they stand; a test reads what they say. */
export function notRun(): string[] {
  return docBlocks().flatMap(({ key, noRun }) => (noRun === undefined ? [] : [key]));
}

/** The tests that are named. */
export const RUNNERS: readonly string[] = Object.keys(RUN_BY);

/** A block that a test runs. Throws where the manifest gives it to another test, or no page has it. */
export function blockFor(test: string, key: string): DocBlock {
  if (!RUN_BY[test]?.includes(key)) throw new Error(`${key} is not of ${test}`);
  const found = docBlocks().find((block) => block.key === key);
  if (!found) throw new Error(`no page has ${key}`);
  return found;
}

/** The keys of a test's own blocks. */
export function keysFor(test: string): readonly string[] {
  return RUN_BY[test] ?? [];
}
