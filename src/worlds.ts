import type { Log } from "../chapters/context.ts";
import { WorldRecord } from "../chapters/sandboxes/schema.ts";
import type { OpenWorld, WorldHost } from "../chapters/sandboxes/world-host.ts";
import type { ServiceStore } from "../store/port.ts";
import { WorldRegistry } from "../worlds/registry.ts";
import { WorldStore } from "./world-store.ts";

/** The running worlds of all orgs; each org sees its own. */
export interface Worlds {
  forOrg(org: string): WorldHost;
}

export interface WorldsOptions {
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Where callers reach the service. */
  readonly address: () => string | undefined;
}

/** The worlds of a store, opened from their base and journal as they are used. */
export function worldsOf(service: ServiceStore, { now, log, address }: WorldsOptions): Worlds {
  const registry = new WorldRegistry({
    persistence: new WorldStore(service),
    now,
    onerror: (world, err) => log.error({ err, world }, "a world's journal entry could not be stored"),
  });
  const open = async (org: string, id: string): Promise<OpenWorld | undefined> => {
    const record = await service.forOrg(org).records.get(WorldRecord, id);
    const slot = record && record.ended_at === undefined ? await registry.open(`${org}/${id}`) : undefined;
    if (!record || !slot) return undefined;
    return {
      id,
      bundle: record.bundle,
      world: slot.world,
      call: (tool, args) => slot.call(tool, args),
      reset: () => slot.reset(),
    };
  };
  return {
    forOrg: (org) => ({
      open: (id) => open(org, id),
      close: (id) => registry.close(`${org}/${id}`),
      drop: (id) => registry.drop(`${org}/${id}`),
      url: (bundle, id) => `${address() ?? ""}/worlds/${encodeURIComponent(bundle)}/${encodeURIComponent(id)}/mcp`,
    }),
  };
}
