/** What can be wrong inside the engine, by stable code. */
export type WorldErrorCode =
  | "syntax"
  | "unknown_name"
  | "type"
  | "arithmetic"
  | "limit"
  | "conflict"
  | "unsupported"
  | "broken_journal"
  | "not_stored"
  | "closed";

/** The engine's own error. `message` holds no text taken from evidence, arguments or rows. */
export class WorldError extends Error {
  readonly code: WorldErrorCode;

  constructor(code: WorldErrorCode, message: string) {
    super(message);
    this.name = "WorldError";
    this.code = code;
  }
}

/** A behaviour that cannot be read: where (0-based offset), the word that stands there, and what would fit. */
export class BehaviourSyntaxError extends WorldError {
  readonly at: number;
  readonly word: string;
  readonly expected: string;
  /** Which part of the JSON form the offset counts in, such as `steps[0].set[1].expr`; empty for a line. */
  readonly path: string;

  constructor(at: number, word: string, expected: string, code: WorldErrorCode = "syntax", path = "") {
    super(code, `at ${at}: a word that does not fit`);
    this.name = "BehaviourSyntaxError";
    this.at = at;
    this.word = word;
    this.expected = expected;
    this.path = path;
  }
}
