import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";

const EVERY_MS = 250;
/** A service that is only busy answers within this. */
const ANSWER_MS = 5_000;
/** What a balancer answers for a server that is away, and a server that cannot serve now. */
const AWAY = new Set([502, 503, 504]);

/** One address of the service, as long as somebody looks at it. */
interface WatchedAddress {
  readonly url: string;
  lookers: number;
  /** Looks that found nobody there, counted since it was first found: an address that is never seen says nothing. */
  away: number;
  seen: boolean;
  watching: boolean;
  looking: Promise<void> | undefined;
}

/**
 * Looks, while http agents are at work, whether the service answers at the address at which they reach their worlds: their
 * calls go there from elsewhere, and those that find nobody are seen by nobody else.
 */
export class EndpointWatch {
  readonly #places = new Map<string, WatchedAddress>();

  /** Watches an address until `close`, which answers how often it was away; 0 for an address that never answered. */
  begin(worldUrl: string): { close(last: boolean): Promise<number> } {
    const at = worldUrl.indexOf("/worlds/");
    if (at < 0 || !URL.canParse(worldUrl)) return { close: async () => 0 };
    const url = `${worldUrl.slice(0, at)}/healthz`;
    const watchedAddress = this.#places.get(url) ?? {
      url,
      lookers: 0,
      away: 0,
      seen: false,
      watching: false,
      looking: undefined,
    };
    this.#places.set(url, watchedAddress);
    watchedAddress.lookers += 1;
    const before = watchedAddress.away;
    if (!watchedAddress.watching) void this.#follow(watchedAddress);
    return {
      close: async (last) => {
        if (last) await look(watchedAddress);
        watchedAddress.lookers -= 1;
        return watchedAddress.away - before;
      },
    };
  }

  async #follow(place: WatchedAddress): Promise<void> {
    place.watching = true;
    while (place.lookers > 0) {
      await look(place);
      await sleep(EVERY_MS, undefined, { ref: false });
    }
    place.watching = false;
  }
}

/** One look; who asks while one is under way shares it. */
function look(watchedAddress: WatchedAddress): Promise<void> {
  watchedAddress.looking ??= answers(watchedAddress.url)
    .then((there) => {
      if (there) watchedAddress.seen = true;
      else if (watchedAddress.seen) watchedAddress.away += 1;
    })
    .finally(() => {
      watchedAddress.looking = undefined;
    });
  return watchedAddress.looking;
}

async function answers(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    await body.dump();
    return !AWAY.has(statusCode);
  } catch {
    return false;
  }
}
