/** Fields of the table that aligning two sequences fills; longer ones are paired by their place. */
const MOST_FIELDS = 400_000;

/** A pair of aligned items; one of them is absent where the other has no counterpart. */
export interface Aligned<T> {
  readonly a?: T;
  readonly b?: T;
}

/** Aligns two sequences in their order so that the sum of `likeness` over the pairs is largest; 0 never pairs. Pure. */
export function align<T>(a: readonly T[], b: readonly T[], likeness: (x: T, y: T) => number): Aligned<T>[] {
  const wide = b.length + 1;
  if ((a.length + 1) * wide > MOST_FIELDS) return byIndex(a, b);
  // best[i * wide + j] is the best sum for what follows a[i] and b[j].
  const best = new Float64Array((a.length + 1) * wide);
  const like = (i: number, j: number) => likeness(a[i] as T, b[j] as T);
  const at = (i: number, j: number) => best[i * wide + j] as number;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const pair = like(i, j);
      best[i * wide + j] = Math.max(at(i + 1, j), at(i, j + 1), pair > 0 ? pair + at(i + 1, j + 1) : 0);
    }
  const rows: Aligned<T>[] = [];
  for (let [i, j] = [0, 0]; i < a.length || j < b.length; ) {
    const pair = i < a.length && j < b.length ? like(i, j) : 0;
    if (pair > 0 && at(i, j) === pair + at(i + 1, j + 1)) rows.push({ a: a[i++] as T, b: b[j++] as T });
    else if (j >= b.length || (i < a.length && at(i, j) === at(i + 1, j))) rows.push({ a: a[i++] as T });
    else rows.push({ b: b[j++] as T });
  }
  return rows;
}

function byIndex<T>(a: readonly T[], b: readonly T[]): Aligned<T>[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => ({
    ...(i < a.length ? { a: a[i] as T } : {}),
    ...(i < b.length ? { b: b[i] as T } : {}),
  }));
}

/** A part of two texts: of both, or of one alone. */
export interface TextPart {
  readonly text: string;
  readonly only?: "a" | "b";
}

/** Two texts as one sequence of parts, word by word. Pure. */
export function textParts(a: string, b: string): TextPart[] {
  if (a === b) return a === "" ? [] : [{ text: a }];
  const words = (text: string) => text.match(/\s+|[^\s]+/gu) ?? [];
  const [x, y] = [words(a), words(b)];
  const rows =
    (x.length + 1) * (y.length + 1) > MOST_FIELDS ? [{ a }, { b }] : align(x, y, (p, q) => (p === q ? 1 : 0));
  const parts: { text: string; only?: "a" | "b" }[] = [];
  for (const row of rows) {
    const text = (row.a ?? row.b) as string;
    const only = row.a !== undefined && row.b !== undefined ? undefined : row.a === undefined ? "b" : "a";
    const last = parts.at(-1);
    if (last && last.only === only) last.text += text;
    else parts.push({ text, ...(only === undefined ? {} : { only }) });
  }
  return parts;
}

/** A place in which two JSON values differ; the value of a side that has none there is absent. */
export interface JsonDifference {
  readonly path: string;
  readonly a?: unknown;
  readonly b?: unknown;
}

/** Every place in which two JSON values differ, in the order of `a` and then of `b`; lists are compared by place. Pure. */
export function jsonDifferences(a: unknown, b: unknown, path = ""): JsonDifference[] {
  if (Object.is(a, b)) return [];
  const [x, y] = [fieldsOf(a), fieldsOf(b)];
  if (x === undefined || y === undefined || Array.isArray(a) !== Array.isArray(b))
    return [{ path, ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }) }];
  const at = (name: string) => (Array.isArray(a) ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`);
  return [...new Set([...x.keys(), ...y.keys()])].flatMap((name) =>
    jsonDifferences(x.get(name), y.get(name), at(name)),
  );
}

function fieldsOf(value: unknown): Map<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
}
