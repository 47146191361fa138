import { resolve } from "node:path";
import { countOf } from "../../chapters/count-of.ts";
import type { ErrorCode } from "../../chapters/errors.ts";
import { UsageError } from "../cli/arguments.ts";
import type { Api } from "./api.ts";
import type { FoundFile, Skipped } from "./files.ts";
import type { Tell } from "./progress.ts";
import type { ReadFile } from "./report.ts";
import { isOfTheFile, sendEvidence } from "./send-evidence.ts";

/** What became of the files that were named. */
export interface ReadFiles {
  readonly files: readonly ReadFile[];
  /** Files of which nothing could be used, with why. */
  readonly skipped: readonly Skipped[];
  /** What a person should know of how files were read. */
  readonly notes: readonly string[];
}

/** Refusals that do not lie in a file: the next one would fare no better. */
const NOT_OF_THE_FILE: ReadonlySet<ErrorCode> = new Set(["internal", "rate_limited"]);

/**
 * Sends each file as it is, streamed; what it holds is found out. One that cannot be used is left out and told; throws
 * UsageError, with the first reason, where none can be used.
 */
export async function readFiles(
  api: Api,
  surface: string,
  files: readonly FoundFile[],
  provenance: "synthetic" | undefined,
  tell: Tell,
): Promise<ReadFiles> {
  const said = { surface, ...(provenance === undefined ? {} : { provenance }) };
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const read: ReadFile[] = [];
  const skipped: Skipped[] = [];
  const notes: string[] = [];
  let before = 0;
  for (const [i, { path, name, bytes }] of files.entries()) {
    const at = files.length === 1 ? name : `file ${i + 1} of ${files.length}, ${name},`;
    const sent = (n: number) => tell(at, { done: before + n, total, bytes: true });
    sent(0);
    try {
      const stored = await sendEvidence(api, said, resolve(path), sent);
      const { traces, calls, refused, losses = {} } = stored.stats;
      read.push({ evidence: stored.id, name, format: stored.format, traces, calls, refused, losses });
      for (const warning of stored.warnings ?? []) notes.push(`${path}: ${warning}`);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      if (files.length === 1) throw new UsageError(reason, [path]);
      skipped.push({ name, reason });
    }
    before += bytes;
  }
  const [first] = skipped;
  if (read.length === 0 && first)
    throw new UsageError(`None of the ${files.length} files can be used. The first: ${first.reason}`, [first.name]);
  return { files: read, skipped, notes };
}

/** Why a file cannot be used; undefined where the failure is not the file's. */
function reasonOf(error: unknown): string | undefined {
  if (isOfTheFile(error)) return NOT_OF_THE_FILE.has(error.code) ? undefined : error.reason;
  return unopened(error);
}

/** Why a file could not be opened or read on this machine; undefined for any other failure. */
export function unopened(error: unknown): string | undefined {
  const { code, syscall } = Object(error) as { code?: unknown; syscall?: unknown };
  const own = ["EACCES", "EPERM", "EISDIR", "ENOENT", "EIO"].includes(String(code));
  return own && (syscall === "open" || syscall === "read") ? `The file cannot be opened (${String(code)}).` : undefined;
}

/** `1,234 calls to tools`, and what is too little to build on, in numbers. */
export function seenText(files: readonly ReadFile[], skipped: readonly Skipped[]): string {
  const sum = (of: (file: ReadFile) => number) => files.reduce((all, file) => all + of(file), 0);
  const traced = files.filter(({ traces }) => traces > 0).length;
  const beside = files.length - traced;
  const parts = [
    `${countOf(
      sum(({ traces }) => traces),
      "trace",
    )} with ${countOf(
      sum(({ calls }) => calls),
      "tool call",
    )} in ${traced} of ${countOf(files.length, "file")}`,
    ...(beside === 0 ? [] : [`${beside} of another kind (${kindsOf(files)})`]),
    ...(skipped.length === 0 ? [] : [`${skipped.length} skipped`]),
  ];
  return parts.join("; ");
}

function kindsOf(files: readonly ReadFile[]): string {
  return [...new Set(files.filter(({ traces }) => traces === 0).map(({ format }) => format))].sort().join(", ");
}
