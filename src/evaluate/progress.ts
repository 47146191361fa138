import ora from "ora";
import { isLive, say } from "../cli/output.ts";
import { type Counted, Estimate, remainingText } from "../jobs/estimate.ts";

/** How far a stage is. Bytes are told as a share. */
export interface Far extends Counted {
  readonly bytes?: true;
}

/** Tells a person what a stage does, and how far it is where the text does not say so. */
export type Tell = (text: string, far?: Far) => void;

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
