import type { Json } from "../../json.ts";
import type { Make, Predicate } from "./predicate.ts";
import type { Term } from "./term.ts";

const ORDERS: readonly [op: string, test: (a: Json, b: Json) => boolean][] = [
  ["==", (a, b) => a === b],
  ["!=", (a, b) => a !== b],
  ["<", (a, b) => (a as number) < (b as number)],
  [">", (a, b) => (a as number) > (b as number)],
  ["<=", (a, b) => (a as number) <= (b as number)],
  [">=", (a, b) => (a as number) >= (b as number)],
];

/** Conditions that compare two amounts, dates or texts with each other; with `fresh` those that one of these takes part in. */
export function* comparisons(
  scalars: readonly Term[],
  fresh: readonly Term[] | undefined,
  make: Make,
): Generator<Predicate> {
  const cheap = [...scalars].sort((a, b) => a.cost - b.cost).slice(0, fresh ? 240 : 72);
  for (const term of fresh ?? []) if (!cheap.includes(term)) cheap.push(term);
  for (const [i, a] of cheap.entries())
    for (const b of cheap.slice(i + 1)) {
      if (fresh && !fresh.includes(a) && !fresh.includes(b)) continue;
      const numbers =
        a.vals.some((value) => typeof value === "number") && b.vals.some((value) => typeof value === "number");
      const texts =
        a.vals.some((value) => typeof value === "string") && b.vals.some((value) => typeof value === "string");
      if (!numbers && !texts) continue;
      for (const [op, holds] of numbers || (dated(a) && dated(b)) ? ORDERS : ORDERS.slice(0, 2)) {
        const test = (e: number) => {
          const [x, y] = [a.vals[e], b.vals[e]];
          if (x === undefined || y === undefined) return undefined;
          if (x === null || y === null) return op === "==" ? x === y : op === "!=" ? x !== y : undefined;
          return holds(x, y);
        };
        const ordered = /[<>]/.test(op);
        const plain = make(`${a.cel} ${op} ${b.cel}`, a.cost + b.cost + 0.8, test);
        const predicate = namesakes(a, b) ? { ...plain, changes: true } : plain;
        yield ordered ? { ...predicate, sides: [a.cel, b.cel] } : predicate;
        // What is not there is neither more nor less.
        const gaps = ordered ? [a, b].filter(({ vals }) => vals.includes(null)).map(({ cel }) => `${cel} != null`) : [];
        if (gaps.length > 0)
          yield {
            ...make(`${gaps.join(" && ")} && ${a.cel} ${op} ${b.cel}`, a.cost + b.cost + 1.1, (e) =>
              a.vals[e] === null || b.vals[e] === null ? false : test(e),
            ),
            sides: [a.cel, b.cel],
            guarded: true,
          };
      }
    }
}

/** Whether one of two terms is an argument and the other the column of its name. */
function namesakes(a: Term, b: Term): boolean {
  const [given, held] = a.cel.startsWith("args.") ? [a, b] : [b, a];
  return /^args\.\w+$/.test(given.cel) && held.cel === `it.${given.cel.slice(5)}`;
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+Z?)?$/;

/** Whether a term's texts are dates of one writing, whose order as text is that of time. */
function dated({ vals }: Term): boolean {
  let width = 0;
  for (const value of vals) {
    if (value === undefined || value === null) continue;
    if (typeof value !== "string" || !DATE.test(value) || (width > 0 && value.length !== width)) return false;
    width = value.length;
  }
  return width > 0;
}
