import type { BaseState, Bundle } from "./bundle.ts";
import { prepare } from "./prepared.ts";
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
  return { tables, drawn: base.drawn };
}

/** Fresh worlds for replayed sessions, each as its group starts; every start is made ready once. */
export class Starts {
  private readonly base: BaseState;
  private readonly prepared: ReturnType<typeof prepare>;
  private readonly roots = new Map<string, World>();

  constructor({ bundle, base }: { readonly bundle: Bundle; readonly base: BaseState }) {
    this.base = base;
    this.prepared = prepare(bundle);
  }

  /** A fork that nothing was done to. */
  fresh(group: string): World {
    const name = this.base.starts && Object.hasOwn(this.base.starts, group) ? `of ${group}` : "";
    let root = this.roots.get(name);
    if (root === undefined) {
      root = createWorld(this.prepared, name === "" ? this.base : startOf(this.base, group));
      this.roots.set(name, root);
    }
    return root.fork();
  }
}
