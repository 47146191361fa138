import type { BaseState, Bundle } from "./bundle.ts";
import { prepare } from "./prepared.ts";
import { type FrozenBase, prepareBase } from "./state/base.ts";
import { random } from "./tasks/random.ts";
import { createWorld } from "./world.ts";
import type { World } from "./world-api.ts";

/** An initial state as sessions of one group find it: what they alone start with over what all do. The state itself for a group that evidence does not show. */
export function startOf(base: BaseState, group: string): BaseState {
  const start = base.starts && Object.hasOwn(base.starts, group) ? base.starts[group] : undefined;
  if (!start) return base;
  const tables = { ...base.tables };
  for (const [table, rows] of Object.entries(start)) {
    const merged = { ...tables[table] };
    for (const [key, columns] of Object.entries(rows)) merged[key] = { ...merged[key], ...columns };
    tables[table] = merged;
  }
  return {
    tables,
    drawn: base.drawn,
    ...(base.unknown ? { unknown: base.unknown } : {}),
    ...(base.recorded ? { recorded: { task: group } } : {}),
  };
}

/** How little of what the fullest start tells another may tell to be drawn. */
const FULL = 0.8;

/** One state to begin with where sessions of each group began otherwise: the start of a group, drawn by the seed from those that tell most. What it does not tell stays unknown. */
export function drawnStart(base: BaseState, seed: string): BaseState {
  const sizes = Object.entries(base.starts ?? {}).map(([group, tables]) => {
    const rows = Object.values(tables).flatMap((table) => Object.values(table));
    return { group, told: rows.reduce((sum, row) => sum + Object.keys(row).length, 0) };
  });
  const most = sizes.reduce((least, { told }) => Math.max(least, told), 0);
  const full = sizes.filter(({ told }) => told >= most * FULL).map(({ group }) => group);
  return full.length === 0 ? base : startOf(base, random(`start ${seed}`).pick(full.sort()));
}

/** Fresh worlds for replayed sessions, each as its group starts; every start is made ready once. */
export class Starts {
  private readonly base: BaseState;
  private readonly prepared: ReturnType<typeof prepare>;
  private readonly seed: string;
  private frozen: FrozenBase | undefined;
  private readonly roots = new Map<string, World>();

  /** The seed decides generated keys. */
  constructor({ bundle, base }: { readonly bundle: Bundle; readonly base: BaseState }, seed = "") {
    this.base = base;
    this.seed = seed;
    this.prepared = prepare(bundle);
  }

  /** A fork that nothing was done to. */
  fresh(group: string): World {
    const own = this.base.starts !== undefined && Object.hasOwn(this.base.starts, group);
    const { trust, memory } = this.prepared;
    const known = own || memory !== undefined || trust?.knows(group) === true;
    const name = known ? `of ${group}` : "";
    let root = this.roots.get(name);
    if (root === undefined) {
      this.frozen ??= prepareBase(this.base);
      const start = own ? startOf(this.base, group) : this.frozen;
      root = createWorld(this.prepared, start, { seed: this.seed, task: known ? group : undefined });
      this.roots.set(name, root);
    }
    return root.fork();
  }
}
