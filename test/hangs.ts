/** Ends a test that hangs, and is no measure of speed: also a machine that is twenty times slower than usual keeps within it. */
export const HANGS_MS = 20 * 60_000;

/** For what asks for a limit of its own: none, since what hangs is ended by the limit of its test. */
export const NO_LIMIT_MS = 2 ** 31 - 1;
