import type { AuditLine } from "../chapters/ports/store.ts";
import { canonicalText, sha256 } from "./text.ts";

/** What stands before the first line of a chain. */
export const CHAIN_START = "0".repeat(64);

/** The hash of a line: SHA-256 over the hash before it, its org and all else it says. */
export function chainHash(before: string, org: string, line: Omit<AuditLine, "hash">): string {
  const { seq, at, by, act, fields } = line;
  return sha256(canonicalText([before, org, seq, at, by, act, fields]));
}

/** The number of the first line, oldest first, that does not follow from the ones before it; undefined when all do. */
export function brokenAt(org: string, lines: readonly AuditLine[], before = CHAIN_START, next = 1): number | undefined {
  for (const line of lines) {
    if (line.seq !== next || line.hash !== chainHash(before, org, line)) return line.seq;
    before = line.hash;
    next += 1;
  }
  return undefined;
}
