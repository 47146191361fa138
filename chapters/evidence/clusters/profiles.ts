import type { Column } from "./columns.ts";

/** A combination of values that some traces have. */
export interface Profile {
  /** One code a column. */
  readonly codes: Uint16Array;
  /** Positions of the traces that have it, in order. */
  readonly positions: readonly number[];
}

/** The distinct combinations of values among traces, in a deterministic order, without traces that have none. */
export function profilesOf(columns: readonly Column[]): Profile[] {
  const length = columns.reduce((most, { codes }) => Math.max(most, codes.length), 0);
  const known = new Map<string, { codes: Uint16Array; positions: number[] }>();
  for (let position = 0; position < length; position++) {
    let key = "";
    let empty = true;
    for (const { codes } of columns) {
      const code = codes[position] ?? 0;
      if (code !== 0) empty = false;
      key += String.fromCharCode(code);
    }
    if (empty) continue;
    const profile = known.get(key);
    if (profile) profile.positions.push(position);
    else
      known.set(key, { codes: Uint16Array.from(columns, ({ codes }) => codes[position] ?? 0), positions: [position] });
  }
  return [...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, profile]) => profile);
}

/** The share of fields in which two combinations differ, 0..1. */
export function distance(a: Uint16Array, b: Uint16Array): number {
  let differ = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) differ++;
  return a.length === 0 ? 0 : differ / a.length;
}
