import type { OpenWorld, WorldHost } from "../chapters/sandboxes/world-host.ts";
import type { ServiceStore } from "../store/port.ts";
import type { JsonObject } from "../worlds/json.ts";
import { createWorld } from "../worlds/world.ts";
import type { World } from "../worlds/world-api.ts";
import { WorldStore } from "./world-store.ts";

/** The running worlds of all orgs; each org sees its own. */
export interface Worlds {
  forOrg(org: string): WorldHost;
  close(): Promise<void>;
}

interface Held {
  readonly world: World;
  bundle: string;
  turn: Promise<unknown>;
}

export function worldsOf(
  service: ServiceStore,
  options: { readonly now: () => number; readonly address: () => string | undefined },
): Worlds {
  const store = new WorldStore(service);
  const held = new Map<string, Promise<Held | undefined>>();
  const hold = async (id: string): Promise<Held | undefined> => {
    const stored = await store.load(id);
    if (!stored) return undefined;
    const world = createWorld(stored.bundle, stored.base, { seed: stored.seed });
    world.restore(stored.entries);
    return { world, bundle: stored.bundle.name, turn: Promise.resolve() };
  };
  const open = async (org: string, world: string): Promise<OpenWorld | undefined> => {
    const id = `${org}/${world}`;
    const made = held.get(id) ?? hold(id);
    held.set(id, made);
    const found = await made;
    if (!found) {
      held.delete(id);
      return undefined;
    }
    const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
      const next = found.turn.then(work, work);
      found.turn = next.catch(() => {});
      return next;
    };
    return {
      id: world,
      bundle: found.bundle,
      world: found.world,
      call: (tool, args) =>
        inTurn(async () => {
          const answer = found.world.call(tool, args as JsonObject);
          const entry = found.world.lastEntry(options.now());
          if (entry) await store.append(id, [entry]);
          return answer;
        }),
      reset: () =>
        inTurn(async () => {
          await store.clear(id);
          found.world.reset();
        }),
    };
  };
  return {
    forOrg: (org) => ({
      open: (world) => open(org, world),
      close: (world) => void held.delete(`${org}/${world}`),
      url: (bundle, world) => `${options.address() ?? ""}/worlds/${bundle}/${world}/mcp`,
    }),
    close: async () => {
      for (const world of await Promise.all(held.values())) await world?.turn;
      held.clear();
    },
  };
}
