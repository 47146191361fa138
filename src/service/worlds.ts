import type { Log } from "../../chapters/context.ts";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import { WorldRecord } from "../../chapters/records/sandboxes/sandboxes.ts";
import type { OpenWorld, WorldHost } from "../../chapters/sandboxes/worlds/world-host.ts";
import { stoodOn } from "../../chapters/sandboxes/worlds/world-records.ts";
import { WorldRegistry } from "../../worlds/registry.ts";
import { baseKeyOf, WorldStore } from "./world-store.ts";

/** The running worlds of all orgs; each org sees its own. */
export interface Worlds {
  forOrg(org: string): WorldHost;
}

/** What serving worlds needs of the service. */
export interface WorldsOptions {
  /** Unix seconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Where callers reach the service. */
  readonly address: () => string | undefined;
  /** Whether other servers serve the same worlds. */
  readonly shared: boolean;
}

/** The worlds of a store, opened from their base and journal as they are used. */
export function worldsOf(service: ServiceStore, { now, log, address, shared }: WorldsOptions): Worlds {
  const registry = new WorldRegistry({
    persistence: new WorldStore(service),
    now,
    shared,
    onerror: (world, err) => log.error({ err, world }, "a world's journal entry could not be stored"),
  });
  const open = async (org: string, id: string, toCall: boolean): Promise<OpenWorld | undefined> => {
    const record = await service.forOrg(org).records.get(WorldRecord, id);
    if (!record || record.ended_at !== undefined) return undefined;
    const slot = await registry.open(`${org}/${id}`, { toCall, baseKey: baseKeyOf(record) });
    if (!slot) return undefined;
    return {
      id,
      name: record.label ?? `${slot.bundle.name} ${id}`,
      bundle: record.bundle,
      at: (bundle) => stoodOn(record, bundle),
      minted: record.minted === true,
      world: slot.world,
      call: (tool, args) => slot.call(tool, args),
      reset: () => slot.reset(),
    };
  };
  return {
    forOrg: (org) => ({
      open: (id, { toCall = false } = {}) => open(org, id, toCall),
      close: (id) => registry.close(`${org}/${id}`),
      drop: (id) => registry.drop(`${org}/${id}`),
      url: (bundle, id) => `${address() ?? ""}/worlds/${encodeURIComponent(bundle)}/${encodeURIComponent(id)}/mcp`,
    }),
  };
}
