import { literal, tidy } from "../conditions/term.ts";

/** A value that is the same as a feature's. */
export interface Copy {
  readonly kind: "copy";
  readonly of: string;
}

/** A number that is another reading's, more or less by as much as an argument says or always the same. */
export interface Increment {
  readonly kind: "shift";
  readonly of: string;
  /** A constant, or the feature that tells it. */
  readonly by: number | string;
  readonly sign: 1 | -1;
  /** The least and the most that it was seen to make, where an argument says by how much: there may be a limit. */
  readonly within?: readonly [least: number, most: number];
}

/** A shift as far as the numbers that were seen of its value. */
export function bounded(increment: Increment, values: Iterable<string>): Increment {
  if (typeof increment.by === "number") return increment;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    const number = numberIn(value);
    if (number === undefined) continue;
    least = Math.min(least, number);
    most = Math.max(most, number);
  }
  return { ...increment, within: [least, most] };
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A text as a number; undefined where it is none. */
export function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && NUMBER.test(text) ? Number(text) : undefined;
}

/** A number as the language writes one that is compared with others. */
export const decimal = (number: number): string => (Number.isInteger(number) ? `${number}.0` : String(number));

/** Whether an expression's text is a number, as an expression. */
export const numberText = (expr: string): string =>
  `${expr}.matches(${literal(NUMBER.source.replaceAll("\\d", "[0-9]"))})`;

/** What a shift makes of some features; undefined where one of its numbers is not known. */
export function shifted(
  { of, by, sign, within }: Increment,
  features: ReadonlyMap<string, string>,
): string | undefined {
  const from = numberIn(features.get(of));
  const step = typeof by === "number" ? by : numberIn(features.get(by));
  if (from === undefined || step === undefined) return undefined;
  const to = tidy(from + sign * step);
  return within && (to < within[0] || to > within[1]) ? undefined : String(to);
}

/** A shift as an expression over the expressions of its features; null where one of its numbers is not known. */
export function incrementText({ of, by, sign, within }: Increment, feature: (name: string) => string): string {
  const unknown = [of, ...(typeof by === "string" ? [by] : [])].map(
    (name) => `${feature(name)} == null || !${numberText(feature(name))}`,
  );
  const step = typeof by === "number" ? String(Math.abs(by)) : `double(${feature(by)})`;
  const plus = typeof by === "number" ? by * sign > 0 : sign > 0;
  const to = `double(${feature(of)}) ${plus ? "+" : "-"} ${step}`;
  const beyond = within ? `${to} < ${decimal(within[0])} || ${to} > ${decimal(within[1])} ? null : ` : "";
  return `(${unknown.join(" || ")} ? null : ${beyond}string(${to}))`;
}

/** Shifts of a reading by a constant or by another feature that a first case allows: what the other cases are held against. */
export function* shiftsFrom(
  value: string,
  of: string,
  features: ReadonlyMap<string, string>,
  steps: readonly string[],
): Generator<Increment> {
  const [from, to] = [numberIn(features.get(of)), numberIn(value)];
  if (from === undefined || to === undefined) return;
  if (from !== to) yield { kind: "shift", of, by: tidy(to - from), sign: 1 };
  for (const name of steps) {
    const step = name === of ? undefined : numberIn(features.get(name));
    if (step === undefined || step === 0) continue;
    if (tidy(from + step) === to) yield { kind: "shift", of, by: name, sign: 1 };
    else if (tidy(from - step) === to) yield { kind: "shift", of, by: name, sign: -1 };
  }
}
