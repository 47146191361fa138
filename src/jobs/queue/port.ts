/** A row that waits. */
export interface WaitingJob {
  readonly org: string;
  readonly id: string;
  readonly kind: string;
}

/** Who takes rows: the runner, as a queue sees it. */
export interface JobHands {
  /** Looks through the rows and takes what waits, as far as there is room. */
  look(): Promise<void>;
  /** Takes this row if it still waits; resolves when there is room for one more of its kind. */
  offer(job: WaitingJob): Promise<void>;
}

/**
 * Decides when rows are looked at. Rows are the truth: a word of a row that is gone or taken is passed over, and a row
 * that no word was of is found by looking, so a lost or doubled word costs time and nothing else.
 */
export interface JobQueue {
  /** Says that a row waits; never fails. */
  announce(job: WaitingJob): void;
  /** Begins to tell of rows that wait. */
  begin(hands: JobHands): void;
  /** Told when a job ended and its place is free. */
  freed(): void;
  /** Tells of nothing from now on; what was announced is on its way when this resolves. */
  close(): Promise<void>;
}
