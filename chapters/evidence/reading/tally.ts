import type { z } from "zod";
import type { Refusal } from "../../records/evidence/evidence.ts";
import type { Reading } from "../formats/format.ts";

/** Refusals kept with their reasons; all are counted. */
const REFUSALS_KEPT = 100;

/** What a part of a reading counted, as data. */
export interface Counted {
  readonly losses: Readonly<Record<string, number>>;
  /** The first of them. */
  readonly refused: readonly z.infer<typeof Refusal>[];
  readonly refusedCount: number;
  readonly strippedCredentials: number;
}

/** What a reading counted. Grows while it is read. */
export class Tally implements Reading, Counted {
  readonly header: Reading["header"];
  readonly losses: Record<string, number> = {};
  readonly refused: z.infer<typeof Refusal>[] = [];
  refusedCount = 0;
  strippedCredentials = 0;

  constructor(header: Reading["header"]) {
    this.header = header;
  }

  lose(name: string, n = 1): void {
    if (n > 0) this.losses[name] = (this.losses[name] ?? 0) + n;
  }

  refuse(place: number, reason: string): void {
    this.refusedCount++;
    if (this.refused.length < REFUSALS_KEPT) this.refused.push({ line: place, reason });
  }

  strip(n: number): void {
    this.strippedCredentials += n;
  }

  /** Counts what the part that comes next counted. */
  add(part: Counted): void {
    for (const [name, n] of Object.entries(part.losses)) this.lose(name, n);
    this.refusedCount += part.refusedCount;
    this.refused.push(...part.refused.slice(0, REFUSALS_KEPT - this.refused.length));
    this.strippedCredentials += part.strippedCredentials;
  }

  /** What was counted so far, as data. */
  counted(): Counted {
    const { losses, refused, refusedCount, strippedCredentials } = this;
    return { losses, refused, refusedCount, strippedCredentials };
  }
}
