import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { AppError } from "../../chapters/errors.ts";
import { filesOf } from "../evaluate/files.ts";
import { print, printJson, progress } from "./output.ts";
import type { Env } from "./place.ts";
import { withApi } from "./reach.ts";

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

interface Stored {
  readonly id: string;
  readonly kind: string;
  readonly format: string;
  readonly stats: { readonly traces: number; readonly calls: number; readonly refused: number };
}

/**
 * `svc push FILES…`: streams each file as evidence and prints what was taken of it. 0 when all were stored, 1 when one was
 * not: the others are sent all the same, and sending a file again stores it once.
 */
export async function pushCommand(env: Env, named: readonly string[], options: PushOptions): Promise<number> {
  const { surface, kind, format, provenance, dataAccess: data_access, source, allowSecrets: allow_secrets } = options;
  const facts = { surface, kind, format, provenance, data_access, source, allow_secrets };
  const files = named.flatMap(filesOf);
  if (files.length === 0) throw new AppError("bad_request", "There are no files in what was named.");
  return withApi(env, async (api) => {
    const rows: Record<string, unknown>[] = [];
    for (const file of files) {
      const shown = progress(`${basename(file)}: 0 %`);
      const size = Math.max(1, statSync(file).size);
      const tell = (bytes: number) => shown.tell(`${basename(file)}: ${Math.floor((100 * bytes) / size)} %`);
      // The tag of an org token's own org is known to the service.
      const args = { ...facts, ...(env.SVC_ORG ? { org: env.SVC_ORG } : {}) };
      const row = await api.send<Stored>("evidence_post", args, resolve(file), tell).then(
        ({ id, kind, format, stats }) => ({ file, id, kind, format, ...stats }),
        (error: unknown) => ({ file, ...refused(error) }),
      );
      shown.end();
      rows.push(row);
      if (!options.json) print(lineOf(row));
    }
    if (options.json) printJson({ files: rows });
    return rows.every((row) => row.error === undefined) ? 0 : 1;
  });
}

/** A file's own refusal; anything else, such as a service that does not answer, ends the command. */
function refused(error: unknown): { error: string; reason: string } {
  if (error instanceof AppError && !["unavailable", "unauthenticated", "forbidden"].includes(error.code))
    return { error: error.code, reason: error.reason };
  throw error;
}

function lineOf(row: Record<string, unknown>): string {
  if (row.error !== undefined) return `${row.file}\tnot stored: ${row.reason}`;
  return `${row.file}\t${row.id}\t${row.kind} ${row.format}: ${row.traces} traces, ${row.calls} calls, ${row.refused} refused`;
}
