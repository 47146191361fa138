import { LRUCache } from "lru-cache";
import type { Meter } from "../limits/meter.ts";
import { WINDOW_S } from "../limits/meter.ts";
import { sharedMeter } from "../limits/shared-meter.ts";
import type { Service } from "../service/service.ts";

/** How many doors are remembered, the latest asked; a door that is forgotten begins a new window. */
const KEPT = 10_000;

/** Counts requests to doors by the service's clock: over all servers of a shared store, else in this process. */
export function doorMeter({ config, store, now }: Pick<Service, "config" | "store" | "now">): Meter {
  return config.databaseUrl === undefined ? windowMeter(now) : sharedMeter(store, now);
}

/** A meter of one process. `now` in unix seconds. */
function windowMeter(now: () => number): Meter {
  const windows = new LRUCache<string, { readonly from: number; used: number }>({ max: KEPT });
  return {
    async take(name, n, most) {
      let window = windows.get(name);
      if (!window || now() - window.from >= WINDOW_S) {
        window = { from: now(), used: 0 };
        windows.set(name, window);
      }
      if (window.used + Math.max(n, 1) > most) return Math.max(1, Math.ceil(window.from + WINDOW_S - now()));
      window.used += n;
      return undefined;
    },
  };
}
