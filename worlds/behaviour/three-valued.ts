import { WorldError } from "../errors.ts";
import { blurred, holdsUnknown, UNKNOWN } from "../unknown.ts";
import { type Frame, type Run, typeError, type Value } from "./frame.ts";
import { ErrorSignal, GapSignal } from "./signals.ts";

/** A condition: true, false, or unknown. Throws `type` on any other value. */
export type Truth = boolean | typeof UNKNOWN;

/** A value as a condition; throws `type` on one that is none. */
export function truth(value: Value): Truth {
  if (typeof value === "boolean" || value === UNKNOWN) return value;
  throw typeError("a condition", value);
}

/** A condition that decides what a call does: an unknown one is a gap. */
export function decided(value: Value): boolean {
  const met = truth(value);
  if (typeof met !== "boolean") throw new GapSignal();
  return met;
}

/** A value that a call answers, is named by, or is refused with: one that is or holds an unknown part is a gap. */
export function certain<T extends Value>(frame: Frame, value: T): T {
  if (frame.doubtful && holdsUnknown(value)) throw new GapSignal();
  return value;
}

export const not = (value: Value): Value => {
  const met = truth(value);
  return typeof met === "boolean" ? !met : UNKNOWN;
};

/** `&&` (`over` false) and `||` (`over` true), left to right: the right side is looked at where the left does not decide. */
export function joined(frame: Frame, over: boolean, left: Run, right: Run): Value {
  const first = truth(left(frame));
  if (first === over) return over;
  if (first !== UNKNOWN) return truth(right(frame));
  const second = attempt(frame, right);
  if (second.error) throw new GapSignal();
  return truth(second.value) === over ? over : UNKNOWN;
}

/** `test ? yes : no`. An unknown test gives what both sides agree on; a side that ends the call makes it a gap. */
export function chosen(frame: Frame, test: Run, yes: Run, no: Run): Value {
  const met = truth(test(frame));
  if (met === true) return yes(frame);
  if (met === false) return no(frame);
  const [a, b] = [attempt(frame, yes), attempt(frame, no)];
  if (a.error instanceof ErrorSignal && b.error instanceof ErrorSignal && a.error.text === b.error.text) throw a.error;
  if (a.error || b.error) throw new GapSignal();
  return blurred(a.value ?? null, b.value ?? null);
}

interface Attempt {
  readonly value?: Value;
  readonly error?: WorldError;
}

/** What an expression yields or ends the call with. */
function attempt(frame: Frame, run: Run): Attempt {
  try {
    return { value: run(frame) };
  } catch (error) {
    if (!(error instanceof WorldError) || error.code === "limit") throw error;
    return { error };
  }
}
