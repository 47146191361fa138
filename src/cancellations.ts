/**
 * Requests under way that a later message may cancel. A legacy client's abort arrives as a message of its own, on another
 * connection, naming only its request id; two clients that share a token may use the same id, and then nothing is
 * cancelled rather than the wrong thing.
 */
export class Cancellations {
  readonly #running = new Map<string, Set<AbortController>>();

  /** Notes a request until `end` is called. */
  begin(key: string): { readonly signal: AbortSignal; end(): void } {
    const abort = new AbortController();
    const same = this.#running.get(key) ?? new Set();
    this.#running.set(key, same.add(abort));
    const end = () => {
      same.delete(abort);
      if (same.size === 0) this.#running.delete(key);
    };
    return { signal: abort.signal, end };
  }

  /** Aborts the one request under this key; false when there is none or more than one. */
  cancel(key: string): boolean {
    const [only, ...others] = this.#running.get(key) ?? [];
    if (!only || others.length > 0) return false;
    only.abort();
    return true;
  }
}
