import type { ServiceStore } from "./port.ts";
import { serviceStore } from "./service.ts";

/** Where the store is: a SQLite file (`:memory:` for one that ends with the process), or a PostgreSQL database. */
export type StorePlace = { readonly path: string } | { readonly url: string };

/** What the host does for a store. */
export interface StoreOptions {
  /** Scrubs a SQLite file on another thread. */
  readonly scrub?: (path: string) => Promise<void>;
  /** Told, as a sentence to act on, what stands but should not. */
  readonly warn?: (sentence: string) => void;
}

/**
 * Opens the store and brings its tables up to date. Throws `conflict` when a newer version of the program wrote it.
 * PostgreSQL's driver is loaded only when it is asked for.
 */
export async function openStore(place: StorePlace, { scrub, warn }: StoreOptions = {}): Promise<ServiceStore> {
  if ("url" in place) {
    const { openPostgres } = await import("./postgres/open.ts");
    return serviceStore(await openPostgres(place.url, { warn }));
  }
  const { openSqlite } = await import("./sqlite/open.ts");
  return serviceStore(openSqlite(place.path, undefined, scrub));
}
