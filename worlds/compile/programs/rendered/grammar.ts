/** How texts are built of lines: a line that is there once, one that may be missing, or lines that come back together. */
export type Node =
  | { readonly kind: "line"; readonly line: number; readonly optional: boolean }
  | { readonly kind: "repeat"; readonly of: readonly Node[] };

/** The lines of one text, by their classes. */
type Sequence = readonly number[];

/** The classes in the order in which all sequences have them; undefined where orders differ. */
function inOrder(classes: readonly number[], all: readonly Sequence[]): number[] | undefined {
  const before = new Set<string>();
  for (const sequence of all)
    for (const [i, a] of sequence.entries()) for (const b of sequence.slice(i + 1)) before.add(`${a} ${b}`);
  const out: number[] = [];
  const left = new Set(classes);
  while (left.size > 0) {
    const next = [...left].find((a) => [...left].every((b) => b === a || !before.has(`${b} ${a}`)));
    if (next === undefined) return undefined;
    out.push(next);
    left.delete(next);
  }
  return out;
}

const count = (sequence: Sequence, wanted: number): number => sequence.filter((one) => one === wanted).length;

/** Sequences parted before each `header`. */
function unitsOf(sequence: Sequence, header: number): Sequence[] {
  const out: number[][] = [];
  for (const one of sequence) {
    if (one === header || out.length === 0) out.push([]);
    out.at(-1)?.push(one);
  }
  return out;
}

/** The grammar that all sequences are in; undefined where there is none of this form. */
export function grammarOf(all: readonly Sequence[], depth = 0): Node[] | undefined {
  const classes = [...new Set(all.flat())].sort((a, b) => a - b);
  if (classes.length === 0) return [];
  if (depth > 8) return undefined;
  const once = classes.filter((of) => all.every((sequence) => count(sequence, of) === 1));
  const order = inOrder(once, all);
  if (!order) return undefined;
  if (order.length > 0) return around(order, all, depth);
  const several = new Set(classes.filter((of) => all.some((sequence) => count(sequence, of) > 1)));
  if (several.size === 0) return inOrder(classes, all)?.map((line): Node => ({ kind: "line", line, optional: true }));
  return repeated(several, all, depth);
}

/** The grammar between lines that every text has once. */
function around(order: readonly number[], all: readonly Sequence[], depth: number): Node[] | undefined {
  const out: Node[] = [];
  let rest = all;
  for (const line of order) {
    const head = grammarOf(
      rest.map((sequence) => sequence.slice(0, sequence.indexOf(line))),
      depth + 1,
    );
    if (!head) return undefined;
    out.push(...head, { kind: "line", line, optional: false });
    rest = rest.map((sequence) => sequence.slice(sequence.indexOf(line) + 1));
  }
  const tail = grammarOf(rest, depth + 1);
  return tail && [...out, ...tail];
}

/** The grammar of sequences in which lines come back: what stands before them, they themselves, and what stands behind. */
function repeated(several: ReadonlySet<number>, all: readonly Sequence[], depth: number): Node[] | undefined {
  const header = headerOf(several, all);
  if (header === undefined) return undefined;
  const inside = new Set<number>(several);
  const spans = all.map((sequence): [number, number] => {
    const from = sequence.indexOf(header);
    return from < 0
      ? [sequence.length, sequence.length]
      : [from, sequence.findLastIndex((one) => several.has(one)) + 1];
  });
  for (const [i, sequence] of all.entries())
    for (const one of sequence.slice(...(spans[i] as [number, number]))) inside.add(one);
  const parts = all.map((sequence, i): [Sequence, Sequence, Sequence] => {
    const [from, until] = spans[i] as [number, number];
    let to = until;
    while (from < sequence.length && to < sequence.length && inside.has(sequence[to] as number)) to++;
    return [sequence.slice(0, from), sequence.slice(from, to), sequence.slice(to)];
  });
  const head = grammarOf(
    parts.map(([before]) => before),
    depth + 1,
  );
  const of = grammarOf(
    parts.flatMap(([, body]) => (body.length === 0 ? [] : unitsOf(body, header))),
    depth + 1,
  );
  const tail = grammarOf(
    parts.map(([, , behind]) => behind),
    depth + 1,
  );
  return head && of && tail && [...head, { kind: "repeat", of }, ...tail];
}

/** The line that begins what comes back: the first of them in every text that has any. */
function headerOf(several: ReadonlySet<number>, all: readonly Sequence[]): number | undefined {
  const firsts = new Set(
    all.flatMap((sequence) => {
      const first = sequence.find((one) => several.has(one));
      return first === undefined ? [] : [first];
    }),
  );
  const [first] = firsts;
  if (firsts.size === 1) return first;
  // Some texts may begin with what stands alone in a group of its own.
  return [...several].find((of) =>
    all.every(
      (sequence) => !sequence.includes(of) || sequence.findIndex((one) => several.has(one)) === sequence.indexOf(of),
    ),
  );
}
