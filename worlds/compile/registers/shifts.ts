import { literal, tidy } from "../term.ts";

/** A value that is the same as a feature's. */
export interface Copy {
  readonly kind: "copy";
  readonly of: string;
}

/** A number that is another reading's, more or less by as much as an argument says or always the same. */
export interface Shift {
  readonly kind: "shift";
  readonly of: string;
  /** A constant, or the feature that tells it. */
  readonly by: number | string;
  readonly sign: 1 | -1;
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

/** A text as a number; undefined where it is none. */
export function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && NUMBER.test(text) ? Number(text) : undefined;
}

/** Whether an expression's text is a number, as an expression. */
export const numberText = (expr: string): string =>
  `${expr}.matches(${literal(NUMBER.source.replaceAll("\\d", "[0-9]"))})`;

/** What a shift makes of some features; undefined where one of its numbers is not known. */
export function shifted({ of, by, sign }: Shift, features: ReadonlyMap<string, string>): string | undefined {
  const from = numberIn(features.get(of));
  const step = typeof by === "number" ? by : numberIn(features.get(by));
  return from === undefined || step === undefined ? undefined : String(tidy(from + sign * step));
}

/** A shift as an expression over the expressions of its features; null where one of its numbers is not known. */
export function shiftText({ of, by, sign }: Shift, feature: (name: string) => string): string {
  const unknown = [of, ...(typeof by === "string" ? [by] : [])].map(
    (name) => `${feature(name)} == null || !${numberText(feature(name))}`,
  );
  const step = typeof by === "number" ? String(Math.abs(by)) : `double(${feature(by)})`;
  const plus = typeof by === "number" ? by * sign > 0 : sign > 0;
  return `(${unknown.join(" || ")} ? null : string(double(${feature(of)}) ${plus ? "+" : "-"} ${step}))`;
}

/** Shifts of a reading by a constant or by another feature that a first case allows: what the other cases are held against. */
export function* shiftsFrom(
  value: string,
  of: string,
  features: ReadonlyMap<string, string>,
  steps: readonly string[],
): Generator<Shift> {
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
