import type { Call } from "../../compile/observations.ts";
import type { Json } from "../../json.ts";
import type { ObservedTrace } from "../../observation.ts";
import { Reading } from "../checks/facts.ts";
import { fold } from "../checks/words.ts";
import { textStates } from "../determined.ts";
import { leaves } from "../leaves.ts";

/** A recorded session, and those of its calls that changed something, or may have. */
interface Attempt {
  readonly trace: ObservedTrace;
  readonly changing: readonly Call[];
}

/**
 * The sessions of a task that did all that was asked, as far as all of them show it together: they changed something by
 * each value that the user said and any of them changed something by, and by each tool by which most did. A session
 * that left a part out does not show that the part is free.
 */
export function completeOf<A extends Attempt>(attempts: readonly A[]): A[] {
  const done = attempts.map((attempt) => ({
    attempt,
    values: valuesNamed(attempt.trace, argsOf(attempt.changing)),
    tools: new Set(attempt.changing.map(({ tool }) => tool)),
  }));
  const asked = new Set(done.flatMap(({ values }) => [...values]));
  // By what few changed something may be what the user had excepted.
  const isRare = (value: string) => done.filter(({ values }) => values.has(value)).length * 2 < done.length;
  if ([...asked].some(isRare)) return [];
  const usual = [...new Set(done.flatMap(({ tools }) => [...tools]))].filter(
    (tool) => done.filter(({ tools }) => tools.has(tool)).length * 2 > done.length,
  );
  return done.flatMap(({ attempt, values, tools }) =>
    values.size === asked.size && usual.every((tool) => tools.has(tool)) ? [attempt] : [],
  );
}

const argsOf = (calls: readonly Call[]) => calls.map(({ args }) => args);

/** The texts and numbers of data that a session's user said. */
export function valuesNamed(
  { request = "", turns = [] }: ObservedTrace,
  data: readonly Readonly<Record<string, unknown>>[],
): Set<string> {
  const text = new Reading([request, ...turns].join("\n"));
  const given = data.flatMap((fields) =>
    Object.entries(fields).flatMap(([name, value]) =>
      leaves(value as Json).map((leaf) => ({ name, value: leaf.value })),
    ),
  );
  const said = given.flatMap(({ name, value }) =>
    (typeof value === "string" || typeof value === "number") && textStates(text, value, name)
      ? [fold(String(value))]
      : [],
  );
  return new Set(said);
}
