/** A window of the limit, seconds. */
const WINDOW = 60;
/** How many doors are remembered; a door that is forgotten begins a new window. */
const KEPT = 10_000;

/** Requests a minute per door, counted in this process. */
export class DoorLimit {
  readonly #now: () => number;
  readonly #windows = new Map<string, { readonly from: number; n: number }>();

  /** `now` in unix seconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a request; the whole seconds to wait where the limit of the window is reached. */
  take(door: string, limit: number | undefined): number | undefined {
    if (limit === undefined) return undefined;
    const now = this.#now();
    let window = this.#windows.get(door);
    if (!window || now - window.from >= WINDOW) {
      window = { from: now, n: 0 };
      this.#windows.delete(door);
      this.#windows.set(door, window);
      const [oldest] = this.#windows.keys();
      if (this.#windows.size > KEPT && oldest !== undefined) this.#windows.delete(oldest);
    }
    if (window.n >= limit) return Math.max(1, Math.ceil(window.from + WINDOW - now));
    window.n++;
    return undefined;
  }
}
