import type { BaseState, Bundle } from "./bundle.ts";
import { canonicalJson } from "./digest.ts";
import type { JsonObject } from "./json.ts";
import { type PreparedBundle, prepare } from "./prepared.ts";
import { type FrozenBase, prepareBase } from "./state/base.ts";
import type { JournalEntry } from "./state/journal.ts";
import { createWorld } from "./world.ts";
import type { World, WorldAnswer } from "./world-api.ts";

/** What a world is rebuilt from. Give the same bundle and base objects for worlds that share them: what is made of them is shared then too. */
export interface StoredWorld {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly seed: string;
  readonly entries: readonly JournalEntry[];
}

/** Where worlds are kept. `append` resolves when the entries are stored for good. */
export interface WorldPersistence {
  /** Undefined when there is no such world. */
  load(id: string): Promise<StoredWorld | undefined>;
  append(id: string, entries: readonly JournalEntry[]): Promise<void>;
  clear(id: string): Promise<void>;
}

export interface RegistryOptions {
  readonly persistence: WorldPersistence;
  /** Unix seconds, for journal entries and for telling what is idle. */
  readonly now: () => number;
  /** How many worlds are kept open, 1,000 when absent: the one used longest ago is put away first. */
  readonly maxOpen?: number;
  /** Seconds without use after which a world is put away, 900 when absent. */
  readonly idleSeconds?: number;
  /** Told when an entry could not be stored. */
  readonly onerror?: (id: string, error: unknown) => void;
}

/** A world as opened for use. It stays good after the registry put it away: the next call opens it again. */
export interface RegisteredWorld {
  readonly id: string;
  readonly bundle: Bundle;
  /** The world, for reading. What must be kept goes through `call`. */
  readonly world: World;
  /** Calls one after another: the journal entry is stored before the answer is given. An entry that cannot be stored undoes its call and answers `error:unavailable`. */
  call(tool: string, args: Record<string, unknown>): Promise<WorldAnswer>;
  /** Back to the drawn state; the journal is cleared first. */
  reset(): Promise<void>;
}

const UNAVAILABLE: WorldAnswer = Object.freeze({
  text: "Error: unavailable: the call was not made, try again",
  value: "Error: unavailable: the call was not made, try again",
  isError: true,
  answerClass: "error:unavailable",
  servedBy: "gap",
  changes: [],
});

/** What the worlds of a registry share: bundles and bases made ready, as long as a stored one is in use. */
class Shared {
  private readonly bundles = new WeakMap<Bundle, PreparedBundle>();
  private readonly bases = new WeakMap<BaseState, FrozenBase>();

  world({ bundle, base, seed }: StoredWorld): World {
    const prepared = this.bundles.get(bundle) ?? prepare(bundle);
    this.bundles.set(bundle, prepared);
    const frozen = this.bases.get(base) ?? prepareBase(base);
    this.bases.set(base, frozen);
    return createWorld(prepared, frozen, { seed });
  }
}

class Slot implements RegisteredWorld {
  readonly id: string;
  readonly bundle: Bundle;
  readonly world: World;
  usedAt: number;
  /** Calls waiting or under way. */
  pending = 0;
  private turn: Promise<unknown> = Promise.resolve();
  /** The journal may hold other entries than the world has seen. */
  private doubtful = false;
  private dropped = false;
  private readonly options: RegistryOptions;
  private readonly touch: (slot: Slot) => void;

  constructor(id: string, stored: StoredWorld, world: World, options: RegistryOptions, touch: (slot: Slot) => void) {
    this.id = id;
    this.bundle = stored.bundle;
    this.world = world;
    this.options = options;
    this.touch = touch;
    this.usedAt = options.now();
  }

  call(tool: string, args: Record<string, unknown>): Promise<WorldAnswer> {
    return this.inTurn(() => this.answer(tool, args as JsonObject));
  }

  reset(): Promise<void> {
    return this.inTurn(async () => {
      await this.options.persistence.clear(this.id);
      this.world.reset();
      this.doubtful = false;
    });
  }

  /** Ends it for whoever holds it: what it stands on is no longer what is stored. */
  drop(): void {
    this.dropped = true;
  }

  /** Says that the stored journal must be read again before the next call. */
  doubt(): void {
    this.doubtful = true;
  }

  /** Whether the world is as stored, after reading it again where that is in doubt. */
  ready(): Promise<boolean> {
    if (!this.doubtful) return Promise.resolve(true);
    return this.inTurn(async () => !this.doubtful || (await this.resume()) !== undefined);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.pending++;
    this.usedAt = this.options.now();
    if (!this.dropped) this.touch(this);
    const next = this.turn.then(work).finally(() => {
      this.pending--;
    });
    this.turn = next.catch(() => {});
    return next;
  }

  private async answer(tool: string, args: JsonObject): Promise<WorldAnswer> {
    if (this.dropped || (this.doubtful && (await this.resume()) === undefined)) return UNAVAILABLE;
    for (let tries = 0; ; tries++) {
      const answer = this.world.call(tool, args);
      const entry = this.world.lastEntry(this.options.now()) as JournalEntry;
      try {
        await this.options.persistence.append(this.id, [entry]);
        return answer;
      } catch (error) {
        this.options.onerror?.(this.id, error);
        this.world.undo();
        const stored = await this.resume();
        const landed = stored?.[entry.seq - 1];
        if (landed !== undefined && canonicalJson({ ...landed, at: 0 }) === canonicalJson({ ...entry, at: 0 }))
          return answer;
        if (landed === undefined || tries > 0) return UNAVAILABLE;
      }
    }
  }

  /** Rebuilds the world from what is really stored; undefined when that cannot be had, and then the next call tries again. */
  private async resume(): Promise<readonly JournalEntry[] | undefined> {
    this.doubtful = true;
    try {
      const stored = await this.options.persistence.load(this.id);
      if (stored === undefined) return undefined;
      this.world.restore(stored.entries);
      this.doubtful = false;
      return stored.entries;
    } catch (error) {
      this.options.onerror?.(this.id, error);
      return undefined;
    }
  }
}

/**
 * The open worlds of a process. A world is opened from base and journal, kept while it is used, put away when idle or
 * when too many are open, and opened again on the next use; as long as someone holds one there is only that one.
 */
export class WorldRegistry {
  private readonly options: RegistryOptions;
  private readonly shared = new Shared();
  /** In order of last use. */
  private readonly opened = new Map<string, Slot>();
  private readonly held = new Map<string, WeakRef<Slot>>();
  private readonly opening = new Map<string, Promise<Slot | undefined>>();
  private readonly forget = new FinalizationRegistry<string>((id) => {
    if (this.held.get(id)?.deref() === undefined) this.held.delete(id);
  });
  private swept = 0;

  constructor(options: RegistryOptions) {
    this.options = options;
  }

  /** How many worlds are open. */
  get size(): number {
    return this.opened.size;
  }

  /** Opens a world; undefined when it is not stored. Rejects when the store fails or the journal does not fit the base. */
  async open(id: string): Promise<RegisteredWorld | undefined> {
    const known = this.opened.get(id) ?? this.held.get(id)?.deref();
    if (known) {
      if (!(await known.ready())) {
        this.opened.delete(id);
        return undefined;
      }
      known.usedAt = this.options.now();
      this.keep(known);
      return known;
    }
    const under = this.opening.get(id) ?? this.load(id);
    this.opening.set(id, under);
    try {
      return await under;
    } finally {
      this.opening.delete(id);
    }
  }

  /** Lets go of a world's memory; what is stored stays, and is read again on the next use. Calls under way are finished. */
  close(id: string): void {
    (this.opened.get(id) ?? this.held.get(id)?.deref())?.doubt();
    this.opened.delete(id);
  }

  /** Forgets a world that is stored on other ground now: who holds it is refused from here on, and the next opening reads it anew. */
  drop(id: string): void {
    (this.opened.get(id) ?? this.held.get(id)?.deref())?.drop();
    this.opened.delete(id);
    this.held.delete(id);
  }

  /** Puts away what was not used for a while, and tells how many that were. Runs by itself as worlds are used. */
  sweep(): number {
    const before = this.opened.size;
    const now = this.options.now();
    const idle = this.options.idleSeconds ?? 900;
    this.swept = now;
    for (const slot of this.opened.values())
      if (slot.pending === 0 && now - slot.usedAt >= idle) this.opened.delete(slot.id);
    return before - this.opened.size;
  }

  private async load(id: string): Promise<Slot | undefined> {
    const stored = await this.options.persistence.load(id);
    if (stored === undefined) return undefined;
    const world = this.shared.world(stored);
    world.restore(stored.entries);
    const slot = new Slot(id, stored, world, this.options, (used) => this.keep(used));
    this.held.set(id, new WeakRef(slot));
    this.forget.register(slot, id);
    this.keep(slot);
    return slot;
  }

  private keep(slot: Slot): void {
    this.opened.delete(slot.id);
    this.opened.set(slot.id, slot);
    const now = this.options.now();
    if (now - this.swept >= 60) this.sweep();
    const most = this.options.maxOpen ?? 1000;
    if (this.opened.size <= most) return;
    for (const { id, pending } of this.opened.values()) {
      if (pending === 0 && id !== slot.id) this.opened.delete(id);
      if (this.opened.size <= most) return;
    }
  }
}
