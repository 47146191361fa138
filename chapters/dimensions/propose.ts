import type { Ctx } from "../context.ts";
import type { Reading } from "../models/pass.ts";
import { DimensionValue } from "../records/ontology/dimension.ts";
import { changeValue, everyValue, type ValueDoc, valueId } from "./axes.ts";
import { plainSpelling } from "./spellings.ts";

/** A value that a reader found in evidence. */
export interface Found {
  readonly field: string;
  readonly value: string;
  /** One sentence that says what it is, or what is known of it by name. */
  readonly profile?: string | Readonly<Record<string, string>> | undefined;
  /** Its share of use relative to the other values of its axis; absent where nobody counted. */
  readonly weight?: number;
  /** In how many traces of the evidence it was seen; absent where nobody counted. */
  readonly traces?: number;
  /** What shows it. */
  readonly cites: readonly string[];
}

/**
 * Writes what a reader found as proposals, at the reader's tier. A value that stands under this name or another spelling of
 * it, proposed, accepted or dismissed, is not proposed again: its cites grow, and its traces by those of evidence that it
 * did not cite yet.
 */
export async function proposeValues(
  ctx: Ctx,
  found: readonly Found[],
  read: Pick<Reading<unknown>, "tier" | "prompt_version">,
): Promise<{ readonly proposed: ValueDoc[]; readonly deduped: number }> {
  const proposed: ValueDoc[] = [];
  let deduped = 0;
  const known = new Map<string, string>();
  for (const row of await everyValue(ctx))
    for (const name of [row.value, ...row.spellings]) known.set(spelt(row.field, name), row.id);
  for (const { field, value, profile, weight, traces, cites } of found) {
    const key = spelt(field, value);
    const same = known.get(key);
    if (same !== undefined) {
      deduped += 1;
      await changeValue(ctx, same, (row) => ({
        ...row,
        cites: [...new Set([...row.cites, ...cites])],
        ...(traces === undefined || cites.every((id) => row.cites.includes(id))
          ? {}
          : { traces: (row.traces ?? 0) + traces }),
      }));
      continue;
    }
    const doc: ValueDoc = {
      id: valueId(field, value),
      created_at: ctx.now(),
      by: ctx.caller.name,
      field,
      value,
      origin: "derived",
      ...(weight === undefined ? {} : { weight }),
      ...(traces === undefined ? {} : { traces }),
      ...(profile === undefined ? {} : { profile: typeof profile === "string" ? { what: profile } : { ...profile } }),
      cites: [...new Set(cites)],
      spellings: [],
      ...(read.prompt_version === null ? {} : { prompt_version: read.prompt_version }),
      tier: read.tier,
      status: "proposed",
    };
    if (await ctx.store.records.insert(DimensionValue, doc)) proposed.push(doc);
    known.set(key, doc.id);
  }
  return { proposed, deduped };
}

function spelt(field: string, value: string): string {
  return `${field} ${plainSpelling(value)}`;
}
