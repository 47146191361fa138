import { z } from "zod";
import type { JobCtx } from "../../job.ts";

/** An attempt under way, as watchers see it. */
export const Flight = z.object({
  task: z.string(),
  n: z.number().int(),
  attempt: z.number().int(),
  world: z.string(),
  /** The id of its connector token. */
  token: z.string(),
  started_at: z.number(),
});
export type Flight = z.infer<typeof Flight>;

const State = z.object({ in_flight: z.array(Flight) });
const EVERY_MS = 500;

/** The attempts under way, as a run's job last wrote them. */
export function flightsOf(state: unknown): Flight[] {
  const parsed = State.safeParse(state);
  return parsed.success ? parsed.data.in_flight : [];
}

/** Keeps a run's attempts under way in its job's checkpoint, written at most twice a second, for those who watch. */
export class InFlight {
  readonly #ctx: JobCtx;
  readonly #flights = new Map<string, Flight>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(ctx: JobCtx) {
    this.#ctx = ctx;
  }

  began(trial: string, flight: Flight): void {
    this.#flights.set(trial, flight);
    this.#soon();
  }

  ended(trial: string): void {
    this.#flights.delete(trial);
    this.#soon();
  }

  /** Writes the last state; nothing is written afterwards. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#flights.size > 0) this.#write();
    await this.#writing;
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#write(), EVERY_MS);
  }

  #write(): void {
    this.#timer = undefined;
    const state = { in_flight: [...this.#flights.values()] };
    this.#writing = this.#writing.then(() => this.#ctx.job.checkpoint(state)).catch(() => undefined);
  }
}
