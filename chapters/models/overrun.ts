import { setTimeout as sleep } from "node:timers/promises";
import type { Models } from "./port.ts";

/** Exchanges whose cost is remembered of a model: what a provider counted once is forgotten in time. */
const REMEMBERED = 8;
/** The longest that an exchange waits for the first one of its model, milliseconds. */
const FIRST_MS = 30_000;

const known = new WeakMap<Models, Map<string, Overrun>>();

/** What this process has seen of a model; it is the provider's property and no org's. */
export function overrunOf(models: Models, model: string): Overrun {
  const of = known.get(models) ?? new Map<string, Overrun>();
  known.set(models, of);
  const overrun = of.get(model) ?? new Overrun();
  of.set(model, overrun);
  return overrun;
}

/**
 * By how much a model's exchanges cost more than their texts let expect. The first of a process goes alone, and what it
 * cost is what the next ones set aside, so that a provider that counts otherwise passes a budget by one exchange and not
 * by all that are under way.
 */
export class Overrun {
  readonly #ratios: number[] = [];
  #first: Promise<void> | undefined;

  /** How often over the expected cost is to be set aside; at least 1. */
  get factor(): number {
    return Math.max(1, ...this.#ratios);
  }

  /** Waits for the first exchange. Call the answer at its end with actual cost over expected cost, where it cost something. */
  async enter(signal: AbortSignal): Promise<(ratio?: number) => void> {
    const deadline = performance.now() + FIRST_MS;
    while (this.#ratios.length === 0 && this.#first !== undefined && performance.now() < deadline) {
      const wait = new AbortController();
      await Promise.race([
        this.#first,
        sleep(deadline - performance.now(), undefined, {
          signal: AbortSignal.any([signal, wait.signal]),
          ref: false,
        }).catch(() => undefined),
      ]);
      wait.abort();
      signal.throwIfAborted();
    }
    const own = Promise.withResolvers<void>();
    if (this.#ratios.length === 0) this.#first = own.promise;
    return (ratio) => {
      if (ratio !== undefined)
        this.#ratios.splice(0, this.#ratios.length, ...[...this.#ratios, ratio].slice(-REMEMBERED));
      if (this.#first === own.promise) this.#first = undefined;
      own.resolve();
    };
  }
}
