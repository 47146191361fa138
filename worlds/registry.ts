import type { BaseState, Bundle } from "./bundle.ts";
import { canonicalJson } from "./digest.ts";
import type { JsonObject } from "./json.ts";
import { type PreparedBundle, prepare } from "./prepared.ts";
import { type FrozenBase, prepareBase } from "./state/base.ts";
import type { JournalEntry, JournalPosition, JournalTail } from "./state/journal.ts";
import { UNAVAILABLE } from "./unavailable.ts";
import { createWorld } from "./world.ts";
import type { World, WorldAnswer } from "./world-api.ts";

/** What a world is rebuilt from. Worlds with the same bundle and base objects share what is made of them. */
export interface StoredWorld {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly seed: string;
  readonly entries: readonly JournalEntry[];
  readonly place: JournalPosition;
  /** Names bundle, base and seed: another ground is another world. */
  readonly baseKey: string;
}

/** Where worlds are kept, by one process or by many. */
export interface WorldPersistence {
  /** Undefined when there is no such world. */
  load(id: string): Promise<StoredWorld | undefined>;
  /**
   * Resolves when the entries are stored for good after that place. Where another wrote there, `again` is told what, and
   * the entries that it answers are stored behind it before anybody else writes; where it answers none, nothing is.
   */
  append(
    id: string,
    entries: readonly JournalEntry[],
    after: JournalPosition,
    again: (missed: JournalTail) => readonly JournalEntry[] | undefined,
  ): Promise<{ readonly place: JournalPosition } | { readonly missed: JournalTail }>;
  /** What is stored beyond that place; undefined when nothing is. */
  tail(id: string, after: JournalPosition): Promise<JournalTail | undefined>;
  clear(id: string): Promise<void>;
}

/** What a registry needs to open worlds and put them away. */
export interface RegistryOptions {
  readonly persistence: WorldPersistence;
  /** Unix seconds, for journal entries and for telling what is idle. */
  readonly now: () => number;
  /** How many worlds are kept open, 5,000 when absent: the one used longest ago is put away first. */
  readonly maxOpen?: number;
  /** Seconds without use after which a world is put away, 900 when absent. */
  readonly idleSeconds?: number;
  /** Whether other processes write to the same worlds: they are looked for before one is read. */
  readonly shared?: boolean;
  /** Told when an entry could not be stored. */
  readonly onerror?: (id: string, error: unknown) => void;
}

/** How a world is opened. */
export interface WorldOpening {
  /** Only to call it: what others did is looked for by the call. */
  readonly toCall?: boolean;
  /** What it stands on as stored, by the name `StoredWorld` gives it. */
  readonly baseKey?: string;
}

/** A world as opened for use. It stays good after the registry put it away: the next call opens it again. */
export interface RegisteredWorld {
  readonly id: string;
  readonly bundle: Bundle;
  /** The world, for reading. What must be kept goes through `call`. */
  readonly world: World;
  /** Calls one after another; the journal entry is stored before the answer, else the call is undone: `error:unavailable`. */
  call(tool: string, args: Record<string, unknown>): Promise<WorldAnswer>;
  /** Back to the drawn state; the journal is cleared first. */
  reset(): Promise<void>;
}

/** Open worlds of one base share it and cost a few kilobytes each; opening one again costs reading its journal. */
const MOST_OPEN = 5000;
/** How often a call is made again because the world was begun anew before it. */
const TRIES = 32;
const START: JournalPosition = { seq: 0, chain: "" };

const UNAVAILABLE_ANSWER: WorldAnswer = Object.freeze({
  text: UNAVAILABLE,
  value: UNAVAILABLE,
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
  /** How far the world has seen the journal. */
  private place: JournalPosition;
  private dropped = false;
  readonly baseKey: string;
  private readonly options: RegistryOptions;
  private readonly touch: (slot: Slot) => void;

  constructor(id: string, stored: StoredWorld, world: World, options: RegistryOptions, touch: (slot: Slot) => void) {
    this.id = id;
    this.bundle = stored.bundle;
    this.baseKey = stored.baseKey;
    this.world = world;
    this.options = options;
    this.touch = touch;
    this.place = stored.place;
    this.usedAt = options.now();
  }

  call(tool: string, args: Record<string, unknown>): Promise<WorldAnswer> {
    return this.inTurn(() => this.answer(tool, args as JsonObject));
  }

  reset(): Promise<void> {
    return this.inTurn(async () => {
      await this.options.persistence.clear(this.id);
      this.world.reset();
      this.place = START;
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

  /** Brings the world to what is stored, where that may have changed; false where it is another world now. Rejects when the store fails. */
  async ready(toCall: boolean): Promise<boolean> {
    // A call finds out by itself what others did before it.
    if (this.doubtful || (this.options.shared === true && !toCall)) await this.inTurn(() => this.catchUp());
    return !this.dropped;
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
    if (this.doubtful && !(await this.caughtUp())) return UNAVAILABLE_ANSWER;
    for (let tries = 0; tries < TRIES && !this.dropped; tries++) {
      let made = this.made(tool, args);
      let behind = false;
      const again = (missed: JournalTail) => {
        // A store that begins its turn anew has forgotten what it told: the world has not.
        if (behind) throw new Error("the turn of a world's call was begun twice");
        if (missed.from < this.place.seq) return undefined;
        behind = true;
        this.world.undo();
        this.world.advance(missed.entries);
        this.place = missed.place;
        made = this.made(tool, args);
        return [made.entry];
      };
      try {
        const stored = await this.options.persistence.append(this.id, [made.entry], this.place, again);
        if ("place" in stored) {
          this.place = stored.place;
          return made.answer;
        }
        this.world.undo();
        await this.follow(stored.missed);
      } catch (error) {
        this.options.onerror?.(this.id, error);
        this.world.undo();
        this.doubtful = true;
        const landed = (await this.caughtUp())?.find(({ seq }) => seq === made.entry.seq);
        return landed !== undefined && canonicalJson(landed) === canonicalJson(made.entry)
          ? made.answer
          : UNAVAILABLE_ANSWER;
      }
    }
    return UNAVAILABLE_ANSWER;
  }

  private made(tool: string, args: JsonObject): { readonly answer: WorldAnswer; readonly entry: JournalEntry } {
    const answer = this.world.call(tool, args);
    return { answer, entry: this.world.lastEntry(this.options.now()) as JournalEntry };
  }

  /** `catchUp` that answers undefined where it fails; the next call tries again. */
  private async caughtUp(): Promise<readonly JournalEntry[] | undefined> {
    try {
      return await this.catchUp();
    } catch (error) {
      this.options.onerror?.(this.id, error);
      return undefined;
    }
  }

  /** Brings the world to what is really stored, and answers what came. */
  private async catchUp(): Promise<readonly JournalEntry[]> {
    this.doubtful = true;
    const missed = await this.options.persistence.tail(this.id, this.place);
    if (missed) await this.follow(missed);
    this.doubtful = false;
    return missed?.entries ?? [];
  }

  private async follow(missed: JournalTail): Promise<void> {
    if (missed.from < this.place.seq) {
      // Begun anew, perhaps on other ground; then this is no longer the world that is stored.
      const stored = await this.options.persistence.load(this.id);
      if (stored?.baseKey !== this.baseKey) return this.drop();
      this.world.reset();
    }
    this.world.advance(missed.entries);
    this.place = missed.place;
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

  /**
   * Opens a world; undefined when it is not stored. Rejects when the store fails or the journal does not fit the base.
   * What others did is looked for first, unless it is opened only `toCall`, which looks by itself. `baseKey` is what it
   * stands on as the caller knows it: one that was opened on another is let go of, also where nobody has called it since.
   */
  async open(id: string, how: WorldOpening = {}): Promise<RegisteredWorld | undefined> {
    const known = this.opened.get(id) ?? this.held.get(id)?.deref();
    if (known) {
      if (how.baseKey !== undefined && known.baseKey !== how.baseKey) known.drop();
      if (!(await known.ready(how.toCall === true))) {
        if (this.opened.get(id) === known) this.opened.delete(id);
        if (this.held.get(id)?.deref() === known) this.held.delete(id);
        const { baseKey: _seen, ...again } = how;
        return this.open(id, again);
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
    const most = this.options.maxOpen ?? MOST_OPEN;
    if (this.opened.size <= most) return;
    for (const { id, pending } of this.opened.values()) {
      if (pending === 0 && id !== slot.id) this.opened.delete(id);
      if (this.opened.size <= most) return;
    }
  }
}
