import { writingOf } from "../fit/writings.ts";
import { isScalar } from "../values.ts";
import type { Make, Predicate, PredicateHints } from "./predicate.ts";
import { literal } from "./term.ts";
import type { Env } from "./terms.ts";

/** Values in a row, as a text lists what it would take: "one of 1, 2 or 3", "Columns: todo, doing, done". */
export const listedIn = (text: string): string[][] =>
  [...text.replace(/[`'"*]/g, "").matchAll(/[\w-]+(?:(?:, (?:and |or )?| and | or )[\w-]+){2,}/g)].map(([list]) =>
    list.split(/, (?:and |or )?| and | or /),
  );

/** Limits that the words of a refusal name, and the writing that accepted arguments share: tests that need the examples they tell apart. */
export function* limits(
  env: Env,
  pos: readonly number[],
  neg: readonly number[],
  { numbers = [], holes = [], listed = [] }: PredicateHints,
  make: Make,
): Generator<Predicate> {
  for (const term of env.terms) {
    if (term.cost > 3) continue;
    const of = (examples: readonly number[]) =>
      examples.flatMap((i) => (typeof term.vals[i] === "number" ? [term.vals[i]] : []));
    const [refused, accepted] = [of(pos), of(neg)];
    if (refused.length === 0 || accepted.length === 0) continue;
    const number = (test: (value: number) => boolean) => (i: number) =>
      typeof term.vals[i] === "number" ? test(term.vals[i]) : undefined;
    for (const limit of numbers) {
      if (refused.every((value) => value > limit))
        yield make(
          `${term.cel} > ${limit}`,
          term.cost + 0.2,
          number((value) => value > limit),
        );
      if (refused.every((value) => value < limit))
        yield make(
          `${term.cel} < ${limit}`,
          term.cost + 0.2,
          number((value) => value < limit),
        );
    }
  }
  for (const term of env.terms) {
    if (listed.length === 0 || !/^args\.\w+$/.test(term.cel)) continue;
    const of = (examples: readonly number[]) => examples.flatMap((i) => (isScalar(term.vals[i]) ? [term.vals[i]] : []));
    const [refused, accepted] = [of(pos), of(neg)];
    for (const list of listed) {
      if (refused.length === 0 || !accepted.some((value) => list.includes(String(value)))) continue;
      if (refused.some((value) => list.includes(String(value)))) continue;
      if (accepted.some((value) => !list.includes(String(value)))) continue;
      const values = accepted.every((value) => typeof value === "number") ? list.map(Number) : list;
      yield make(`${term.cel} != null && !(${term.cel} in ${literal([...values])})`, term.cost + 0.1, (i) =>
        isScalar(term.vals[i]) ? !list.includes(String(term.vals[i])) : false,
      );
    }
  }
  for (const term of env.terms) {
    if (!holes.includes(term.cel) || !/^args\.\w+$/.test(term.cel)) continue;
    const of = (examples: readonly number[]) =>
      new Set(examples.flatMap((i) => (typeof term.vals[i] === "string" ? [term.vals[i]] : [])));
    const [refused, accepted] = [of(pos), of(neg)];
    const forms = [...new Set([...accepted].map((text) => writingOf(text)))].sort();
    if (accepted.size < 3 || forms.length > 2 || forms.some((text) => text.length > 200)) continue;
    const pattern = new RegExp(`^(?:${forms.join("|")})$`);
    if ([...refused].some((text) => pattern.test(text))) continue;
    yield make(`!${term.cel}.matches(${literal(`^(?:${forms.join("|")})$`)})`, term.cost + 0.2, (i) =>
      typeof term.vals[i] === "string" ? !pattern.test(term.vals[i]) : undefined,
    );
  }
}
