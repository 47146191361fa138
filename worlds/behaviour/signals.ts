import { WorldError } from "../errors.ts";

/** Ends a call as a gap: what it answers, refuses or looks at is not known. */
export class GapSignal extends WorldError {
  /** What the call did is known, and only what it says is not. */
  readonly keeps: boolean;
  constructor(keeps = false) {
    super("unsupported", "the evidence does not say what this call answers");
    this.keeps = keeps;
  }
}

/** Raised by `error(text)`: the call answers this error and changes nothing. */
export class ErrorSignal extends WorldError {
  readonly text: string;
  constructor(text: string) {
    super("unsupported", "the behaviour answered an error");
    this.text = text;
  }
}
