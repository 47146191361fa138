import { LRUCache } from "lru-cache";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import type { Doc } from "../../chapters/record.ts";
import { BundleRecord, Environment, WorldRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { BaseState, Bundle } from "../../worlds/bundle.ts";
import type { StoredWorld, WorldPersistence } from "../../worlds/registry.ts";
import { HOUSEHOLD, household } from "../../worlds/samples/household/index.ts";
import { beginning } from "../../worlds/starts.ts";
import type { JournalEntry, JournalPosition, JournalTail } from "../../worlds/state/journal.ts";

const START: JournalPosition = { seq: 0, chain: "" };
/** How many parsed bundles and states are kept; the worlds of one environment share theirs. */
const KEPT = 32;

/** Worlds as the store holds them. An id here is `<org id>/<world id>`. */
export class WorldStore implements WorldPersistence {
  readonly #service: ServiceStore;
  readonly #parsed = new LRUCache<string, Promise<unknown>>({ max: KEPT });
  constructor(service: ServiceStore) {
    this.#service = service;
  }

  /** Undefined for a world that is unknown or has ended. */
  async load(id: string): Promise<StoredWorld | undefined> {
    const [org, world] = split(id);
    const store = this.#service.forOrg(org);
    const record = await store.records.get(WorldRecord, world);
    if (!record || record.ended_at !== undefined) return undefined;
    const { entries, place } = (await store.journals.tail(world, START)) ?? { entries: [], place: START };
    const baseKey = baseKeyOf(record);
    if (record.environment === HOUSEHOLD) {
      const { bundle, base, seed } = household();
      return { bundle, base, seed, entries, place, baseKey };
    }
    const [environment, bundle] = await Promise.all([
      store.records.get(Environment, record.environment),
      store.records.get(BundleRecord, record.bundle),
    ]);
    if (!environment || !bundle) return undefined;
    const drawn = record.base_blob ?? environment.base_blob;
    const [made, base] = await Promise.all([
      this.#blob<Bundle>(org, bundle.bundle_blob),
      this.#blob<BaseState>(org, drawn),
    ]);
    return { bundle: made, base: beginning(base, record.start), seed: record.seed, entries, place, baseKey };
  }

  /** Appends to a world's journal if it ends at `after`, else what `again` makes of the rest; resolves when on disk. */
  append(
    id: string,
    entries: readonly JournalEntry[],
    after: JournalPosition,
    again: (missed: JournalTail) => readonly JournalEntry[] | undefined,
  ) {
    const [org, world] = split(id);
    return this.#service.forOrg(org).journals.append(world, entries, after, again);
  }

  /** What a world's journal holds beyond `after`. */
  tail(id: string, after: JournalPosition): Promise<JournalTail | undefined> {
    const [org, world] = split(id);
    return this.#service.forOrg(org).journals.tail(world, after);
  }

  /** Forgets a world's journal. */
  clear(id: string): Promise<void> {
    const [org, world] = split(id);
    return this.#service.forOrg(org).journals.clear(world);
  }

  /** A blob's JSON, parsed once while it is kept: one object for all worlds that stand on it. */
  #blob<T>(org: string, digest: string): Promise<T> {
    const key = `${org}/${digest}`;
    const known = this.#parsed.get(key);
    if (known) return known as Promise<T>;
    // The cache's own `fetch` takes what is still being read for unused: a state that worlds share would be read twice.
    const read = this.#read(org, digest);
    this.#parsed.set(key, read);
    read.catch(() => this.#parsed.delete(key));
    return read as Promise<T>;
  }

  async #read(org: string, digest: string): Promise<unknown> {
    const bytes = await this.#service.forOrg(org).blobs.get(digest);
    if (!bytes) throw new Error(`the store lacks blob ${digest}`);
    return JSON.parse(new TextDecoder().decode(bytes));
  }
}

/** What a world stands on: another bundle, state or seed in its record is another world. */
export function baseKeyOf({ environment, bundle, base_blob, start, seed }: Doc<typeof WorldRecord>): string {
  return JSON.stringify([environment, bundle, base_blob ?? null, start ?? null, seed]);
}

function split(id: string): [org: string, world: string] {
  const at = id.indexOf("/");
  return [id.slice(0, at), id.slice(at + 1)];
}
