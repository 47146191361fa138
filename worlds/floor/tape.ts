import type { Json } from "../json.ts";

/** An answer as it is kept: its value with generated ids by number. */
export interface Kept {
  readonly value: Json;
  readonly ok: boolean;
  readonly answerClass: string;
  /** Whether the protocol's error flag was set. */
  readonly flagged: boolean;
  /** How many generated ids its session had been shown before it, and those that it shows first. */
  readonly before: number;
  readonly fresh: readonly (string | number)[];
  /** It is a success that repeats what its call was given: whether another call succeeds so is not known. */
  readonly own?: boolean;
}

/** The most frequent answer of a key, by sessions that gave it. */
export interface Best {
  readonly id: string;
  readonly answer: Kept;
  readonly support: number;
  readonly of: number;
}

interface Entry {
  /** Sessions that gave each answer. */
  readonly counts: Map<string, number>;
  /** The same per task, and per session where two sessions share a task. */
  readonly byTask: Map<string, Map<string, number>>;
  readonly bySession: Map<number, Set<string>>;
}

/** What training sessions answered, by key. */
export class Tape {
  private readonly entries = new Map<string, Entry>();
  private readonly answers = new Map<string, Kept>();
  private readonly tasks = new Set<string>();
  /** What was found for keys since an answer was kept last. */
  private readonly found = new Map<string, Best | undefined>();

  /** Keeps an answer under keys; a session counts once for each. */
  add(keys: readonly (string | undefined)[], task: string, session: number, id: string, answer: Kept): void {
    this.tasks.add(task);
    this.found.clear();
    if (!this.answers.has(id)) this.answers.set(id, answer);
    for (const key of keys) {
      if (key === undefined) continue;
      const entry = this.entries.get(key) ?? { counts: new Map(), byTask: new Map(), bySession: new Map() };
      this.entries.set(key, entry);
      const own = entry.bySession.get(session) ?? new Set<string>();
      if (own.has(id)) continue;
      entry.bySession.set(session, own.add(id));
      entry.counts.set(id, (entry.counts.get(id) ?? 0) + 1);
      const ofTask = entry.byTask.get(task) ?? new Map<string, number>();
      entry.byTask.set(task, ofTask.set(id, (ofTask.get(id) ?? 0) + 1));
    }
  }

  /** The most frequent answer of every key. */
  *all(): Generator<readonly [key: string, best: Best]> {
    for (const key of this.entries.keys()) {
      const best = this.best(key);
      if (best) yield [key, best];
    }
  }

  /** Whether a training session had this task. */
  knows(task: string): boolean {
    return this.tasks.has(task);
  }

  /** The most frequent answer; the smaller one on a tie. `without` leaves a task or a session out. */
  best(key: string, without?: { readonly task: string } | { readonly session: number }): Best | undefined {
    if (without !== undefined) return this.bestOf(key, without);
    if (!this.found.has(key)) this.found.set(key, this.bestOf(key, undefined));
    return this.found.get(key);
  }

  private bestOf(
    key: string,
    without: { readonly task: string } | { readonly session: number } | undefined,
  ): Best | undefined {
    const entry = this.entries.get(key);
    if (!entry) return undefined;
    const less = (id: string): number => {
      if (without === undefined) return 0;
      if ("task" in without) return entry.byTask.get(without.task)?.get(id) ?? 0;
      return entry.bySession.get(without.session)?.has(id) ? 1 : 0;
    };
    let top: string | undefined;
    let support = 0;
    let of = 0;
    for (const [id, all] of entry.counts) {
      const n = all - less(id);
      of += n;
      if (n > support || (n === support && n > 0 && top !== undefined && id < top)) [top, support] = [id, n];
    }
    const answer = top === undefined ? undefined : this.answers.get(top);
    return top === undefined || answer === undefined ? undefined : { id: top, answer, support, of };
  }
}
