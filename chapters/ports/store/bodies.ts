import type { Page, PageInput } from "../../page.ts";
import type { CanonicalTrace } from "../../records/evidence/evidence.ts";
import type { TrialRow } from "../../records/runs/runs.ts";
import type { JournalEntry, JournalPosition, JournalTail } from "../../records/sandboxes/journal.ts";
import type { ContentHead } from "./records.ts";

export type { JournalPosition, JournalTail };

/** Bytes by their SHA-256 hex digest, compressed at rest. */
export interface Blobs {
  put(bytes: Uint8Array): Promise<string>;
  get(digest: string): Promise<Uint8Array | undefined>;
  /** By digest, which is the id. */
  heads(page?: PageInput): Promise<Page<ContentHead>>;
  delete(digest: string): Promise<boolean>;
}

/** A stored trace: its place in its evidence record and the columns lists are narrowed by; the body is compressed. */
export interface StoredTrace {
  readonly id: string;
  readonly evidence: string;
  /** Place in the evidence record, from 0. */
  readonly position: number;
  readonly trace: CanonicalTrace;
}

/** A trace as it is kept: what lists are narrowed by, and its JSON text, compressed. */
export interface PackedTrace {
  readonly session: string;
  readonly startedAt: number | undefined;
  readonly calls: number;
  /** SHA-256 of the JSON text. */
  readonly digest: string;
  readonly encoding: string;
  readonly body: Uint8Array;
}

/** A trace to be stored: as it is, or packed on another thread. */
export type NewTrace = StoredTrace | (Omit<StoredTrace, "trace"> & { readonly packed: PackedTrace });

/** A trace without its body. Times are unix seconds. */
export interface TraceHead {
  readonly id: string;
  readonly evidence: string;
  readonly position: number;
  readonly session: string;
  readonly startedAt: number | undefined;
  readonly calls: number;
  readonly digest: string;
}

/** The traces of an org, each in its place of an evidence record. */
export interface Traces {
  /** Appends in one transaction; a position that stands already is written over. */
  append(rows: readonly NewTrace[]): Promise<void>;
  /** By position; from one on, where it is named. */
  heads(evidence: string, page?: PageInput & { readonly from?: number }): Promise<Page<TraceHead>>;
  count(evidence: string): Promise<number>;
  get(id: string): Promise<StoredTrace | undefined>;
  /** The whole traces at these places of a record, in order of position; places that hold none are left out. */
  at(evidence: string, positions: readonly number[]): Promise<StoredTrace[]>;
  /** Whole traces of these records in order of record and position, read in batches. */
  stream(evidence: readonly string[]): AsyncIterable<StoredTrace>;
  deleteEvidence(evidence: string): Promise<number>;
  /** Deletes one trace; false when it is not there. */
  delete(id: string): Promise<boolean>;
  /** Deletes the traces of a record that started before `at`; with `undated`, those that have no start too. */
  deleteBefore(evidence: string, at: number, undated: boolean): Promise<number>;
}

/** Trials of runs; every attempt is kept. */
export interface Trials {
  /** False when this (run, task, try, attempt) is already written: a trial is counted once. */
  insert(row: TrialRow): Promise<boolean>;
  list(run: string, page?: PageInput): Promise<Page<TrialRow>>;
  get(run: string, task: string, n: number): Promise<TrialRow[]>;
  /** Every attempt counted. */
  count(run: string): Promise<number>;
  /** Trials per state over the newest attempt of each. */
  tally(run: string): Promise<Readonly<Record<string, number>>>;
}

/** World journals: base plus journal gives the state again. Many may write one: each says what it knows of it. */
export interface Journals {
  /**
   * Appends entries where the journal still ends at `after`, and answers its new end. Else what there is beyond is told to
   * `again`, which answers the entries that follow it, stored in the same turn; nobody else writes between. Where that
   * answers none, or there is no `again`, nothing is written and the answer is what was missed.
   */
  append(
    world: string,
    entries: readonly JournalEntry[],
    after: JournalPosition,
    again?: (missed: JournalTail) => readonly JournalEntry[] | undefined,
  ): Promise<{ readonly place: JournalPosition } | { readonly missed: JournalTail }>;
  /** What there is beyond `after`; undefined where the journal still ends there. */
  tail(world: string, after: JournalPosition): Promise<JournalTail | undefined>;
  read(world: string): Promise<JournalEntry[]>;
  /** Forgets the journal (reset, or the world is gone). */
  clear(world: string): Promise<void>;
}
