import type { Reporter, TestModule, TestSpecification } from "vitest/node";

/** A line at every so many percent of the files, so that a whole run prints twenty. */
const STEP_PERCENT = 5;

/** Minutes and seconds in words, such as `3 min 20 s`. */
function told(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Tells how far a run of the tests is, on a terminal and in a log alike: files done of all, tests failed so far, the time
 * gone, and how long the rest takes at the same speed.
 */
export default class Progress implements Reporter {
  readonly #write: (line: string) => void;
  readonly #now: () => number;
  #files = 0;
  #done = 0;
  #failed = 0;
  #begun = 0;
  #next = 0;

  constructor(how: { readonly write?: (line: string) => void; readonly now?: () => number } = {}) {
    this.#write = how.write ?? console.log;
    this.#now = how.now ?? (() => performance.now());
  }

  onTestRunStart(files: readonly Pick<TestSpecification, "moduleId">[]): void {
    this.#files = files.length;
    this.#done = 0;
    this.#failed = 0;
    this.#begun = this.#now();
    this.#next = STEP_PERCENT;
  }

  onTestModuleEnd(file: Pick<TestModule, "ok">): void {
    this.#done += 1;
    if (!file.ok()) this.#failed += 1;
    const percent = (100 * this.#done) / this.#files;
    // The end is told by the other reporters.
    if (percent < this.#next || this.#done >= this.#files) return;
    while (this.#next <= percent) this.#next += STEP_PERCENT;
    const gone = this.#now() - this.#begun;
    const left = (gone / this.#done) * (this.#files - this.#done);
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} with failures`;
    this.#write(
      `progress: ${this.#done} of ${this.#files} test files${failed}; ${told(gone)} gone, about ${told(left)} to go`,
    );
  }
}
