import type { TableModel, ToolDefinition } from "../bundle.ts";
import type { JsonObject } from "../json.ts";
import type { FittedTool } from "./fit-tool.ts";
import type { Call, Session } from "./observations.ts";

type Rows = Record<string, Record<string, JsonObject>>;

/** What a source proposes: behaviours of tools, the better first, over tables of its own. Which are kept is decided by how they answer sessions that they were not made from. */
export interface Proposals {
  /** Names the source; the same on any evidence. */
  readonly source: string;
  readonly tools: ReadonlyMap<string, readonly FittedTool[]>;
  readonly tables: readonly TableModel[];
  /** Rows of its tables at the start, by key. */
  readonly rows: Rows;
  /** By group of sessions, what it starts with otherwise. */
  readonly starts: ReadonlyMap<string, Rows>;
}

/** The observed sessions that a source proposes from. */
export interface Evidence {
  readonly sessions: readonly Session[];
  readonly byTool: ReadonlyMap<string, readonly Call[]>;
  readonly tools: readonly ToolDefinition[];
}

/** Proposes behaviours beside those that the compiler fits; undefined for none. Deterministic, and a function of the evidence alone. */
export type CandidateSource = (evidence: Evidence) => Proposals | undefined;

/** Every source, in the order in which it wins a tie. */
export const SOURCES: readonly CandidateSource[] = [];
