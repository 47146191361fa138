import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The environment variable that names the folder in which the processes of one run of the tests share what they computed. */
export const RESULTS = "TEST_RESULTS";

/** A new folder that goes with the run of the tests. */
export const folderOfRun = (prefix: string): string => mkdtempSync(join(process.env[RESULTS] ?? tmpdir(), prefix));

/** Makes that folder before the tests of a run; answers what removes it after them. One that is named already is for several runs. */
export default function setup(): (() => void) | undefined {
  if (process.env[RESULTS] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "svc-test-results-"));
  process.env[RESULTS] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
