/**
 * Requests under way that a later message may cancel. A legacy client's abort arrives as a message of its own, on another
 * connection, naming only its request id; two clients that share a token may use the same id, and then nothing is
 * cancelled rather than the wrong thing.
 */
export class Cancellations {
  readonly #running = new Map<string, Set<AbortController>>();

  /** Notes a request under way; the answer forgets it. */
  begin(key: string, abort: AbortController): () => void {
    const same = this.#running.get(key);
    if (same) same.add(abort);
    else this.#running.set(key, new Set([abort]));
    return () => {
      const now = this.#running.get(key);
      now?.delete(abort);
      if (now?.size === 0) this.#running.delete(key);
    };
  }

  /** Aborts the one request under this key; false when there is none or more than one. */
  cancel(key: string, reason: Error): boolean {
    const [only, ...others] = this.#running.get(key) ?? [];
    if (!only || others.length > 0) return false;
    only.abort(reason);
    return true;
  }
}
