import type { BaseState, Bundle, ToolDefinition } from "../bundle.ts";
import type { Given, Outcome } from "../propose/way.ts";
import type { OutOfFold } from "./out-of-fold.ts";

/** What a compile is told besides traces. */
export interface CompileOptions {
  readonly name: string;
  readonly tools?: readonly ToolDefinition[];
  /** A database export: tables of rows, by key or as lists. It completes the initial state. */
  readonly records?: Readonly<Record<string, unknown>>;
  /** Programs that somebody proposes: what sessions bear out and held-out ones gain by is taken. */
  readonly proposal?: Given;
  /** Told what share of the work is done, 0 to 1: it never falls, and jumps where a way does not apply. */
  readonly tell?: (share: number) => void;
}

/** Counts of a compile, per tool and in all. */
export interface CompileReport {
  readonly traces: number;
  readonly calls: number;
  readonly tables: Readonly<Record<string, { rows: number; key: readonly string[] }>>;
  readonly rows: number;
  /** Sights of rows that contradicted an earlier one; the newest was kept. */
  readonly conflicts: number;
  /** Tools by how their behaviour was found. */
  readonly behaviours: Readonly<Record<string, number>>;
  readonly exceptions: number;
  readonly gaps: number;
  readonly tools: Readonly<Record<string, { how: string; effect: "read" | "write"; seen: number; reproduced: number }>>;
  /** What became of a proposal; absent where there was none. */
  readonly proposed?: Outcome;
}

/** A compiled world: its behaviour, its first state, and how each tool's was found. */
export interface CompileResult {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly report: CompileReport;
  /** What sessions were answered that the world was not made from; absent where there were too few to hold some out. */
  readonly outOfFold?: OutOfFold;
}

/** How long each part of a compile takes beside the others, as measured on seven services; one that does not apply counts for nothing. */
const WEIGHTS = { history: 30, records: 40, programs: 40, files: 20, proposal: 40, whole: 20 } as const;

/** A part of a compile: a way to explain a service, a proposal, or the world of all sessions. */
export type Step = keyof typeof WEIGHTS;

/** How far a compile is: of the parts that still apply, by their weight. */
export class Steps {
  readonly #tell: (share: number) => void;
  readonly #done: Map<Step, number>;
  #told = 0;

  constructor(steps: readonly Step[], tell: (share: number) => void = () => {}) {
    this.#done = new Map(steps.map((step) => [step, 0]));
    this.#tell = tell;
  }

  /** So much of a part is done, 0 to 1. */
  at(step: Step, share: number): void {
    this.#done.set(step, share);
    this.#say();
  }

  /** Parts that turned out not to apply. */
  drop(...steps: readonly Step[]): void {
    for (const step of steps) this.#done.delete(step);
    this.#say();
  }

  #say(): void {
    const parts = [...this.#done].map(([step, share]) => ({ weight: WEIGHTS[step], share }));
    const all = parts.reduce((sum, { weight }) => sum + weight, 0);
    const share = parts.reduce((sum, { weight, share: part }) => sum + weight * part, 0) / all;
    if (share <= this.#told) return;
    this.#told = share;
    this.#tell(share);
  }
}
