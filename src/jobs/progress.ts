import type { OrgJobs } from "../../chapters/ports/store.ts";
import { Estimate } from "./estimate.ts";

/** How often a running job's progress reaches its row, milliseconds. */
const EVERY_MS = 250;

/** How often how long the rest takes is told anew while nothing else is, milliseconds. */
const ANEW_MS = 5_000;

/**
 * Writes a job's progress to its row, at most four times a second, with how long the rest of a stage takes once that can
 * be told; the last report is never lost.
 */
export class ProgressWriter {
  readonly #jobs: OrgJobs;
  readonly #id: string;
  readonly #owner: string;
  readonly #estimate = new Estimate();
  #latest: { done: number; total: number | null; message: string } | undefined;
  #due = false;
  #written: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(jobs: OrgJobs, id: string, owner: string) {
    this.#jobs = jobs;
    this.#id = id;
    this.#owner = owner;
  }

  report(done: number, total: number | undefined, message: string): void {
    this.#latest = { done, total: total ?? null, message };
    // Heard at once: the pace of what is done is reckoned by when it was.
    this.#estimate.told(message, done, total);
    if (this.#due) return;
    this.#due = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), EVERY_MS);
  }

  /** Writes what was reported last, for good: nothing is left then. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    const latest = this.#latest;
    if (latest && (this.#due || this.#written !== latest.message)) this.#put(latest);
    await this.#writing;
  }

  #write(): void {
    this.#due = false;
    if (!this.#latest) return;
    const { done, total, message } = this.#latest;
    this.#put({ done, total, message: this.#estimate.told(message, done, total ?? undefined) });
    if (total !== null && done < total) this.#timer = setTimeout(() => this.#write(), ANEW_MS).unref();
  }

  #put(row: { done: number; total: number | null; message: string }): void {
    this.#written = row.message;
    this.#writing = this.#writing
      .then(() => this.#jobs.update(this.#id, row, { owner: this.#owner }))
      .catch(() => undefined);
  }
}
