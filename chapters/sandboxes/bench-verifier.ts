import type { ZipFile } from "../exports/zip.ts";

/** The grader as files that run on a bare Node, beside a task's own. */
export interface VerifierSource {
  /** Plain JavaScript modules with paths below one folder; `entry` is the one to run. */
  files(): Promise<{ readonly entry: string; readonly files: readonly ZipFile[] }>;
}
