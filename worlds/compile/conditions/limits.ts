import { writingOf } from "../fit/writings.ts";
import type { Make, Predicate, PredicateHints } from "./predicate.ts";
import { literal } from "./term.ts";
import type { Env } from "./terms.ts";

/** Limits that the words of a refusal name, and the writing that accepted arguments share: tests that need the examples they tell apart. */
export function* limits(
  env: Env,
  pos: readonly number[],
  neg: readonly number[],
  { numbers = [], holes = [] }: PredicateHints,
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
