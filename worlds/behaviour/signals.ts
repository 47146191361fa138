import { WorldError } from "../errors.ts";

/** A signal ends a call as it is meant to end: nobody reads where it was raised, and a trace of that costs more than the call. */
function untraced(): number {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  return limit;
}

/** Ends a call as a gap: what it answers, refuses or looks at is not known. */
export class GapSignal extends WorldError {
  /** What the call did is known, and only what it says is not. */
  readonly keeps: boolean;
  constructor(keeps = false) {
    const limit = untraced();
    super("unsupported", "the evidence does not say what this call answers");
    Error.stackTraceLimit = limit;
    this.keeps = keeps;
  }
}

/** Raised by `error(text)`: the call answers this error and changes nothing. */
export class ErrorSignal extends WorldError {
  readonly text: string;
  constructor(text: string) {
    const limit = untraced();
    super("unsupported", "the behaviour answered an error");
    Error.stackTraceLimit = limit;
    this.text = text;
  }
}
