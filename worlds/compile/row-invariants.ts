import { isObject, type Json } from "../json.ts";
import { literal, type Term } from "./conditions/term.ts";
import type { Env } from "./conditions/terms.ts";
import type { Examples } from "./fit/examples.ts";
import type { History } from "./history.ts";
import { isScalar, scalarsOf } from "./values.ts";

/** What the rows that a list argument names were like in every success, though rows of their table are not all so. */
export interface RowInvariant {
  readonly list: Term;
  /** Over `x0`, an element of the list: it is as in the successes. */
  readonly cel: string;
  /** Its truth for every element of the examples, in their order. */
  readonly truth: readonly (boolean | undefined)[];
  /** The column that it looks at. */
  readonly of: string;
}

/** Elements of successes that show a habit. */
const LEAST = 5;
/** Ways in which the row may hold an element already. */
const ASIDES = 3;
/** A column of more values than this is no state of its rows. */
const VALUES = 12;

/** Invariants of the rows that list arguments name, where an export gave the rows; `text` is the fitted behaviour. */
export function rowInvariantsOf({ calls, history }: Examples, env: Env, text: string): RowInvariant[] {
  const lists = env.terms.filter(
    ({ cel, vals }) =>
      /^args\.\w+$/.test(cel) &&
      vals.some((value) => Array.isArray(value) && value.length > 0) &&
      vals.every((value) => value === undefined || value === null || Array.isArray(value)),
  );
  return lists.flatMap((list): RowInvariant[] => {
    const { env: inner, exampleOf } = env.each(list, "x0");
    const sizes = env.terms.filter(({ cel }) => /^size\((?:args|it)\.\w+\)$/.test(cel) && cel !== `size(${list.cel})`);
    // What the row holds already is taken as it is: where the rest has a habit, it is of the rest.
    const held = inner.terms.filter(
      ({ cel, vals }) => /^it\.\w+\.filter\(.*\.first\(\)$/.test(cel) && vals.includes(null),
    );
    const asides = [undefined, ...held.filter((term) => term.vals.some(isObject)).slice(0, ASIDES)];
    return inner.terms.flatMap((term): RowInvariant[] => {
      const of = /^known\(lookup\("(\w+)", [^()]*\bx0\b[^()]*\)\)\.(\w+)(\.get\([^()]*\)|\.\w+)?$/.exec(term.cel);
      if (!of || !history.complete?.has(of[1] as string)) return [];
      // Of several amounts the one that the call names as it names what it takes from the row.
      if (of[3] !== undefined && !text.includes(JSON.stringify(`)${of[3]}`).slice(2, -1))) return [];
      for (const aside of asides) {
        const shown = exampleOf.flatMap((i, e) =>
          calls[i]?.ok && term.vals[e] !== undefined && (!aside || aside.vals[e] === null) ? [e] : [],
        );
        if (shown.length < LEAST) continue;
        const found =
          stateHabit(history, of[1] as string, of[2] as string, term, shown) ??
          amountHabit(history, of[1] as string, of[2] as string, term, shown, sizes, exampleOf);
        if (!found) continue;
        const truth = term.vals.map((_, e) => (aside && aside.vals[e] !== null ? true : found.truth(e)));
        return [{ list, of: term.cel, truth, cel: aside ? `${aside.cel} != null || ${found.cel}` : found.cel }];
      }
      return [];
    });
  });
}

interface Found {
  readonly cel: string;
  truth(e: number): boolean | undefined;
}

/** A column of few values that was always the same one. */
function stateHabit(
  history: History,
  table: string,
  column: string,
  term: Term,
  shown: readonly number[],
): Found | undefined {
  const first = term.vals[shown[0] as number];
  if (typeof first !== "string" && typeof first !== "boolean") return undefined;
  if (!shown.every((e) => term.vals[e] === first)) return undefined;
  const values = new Set<Json>();
  for (const row of Object.values(history.base[table] ?? {}))
    if (isScalar(row[column]) && values.size <= VALUES) values.add(row[column] as Json);
  if (values.size < 2 || values.size > VALUES) return undefined;
  return {
    cel: `${term.cel} == ${literal(first)}`,
    truth: (e) => (term.vals[e] === undefined ? undefined : term.vals[e] === first),
  };
}

/** An amount that was never less than what the call counts, where rows have less. */
function amountHabit(
  history: History,
  table: string,
  column: string,
  term: Term,
  shown: readonly number[],
  sizes: readonly Term[],
  owner: readonly number[],
): Found | undefined {
  if (!shown.every((e) => typeof term.vals[e] === "number")) return undefined;
  const counts = (size: Term, e: number) => size.vals[owner[e] as number];
  const total = (size: Term) => shown.reduce((sum, e) => sum + (counts(size, e) as number), 0);
  const [most] = sizes
    .filter((size) =>
      shown.every((e) => {
        const count = counts(size, e);
        return typeof count === "number" && (term.vals[e] as number) >= count;
      }),
    )
    .sort((a, b) => total(b) - total(a) || (a.cel < b.cel ? -1 : 1));
  if (!most) return undefined;
  const greatest = Math.max(...shown.map((e) => counts(most, e) as number));
  const less = Object.values(history.base[table] ?? {}).some((row) =>
    (isObject(row[column]) || isScalar(row[column]) ? [...scalarsOf(row[column] as Json)] : []).some(
      (value) => typeof value === "number" && value < greatest,
    ),
  );
  if (!less) return undefined;
  return {
    cel: `${term.cel} >= ${most.cel}`,
    truth: (e) => {
      const [amount, count] = [term.vals[e], counts(most, e)];
      return typeof amount !== "number" || typeof count !== "number" ? undefined : amount >= count;
    },
  };
}
