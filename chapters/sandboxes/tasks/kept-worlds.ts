import { LRUCache } from "lru-cache";
import type { BaseState, Bundle } from "../../../worlds/bundle.ts";
import { sha256 } from "../../../worlds/digest.ts";

/** A drawn world: what tasks are written, reviewed and played on. */
export interface DrawnWorld {
  readonly bundle: Bundle;
  readonly base: BaseState;
}

// A thread has one environment's tasks after another, and now and then two environments' in turn.
const kept = new LRUCache<string, DrawnWorld>({ max: 2 });

/**
 * A run on the bundle and the state of an earlier run of this thread, where these are equal, order and all: each run is
 * given copies of its own, and what the engine prepared of earlier ones serves again.
 */
export function onKeptWorld<I extends DrawnWorld, O>(run: (input: I) => O): (input: I) => O {
  return (input) => {
    const { bundle, base } = input;
    // Not canonical: rows are answered in the order in which they stand.
    const digest = sha256(JSON.stringify([bundle, base]));
    const world = kept.get(digest) ?? { bundle, base };
    kept.set(digest, world);
    return run({ ...input, ...world });
  };
}
