import { conflict } from "../chapters/errors.ts";
import type { ServiceStore } from "../chapters/ports/store.ts";
import type { Engine } from "./engine.ts";
import { serviceStore } from "./service.ts";

/** Where the store is: a SQLite file (`:memory:` for one that ends with the process), or a PostgreSQL database. */
export type StoreLocation = { readonly path: string } | { readonly url: string };

/** The setting of a store that is being filled from another one: what stands in it is no workspace yet. */
export const COPYING = "copying";

/** What the host does for a store. */
export interface StoreOptions {
  /** Scrubs a SQLite file on another thread. */
  readonly vacuum?: (path: string) => Promise<void>;
  /** Told, as a sentence to act on, what stands but should not. */
  readonly warn?: (sentence: string) => void;
}

/**
 * Opens the store and brings its tables up to date. Throws `conflict` when a newer version of the program wrote it, or
 * when it is a copy that was not finished.
 */
export async function openStore(place: StoreLocation, options: StoreOptions = {}): Promise<ServiceStore> {
  const store = serviceStore(await openEngine(place, options));
  try {
    if ((await store.setting(COPYING)) === undefined) return store;
    throw conflict("The store is a copy that was not finished: run svc migrate into it again.");
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The database itself, its tables up to date. PostgreSQL's driver is loaded only when it is asked for. */
export async function openEngine(place: StoreLocation, { vacuum, warn }: StoreOptions = {}): Promise<Engine> {
  if ("url" in place) {
    const { openPostgres } = await import("./postgres/open.ts");
    return openPostgres(place.url, { warn });
  }
  const { openSqlite } = await import("./sqlite/open.ts");
  return openSqlite(place.path, undefined, vacuum);
}
