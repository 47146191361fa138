import type { Ctx } from "../context.ts";
import type { Reading } from "../models/pass.ts";
import { changeValue, everyValue, type ValueDoc, valueId } from "./axes.ts";
import { DimensionValue } from "./dimension-schema.ts";

/** A value that a reader found in evidence. */
export interface Found {
  readonly field: string;
  readonly value: string;
  /** One sentence that says what it is. */
  readonly profile: string;
  /** Its share of use relative to the other values of its axis; absent where nobody counted. */
  readonly weight?: number;
  /** What shows it. */
  readonly cites: readonly string[];
}

/**
 * Writes what a reader found as proposals, at the reader's tier. A value that stands under this name or another spelling of
 * it, proposed, accepted or dismissed, is not proposed again: its cites grow.
 */
export async function proposeValues(
  ctx: Ctx,
  found: readonly Found[],
  read: Pick<Reading<unknown>, "tier" | "prompt_version">,
): Promise<{ readonly proposed: ValueDoc[]; readonly deduped: number }> {
  const proposed: ValueDoc[] = [];
  let deduped = 0;
  for (const { field, value, profile, weight, cites } of found) {
    const wanted = folded(value);
    const known = (await everyValue(ctx, field)).find((row) =>
      [row.value, ...row.spellings].some((one) => folded(one) === wanted),
    );
    if (known) {
      deduped += 1;
      await changeValue(ctx, known.id, (row) => ({
        ...row,
        cites: [...new Set([...row.cites, ...cites])],
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
      profile: { what: profile },
      cites: [...new Set(cites)],
      spellings: [],
      ...(read.prompt_version === null ? {} : { prompt_version: read.prompt_version }),
      tier: read.tier,
      status: "proposed",
    };
    if (await ctx.store.records.insert(DimensionValue, doc)) proposed.push(doc);
  }
  return { proposed, deduped };
}

/** A value's words without case, marks and the space between them. */
function folded(value: string): string {
  return value.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}
