import { setImmediate } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import { unprocessable } from "../../errors.ts";
import type { ValuePositions } from "../../ports/store.ts";
import { lengthOf } from "../attributes/attributes.ts";
import { filterable } from "../traces/match.ts";

/** One field of a record's traces, by position: 0 where a trace has none, else one more than the value's place in `values`. */
export interface Column {
  readonly field: string;
  /** In order. */
  readonly values: readonly string[];
  readonly codes: Uint16Array;
}

/** A field of more values than this tells traces apart one by one; it groups none. */
const MOST_VALUES = 200;

/**
 * The fields that traces can be grouped by: those named, else all that half of the traces have and that take two to 200
 * values, but for one `without`. 422 where none is left.
 */
export async function groupingFields(
  ctx: Ctx,
  evidence: string,
  named?: readonly string[],
  without?: string,
): Promise<readonly string[]> {
  const { counts, unfilterable } = await filterable(ctx, evidence);
  const apart = new Set(unfilterable.map(({ field }) => field));
  const fields = [...counts].flatMap(([field, values]) => {
    const distinct = new Set(values.map(({ value }) => value)).size;
    return field === without || apart.has(field) || distinct < 2 || distinct > MOST_VALUES ? [] : [field];
  });
  const unfit = (named ?? []).filter((field) => !fields.includes(field));
  if (unfit.length > 0)
    throw unprocessable(
      "Some fields group no traces: a field must be filled for half of them and take 2 to 200 values.",
      { names: unfit },
    );
  const wanted = named ?? fields;
  if (wanted.length === 0)
    throw unprocessable(
      "No attribute groups these traces: none is filled for half of them with 2 to 200 values. Read them first: evidence_extract.",
    );
  return wanted;
}

/** Fields of a record's traces as columns. */
export async function columnsOf(ctx: Ctx, evidence: string, fields: readonly string[]): Promise<Column[]> {
  const columns: Column[] = [];
  for (const field of fields) {
    columns.push(columnOf(field, await ctx.store.attributes.valuePositions(evidence, field)));
    // Other callers have their turn between columns.
    await setImmediate();
    ctx.signal.throwIfAborted();
  }
  return columns;
}

function columnOf(field: string, placed: readonly ValuePositions[]): Column {
  const values = [...new Set(placed.map(({ value }) => value))].sort();
  const code = new Map(values.map((value, i) => [value, i + 1]));
  const codes = new Uint16Array(lengthOf(placed));
  for (const { value, positions } of placed) for (const position of positions) codes[position] = code.get(value) ?? 0;
  return { field, values, codes };
}
