import { existsSync, readFileSync } from "node:fs";
import type { BaseState, Bundle } from "../../worlds/bundle.ts";

/** A world as a file of an exported task holds it. */
export interface DrawnWorld {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly seed: string;
}

/** A call as a journal keeps it, one a line. */
export interface MadeCall {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

/** The calls of a journal in order; none where it is not there. A last line that was cut off was never answered. */
export function journalOf(path: string): MadeCall[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as MadeCall);
}
