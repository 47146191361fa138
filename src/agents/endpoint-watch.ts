import { setTimeout as sleep } from "node:timers/promises";
import { request } from "undici";

const EVERY_MS = 250;
/** A service that is only busy answers within this. */
const ANSWER_MS = 5_000;
/** What a balancer answers for a server that is away, and a server that cannot serve now. */
const AWAY = new Set([502, 503, 504]);

/** One address of the service, as long as somebody looks at it. */
interface Place {
  readonly url: string;
  lookers: number;
  /** Looks that found nobody there, counted since it was first found: an address that is never seen says nothing. */
  away: number;
  seen: boolean;
  followed: boolean;
  looking: Promise<void> | undefined;
}

/**
 * Looks, while http agents are at work, whether the service answers at the address at which they reach their worlds: their
 * calls go there from elsewhere, and those that find nobody are seen by nobody else.
 */
export class EndpointWatch {
  readonly #places = new Map<string, Place>();

  /** Looks from now until `close`, which answers how often it was found away meanwhile, after a last look where that is asked for; 0 for an address that never answered. */
  begin(worldUrl: string): { close(last: boolean): Promise<number> } {
    const at = worldUrl.indexOf("/worlds/");
    if (at < 0 || !URL.canParse(worldUrl)) return { close: async () => 0 };
    const url = `${worldUrl.slice(0, at)}/healthz`;
    const place = this.#places.get(url) ?? {
      url,
      lookers: 0,
      away: 0,
      seen: false,
      followed: false,
      looking: undefined,
    };
    this.#places.set(url, place);
    place.lookers += 1;
    const before = place.away;
    if (!place.followed) void this.#follow(place);
    return {
      close: async (last) => {
        if (last) await look(place);
        place.lookers -= 1;
        return place.away - before;
      },
    };
  }

  async #follow(place: Place): Promise<void> {
    place.followed = true;
    while (place.lookers > 0) {
      await look(place);
      await sleep(EVERY_MS, undefined, { ref: false });
    }
    place.followed = false;
  }
}

/** One look; who asks while one is under way shares it. */
function look(place: Place): Promise<void> {
  place.looking ??= answers(place.url)
    .then((there) => {
      if (there) place.seen = true;
      else if (place.seen) place.away += 1;
    })
    .finally(() => {
      place.looking = undefined;
    });
  return place.looking;
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
