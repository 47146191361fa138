import type { ToolDefinition } from "./bundle.ts";
import type { Json, JsonObject } from "./json.ts";
import type { JournalEntry, RowChange } from "./state/journal.ts";

/** The source of an answer: a session with the same earlier calls, a behaviour, or the most frequent answer. */
export type Layer = "history" | "program" | "floor";

/** The answer of one call, as the agent sees it (`text`) and as data (`value`). */
export interface WorldAnswer {
  readonly text: string;
  readonly value: Json;
  readonly isError: boolean;
  /** `data`, `empty`, `refused`, `error:<class>`; `error:not_served` for a gap. */
  readonly answerClass: string;
  /** What answered: a fitted behaviour, a recorded answer, nothing (a gap), or the argument check. */
  readonly servedBy: "behaviour" | "recorded" | "gap" | "schema";
  /** The layer that answered, where the bundle has estimates of its layers; none for a gap. */
  readonly layer?: Layer;
  /** How likely the answer is right, estimated on sessions that the world was not made from. 0..1; beside `layer`. */
  readonly confidence?: number;
  /** What it changed, but for what the compiler keeps of its own. */
  readonly changes: readonly RowChange[];
}

/** A running world: a frozen base shared by its forks, and an overlay of its own. Not safe for concurrent calls; calls are synchronous. */
export interface World {
  readonly tools: readonly ToolDefinition[];
  /** Whether a call was made that may have changed something and no behaviour followed; known where the bundle has estimates. */
  readonly lost?: boolean;
  /** Makes a call: the agent's, or the user's, who alone has the tools of the user's side. */
  call(tool: string, args: JsonObject, by?: "user"): WorldAnswer;
  /** A fresh world on the same base, as drawn; O(1). */
  fork(): World;
  /** Back to the drawn state; O(1). */
  reset(): void;
  /** Net changes against the drawn state, sorted by table and key, but for what the compiler keeps of its own; O(changes). */
  diff(): RowChange[];
  /** SHA-256 over base id and sorted net changes; O(changes). */
  digest(): string;
  /** What each entry of a whole journal changed of what is known, as its call's answer said; O(changes). */
  changesOf(entries: readonly JournalEntry[]): readonly (readonly RowChange[])[];
  row(table: string, key: string): JsonObject | undefined;
  /** The row as the journal holds it, with what is not known of it. */
  stored(table: string, key: string): JsonObject | undefined;
  rows(table: string): Iterable<readonly [key: string, row: JsonObject]>;
  tables(): string[];
  /** Replays stored entries onto the drawn state, without evaluating behaviours. */
  restore(entries: readonly JournalEntry[]): void;
  /** Replays stored entries onto the state as it is, without evaluating behaviours; the first follows the newest call. */
  advance(entries: readonly JournalEntry[]): void;
  /** Takes the newest call back as if it had not been made; at most one, and nothing before the first. */
  undo(): void;
  /** The journal entry of the newest call, to be stored before its answer is given. */
  lastEntry(at: number): JournalEntry | undefined;
}
