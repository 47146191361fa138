import { named } from "../../chapters/count-of.ts";
import { AppError } from "../../chapters/errors.ts";
import type { Api } from "./api.ts";
import { fileBody } from "./file-body.ts";

/** What is told of a file that is sent: fields of `evidence_post`. */
export interface EvidenceArgs {
  readonly [field: string]: unknown;
  readonly format?: string | undefined;
}

/** What the service answers of a file that it stored. */
export interface SentEvidence {
  readonly id: string;
  readonly kind: string;
  readonly format: string;
  readonly stats: {
    readonly traces: number;
    readonly calls: number;
    readonly refused: number;
    readonly bytes: number;
    /** What the stored form does not hold, by name, with how often; a service of before may not tell. */
    readonly losses?: Readonly<Record<string, number>>;
  };
  /** SHA-256 of the bytes that arrived, hex. */
  readonly digest?: string;
  /** What a person should know of how it was read. */
  readonly warnings?: readonly string[];
}

/**
 * Sends a file as evidence. What arrived is compared with the file, by the service before it stores and here by its
 * answer. Throws AppError: refused; other bytes arrived than were sent.
 */
export async function sendEvidence(
  api: Api,
  args: EvidenceArgs,
  file: string,
  sent?: (bytes: number) => void,
): Promise<SentEvidence> {
  const body = await fileBody(file);
  // A file is whole: an export in it is read now, and not kept open for spans that come later.
  const stored = await api.send<SentEvidence>("evidence_post", { ...args, format: args.format ?? "auto" }, body, sent);
  const same = stored.stats.bytes === body.bytes && (stored.digest === undefined || stored.digest === body.sha256);
  if (!same)
    throw new AppError(
      "internal",
      `The service took ${stored.stats.bytes} of ${body.bytes} bytes, or others than were sent. Delete the record with evidence_delete and send the file again.`,
      { names: [stored.id] },
    );
  return stored;
}

/** `not kept: reward_details 2, task_definition 1`, the most frequent first; nothing where all was kept. */
export function lossesText(losses: Readonly<Record<string, number>> = {}): string {
  const counted = Object.entries(losses).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return counted.length === 0 ? "" : `not kept: ${named(counted.map(([name, n]) => `${name} ${n}`))}`;
}

/** Whether a refusal is of the file itself: sent again as it is, it would be refused again. */
export function isOfTheFile(error: unknown): error is AppError {
  return error instanceof AppError && !["unavailable", "unauthenticated", "forbidden"].includes(error.code);
}

/** Says on standard error what a person should know of how a file was read. */
export function sayWarnings(file: string, { warnings }: Pick<SentEvidence, "warnings">): void {
  for (const warning of warnings ?? []) process.stderr.write(`svc: ${file}: ${warning}\n`);
}
