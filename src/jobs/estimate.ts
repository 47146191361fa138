/** An estimate is given from here on: of less the rest cannot be told. */
const LEAST_MS = 3_000;

/** How far work is: so much of so much. */
export interface Counted {
  readonly done: number;
  readonly total: number;
}

/** How long the rest of a stage takes, by how long what was done of it took. */
export class Estimate {
  #total: number | undefined;
  #from = 0;
  #last = 0;
  #since = 0;

  /** Milliseconds that are left; undefined where that cannot be told yet. A part of another size begins anew. */
  remaining({ done, total }: Counted, now: number): number | undefined {
    if (total !== this.#total || done < this.#last) {
      this.#total = total;
      this.#from = done;
      this.#since = now;
    }
    this.#last = done;
    const [took, made] = [now - this.#since, done - this.#from];
    if (took < LEAST_MS || made <= 0 || done >= total) return undefined;
    return (took * (total - done)) / made;
  }

  /** What work says of itself, with how long the rest takes where that can be told: `trials, about 40 s left`. */
  told(message: string, done: number, total: number | undefined, now = performance.now()): string {
    if (total === undefined) {
      this.#total = undefined;
      return message;
    }
    const left = this.remaining({ done, total }, now);
    return left === undefined ? message : `${message}, ${remainingText(left)}`;
  }
}

/** `about 40 s left`, in whole minutes from two on. */
export function remainingText(ms: number): string {
  const s = Math.ceil(ms / 1000);
  return s < 120 ? `about ${s} s left` : `about ${Math.round(s / 60)} min left`;
}
