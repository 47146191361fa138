import type { OrgJobs } from "../../chapters/ports/store.ts";

/** How often a running job's progress reaches its row, milliseconds. */
const EVERY_MS = 250;

/** Writes a job's progress to its row, at most four times a second; the last report is never lost. */
export class ProgressWriter {
  readonly #jobs: OrgJobs;
  readonly #id: string;
  readonly #owner: string;
  #latest: { done: number; total: number | null; message: string } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(jobs: OrgJobs, id: string, owner: string) {
    this.#jobs = jobs;
    this.#id = id;
    this.#owner = owner;
  }

  report(done: number, total: number | undefined, message: string): void {
    this.#latest = { done, total: total ?? null, message };
    this.#timer ??= setTimeout(() => this.#write(), EVERY_MS);
  }

  /** Writes what is not written yet. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#write();
    await this.#writing;
  }

  #write(): void {
    this.#timer = undefined;
    const latest = this.#latest;
    if (!latest) return;
    this.#latest = undefined;
    this.#writing = this.#writing
      .then(() => this.#jobs.update(this.#id, latest, { owner: this.#owner }))
      .catch(() => undefined);
  }
}
