/** What one agent may put out in one trial, and how long it may take to go. Bytes and milliseconds. */
export const LIMITS = {
  /** One answer: far above what a person reads. Grading takes time in proportion, about 50 ms for this much. */
  answerBytes: 200_000,
  /** Its calls of its world, those on their way at once together. */
  callBytes: 64_000_000,
  /** Standard output in all, or an HTTP body. */
  outputBytes: 4_000_000,
  /** Standard error in all; only its tail is kept. */
  errorBytes: 16_000_000,
  logChars: 4_000,
  /** From the end of its input to its own exit, before it is ended. */
  exitMs: 5_000,
  /** From SIGTERM to SIGKILL. */
  killMs: 1_000,
} as const;
