import ora from "ora";
import { isLive, say } from "../cli/output.ts";

/** How far work is: so much of so much. Bytes are told as a share. */
export interface Far {
  readonly done: number;
  readonly total: number;
  readonly bytes?: true;
}

/** Tells a person what a stage does, and how far it is. */
export type Tell = (text: string, far?: Far) => void;

/** An estimate is given from here on: of less the rest cannot be told. */
const LEAST_MS = 3_000;

/** How long the rest of a stage takes, by how long what was done of it took. */
export class Estimate {
  #total: number | undefined;
  #from = 0;
  #last = 0;
  #since = 0;

  /** Milliseconds that are left; undefined where that cannot be told yet. A part of another size begins anew. */
  remaining({ done, total }: Far, now: number): number | undefined {
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
}

/** `about 40 s left`, in whole minutes from two on. */
export function remainingText(ms: number): string {
  const s = Math.ceil(ms / 1000);
  return s < 120 ? `about ${s} s left` : `about ${Math.round(s / 60)} min left`;
}

/** `3 of 60` or `12 %`. */
export function farText({ done, total, bytes }: Far): string {
  return bytes ? `${Math.floor((100 * done) / Math.max(1, total))} %` : `${done} of ${total}`;
}

/**
 * Shows each stage as it goes on: one live line with an estimate on a terminal, elsewhere one plain line at a stage's
 * end, without colours or codes. Keeps how long each took, in seconds.
 */
export class Stages {
  readonly seconds: Record<string, number> = {};
  readonly #live = isLive(process.stderr);
  readonly #spinner = ora({ stream: process.stderr, discardStdin: false, isSilent: !this.#live });

  async stage<T>(name: string, work: (tell: Tell) => Promise<T>, done: (answer: T) => string): Promise<T> {
    const from = performance.now();
    const estimate = new Estimate();
    this.#spinner.start(name);
    try {
      const answer = await work((text, far) => {
        const left = far && estimate.remaining(far, performance.now());
        const parts = [...(far ? [farText(far)] : []), ...(left === undefined ? [] : [remainingText(left)])];
        this.#spinner.text = `${name}: ${text}${parts.length === 0 ? "" : ` ${parts.join(", ")}`}`;
      });
      const seconds = (performance.now() - from) / 1000;
      this.seconds[name] = Number(seconds.toFixed(2));
      const line = `${name}: ${done(answer)} (${seconds.toFixed(1)} s)`;
      if (this.#live) this.#spinner.succeed(line);
      else say(line);
      return answer;
    } catch (error) {
      if (this.#live) this.#spinner.fail(name);
      else say(`${name}: failed`);
      throw error;
    }
  }
}
