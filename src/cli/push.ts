import { resolve } from "node:path";
import { countOf } from "../../chapters/count-of.ts";
import type { ErrorCode } from "../../chapters/errors.ts";
import { findFiles } from "../evaluate/files.ts";
import { withPipesRead } from "../evaluate/pipes.ts";
import { unopened } from "../evaluate/read-files.ts";
import { isOfTheFile, lossesText, type SentEvidence, sayWarnings, sendEvidence } from "../evaluate/send-evidence.ts";
import { UsageError } from "./arguments.ts";
import { withApi } from "./connect.ts";
import type { Env } from "./environment.ts";
import { print, printJson, progress, say } from "./output.ts";

/** What is told of the files that are sent: fields of `evidence_post`. */
export interface PushOptions {
  readonly surface?: string;
  readonly kind?: string;
  readonly format?: string;
  readonly provenance?: string;
  readonly dataAccess?: string;
  readonly source?: string;
  readonly allowSecrets?: boolean;
  readonly json?: boolean;
}

/**
 * `svc push FILES…`: streams each file as evidence and prints what was taken of it. 0 when all were stored; 2 when a file
 * cannot be taken as it is, 1 when the service failed: the others are sent all the same, and a file sent again is stored once.
 */
export async function pushCommand(env: Env, named: readonly string[], options: PushOptions): Promise<number> {
  const { surface, kind, format, provenance, dataAccess: data_access, source, allowSecrets: allow_secrets } = options;
  const facts = { surface, kind, format, provenance, data_access, source, allow_secrets };
  return withPipesRead(named, (paths) => pushFiles(env, named, paths, facts, options.json === true));
}

async function pushFiles(
  env: Env,
  named: readonly string[],
  paths: readonly string[],
  facts: Readonly<Record<string, unknown>>,
  json: boolean,
): Promise<number> {
  const { files, skipped } = findFiles(paths);
  const givenAs = new Map(paths.map((path, i) => [path, named[i] ?? path]));
  for (const { name, reason } of skipped) say(`svc: ${name}: ${reason}`);
  if (files.length === 0)
    throw new UsageError("There are no files in what was named. Name files, or folders that hold files.");
  return withApi(env, async (api) => {
    const rows: Row[] = [];
    for (const { path, name, bytes: size } of files) {
      const file = givenAs.get(path) ?? path;
      const shown = progress(`${name}: 0 %`);
      const tell = (bytes: number) => shown.tell(`${name}: ${Math.floor((100 * bytes) / Math.max(1, size))} %`);
      // The tag of an org token's own org is known to the service.
      const args = { ...facts, ...(env.SVC_ORG ? { org: env.SVC_ORG } : {}) };
      const row = await sendEvidence(api, args, resolve(path), tell).then(
        (stored) => taken(file, stored),
        refused(file),
      );
      shown.end();
      rows.push(row);
      if (json) continue;
      print(lineOf(row));
      sayWarnings(file, row);
    }
    if (json) printJson({ files: rows });
    return Math.max(...rows.map(({ error }) => (error === undefined ? 0 : OUR_FAULT.has(error) ? 1 : 2)));
  });
}

/** One file as `--json` tells it. */
interface Row {
  readonly file: string;
  readonly error?: ErrorCode;
  readonly warnings?: readonly string[];
  readonly [told: string]: unknown;
}

/** Refusals that do not lie in the file. */
const OUR_FAULT: ReadonlySet<ErrorCode> = new Set(["internal", "rate_limited"]);

function taken(file: string, { id, kind, format, stats, digest, warnings }: SentEvidence): Row {
  return { file, id, kind, format, ...stats, sha256: digest, ...(warnings === undefined ? {} : { warnings }) };
}

/** A file's own refusal; anything else, such as a service that does not answer, ends the command. */
function refused(file: string): (error: unknown) => Row {
  return (error) => {
    const reason = unopened(error);
    if (reason !== undefined) return { file, error: "forbidden", reason };
    if (!isOfTheFile(error)) throw error;
    return { file, error: error.code, reason: error.reason, names: error.details.names };
  };
}

function lineOf(row: Row): string {
  if (row.error !== undefined) return `${row.file}\tnot stored: ${row.reason}`;
  const lost = lossesText(row.losses as Readonly<Record<string, number>> | undefined);
  return `${row.file}\t${row.id}\t${row.kind} ${row.format}: ${countOf(Number(row.traces), "trace")}, ${countOf(Number(row.calls), "call")}, ${row.refused} refused${lost === "" ? "" : `; ${lost}`}`;
}
