import type { ServiceStore } from "../../chapters/ports/store.ts";
import { type Meter, WINDOW_S } from "./meter.ts";

/** A hundredth of a limit is taken from the store at once: a server asks it so often in a window, and at most that much is left unused. */
const PORTIONS = 100;
/** How many names are remembered before those of past windows are forgotten. */
const KEPT = 10_000;

/** What this server took out of a window and has not used. */
interface Slot {
  readonly until: number;
  left: number;
  /** Whether the window has nothing more for anyone. */
  spent: boolean;
}

/** The meter of several servers: a window's count is a row that all of them take from, in portions, so that together they never pass it. */
export function sharedMeter(store: Pick<ServiceStore, "meter">, now: () => number): Meter {
  const slots = new Map<string, Slot>();
  const slotOf = (name: string, until: number): Slot => {
    const known = slots.get(name);
    if (known?.until === until) return known;
    const slot: Slot = { until, left: 0, spent: false };
    slots.set(name, slot);
    return slot;
  };
  /** Takes a portion out of the window's row. */
  const ask = async (name: string, want: number, most: number): Promise<void> => {
    if (slots.size > KEPT) for (const [old, { until }] of slots) if (until <= now()) slots.delete(old);
    const { used, until } = await store.meter(name, want, now(), WINDOW_S);
    const slot = slotOf(name, until);
    slot.left += Math.min(want, Math.max(0, most - (used - want)));
    slot.spent = used >= most;
  };
  const asking = new Map<string, Promise<void>>();
  return {
    async take(name, n, most) {
      const need = Math.max(1, n);
      for (;;) {
        const slot = slots.get(name);
        if (slot && slot.until > now()) {
          if (slot.left >= need) {
            slot.left -= n;
            return undefined;
          }
          if (slot.spent) {
            // What is larger than all that is left uses it up.
            slot.left = 0;
            return Math.max(1, Math.ceil(slot.until - now()));
          }
        }
        const portion = Math.max(need, Math.ceil(most / PORTIONS));
        // One asks at a time; those who waited look again.
        const under = asking.get(name) ?? ask(name, portion, most).finally(() => asking.delete(name));
        asking.set(name, under);
        await under;
      }
    },
  };
}
