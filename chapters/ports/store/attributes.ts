import type { Page, PageInput } from "../../page.ts";
import type { Tier } from "../../tier.ts";

/** What a reader says of one field of one trace. A trace has at most one value of a field. */
export interface AttributeRow {
  /** The trace's place in its evidence record. */
  readonly position: number;
  readonly field: string;
  readonly value: string;
  /** Where in the trace it was read, such as `turns.0`; null where nobody said. */
  readonly cite: string | null;
  readonly tier: Tier;
  /** What read it. */
  readonly reader: string;
}

/** Values that traces must have: any of a field's values, on every field named. */
export type AttributeSelection = Readonly<Record<string, readonly string[]>>;

/** A page of attributes; of the traces from one place on and before another, where those are named. */
export interface AttributePage extends PageInput {
  readonly from?: number;
  readonly before?: number;
}

/** How many traces have a value of a field, by tier. */
export interface AttributeCount {
  readonly value: string;
  readonly tier: Tier;
  readonly n: number;
}

/** The traces that have a value of a field at a tier, by position, in no order. */
export interface ValuePositions {
  readonly value: string;
  readonly tier: Tier;
  readonly positions: readonly number[];
}

/** Attributes of the traces of evidence records, indexed both ways. They go with their trace. */
export interface Attributes {
  /**
   * Writes values, each over the one of its trace and field; with `over`, only over those of readers whose names begin so.
   * Answers how many were written. All or none; a trace that is not there is `not_found`.
   */
  put(evidence: string, rows: readonly AttributeRow[], over?: string): Promise<number>;
  /** Forgets the values of these traces; with `of`, only those of readers whose names begin so. */
  drop(evidence: string, positions: readonly number[], of?: string): Promise<number>;
  /** By position, then field. */
  list(evidence: string, page?: AttributePage): Promise<Page<AttributeRow>>;
  /** The fields that any trace has, by name. */
  fields(evidence: string): Promise<string[]>;
  /** The values of a field, by value. */
  values(evidence: string, field: string): Promise<AttributeCount[]>;
  /** Positions of the traces that meet a selection that names at least one field, in order. */
  positions(evidence: string, selection: AttributeSelection): Promise<number[]>;
  /** The values of a field with the traces that have them, by value. */
  valuePositions(evidence: string, field: string): Promise<ValuePositions[]>;
}
