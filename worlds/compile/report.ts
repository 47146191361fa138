import type { BaseState, Bundle, ToolDefinition } from "../bundle.ts";
import type { Given, Outcome } from "../propose/way.ts";
import type { OutOfFold } from "./out-of-fold.ts";

/** What a compile is told besides traces. */
export interface CompileOptions {
  readonly name: string;
  readonly tools?: readonly ToolDefinition[];
  /** A database export: tables of rows, by key or as lists. It completes the initial state. */
  readonly records?: Readonly<Record<string, unknown>>;
  /** Programs that somebody proposes: what sessions bear out and held-out ones gain by is taken. */
  readonly proposal?: Given;
}

/** Counts of a compile, per tool and in all. */
export interface CompileReport {
  readonly traces: number;
  readonly calls: number;
  readonly tables: Readonly<Record<string, { rows: number; key: readonly string[] }>>;
  readonly rows: number;
  /** Sights of rows that contradicted an earlier one; the newest was kept. */
  readonly conflicts: number;
  /** Tools by how their behaviour was found. */
  readonly behaviours: Readonly<Record<string, number>>;
  readonly exceptions: number;
  readonly gaps: number;
  readonly tools: Readonly<Record<string, { how: string; effect: "read" | "write"; seen: number; reproduced: number }>>;
  /** What became of a proposal; absent where there was none. */
  readonly proposed?: Outcome;
}

/** A compiled world: its behaviour, its first state, and how each tool's was found. */
export interface CompileResult {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly report: CompileReport;
  /** What sessions were answered that the world was not made from; absent where there were too few to hold some out. */
  readonly outOfFold?: OutOfFold;
}
