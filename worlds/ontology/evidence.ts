import type { Call, Session } from "../compile/observations.ts";
import type { OntologyEvidence } from "./schema.ts";

const EXAMPLES = 5;

/** Collects the calls that show something. */
export class ObservedCalls {
  readonly #calls = new Set<Call>();
  readonly #sessions: readonly Session[];

  constructor(sessions: readonly Session[]) {
    this.#sessions = sessions;
  }

  /** Counts a call, once. */
  add(call: Call): this {
    this.#calls.add(call);
    return this;
  }

  /** How many calls show it. */
  get calls(): number {
    return this.#calls.size;
  }

  /** As the graph keeps it. */
  evidence(listing = false): OntologyEvidence {
    const first = [...this.#calls].sort((a, b) => a.trace - b.trace || a.index - b.index).slice(0, EXAMPLES);
    const examples = first.map((call) => `${this.#sessions[call.trace]?.id ?? call.trace}#${call.index}`);
    return { calls: this.#calls.size, examples, listing };
  }
}
