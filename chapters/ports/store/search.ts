import type { Page, PageInput } from "../../page.ts";
import type { AttributeSelection } from "./attributes.ts";
import type { TraceHead } from "./bodies.ts";

/** What one trace is found by. */
export interface SearchEntry {
  readonly position: number;
  /** Of the trace it was made of: an entry of a trace that was written over meanwhile is not kept. */
  readonly digest: string;
  /** Unix seconds. */
  readonly startedAt: number | null;
  readonly ms: number | null;
  readonly costUsd: number | null;
  /** Each word once: lower-case letters, digits, `_` and `=`. */
  readonly words: readonly string[];
}

/** Least and most, both included. */
export interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** What a trace must have; what is absent is not asked. A trace of which a number is not known is in no range of it. */
export interface SearchQuery {
  /** All of them. */
  readonly words: readonly {
    readonly word: string /** Whether longer words that begin so count too. */;
    readonly prefix: boolean;
  }[];
  readonly started?: Range | undefined;
  readonly ms?: Range | undefined;
  readonly cost?: Range | undefined;
  readonly selection?: AttributeSelection | undefined;
}

/** The numbers by which traces of a record can be in order. */
export type TraceNumber = "started" | "ms" | "cost";

/** A trace that was found. */
export type FoundTrace = TraceHead & Pick<SearchEntry, "ms" | "costUsd">;

/** Search over the traces of one record. It finds what has an entry; an entry goes with its trace, and when that changes. */
export interface TraceSearch {
  /** How many traces of the record have an entry. */
  indexed(evidence: string): Promise<number>;
  /** Positions from `from` on whose traces have no entry, in order. */
  missing(evidence: string, from: number, limit: number): Promise<number[]>;
  /** Writes entries of traces that have none. */
  add(evidence: string, entries: readonly SearchEntry[]): Promise<void>;
  /** Traces that meet a query, in one order: of their positions, or in which they got their entries. */
  find(evidence: string, query: SearchQuery, page?: PageInput): Promise<Page<FoundTrace>>;
  /** Traces of the record of which a number is known, the most first or the least first; equal ones in either order, the same each time. */
  ranked(
    evidence: string,
    by: { readonly number: TraceNumber; readonly first: "most" | "least" },
    page?: PageInput,
  ): Promise<Page<FoundTrace>>;
  /** How many meet it, counted up to `most`. */
  count(evidence: string, query: SearchQuery, most: number): Promise<number>;
}
