import type { BaseState, Bundle } from "./bundle.ts";
import { canonicalJson } from "./digest.ts";
import type { JsonObject } from "./json.ts";
import { type PreparedBundle, prepare } from "./prepared.ts";
import { type FrozenBase, prepareBase } from "./state/base.ts";
import { startOf } from "./state/group-start.ts";
import { random } from "./tasks/random.ts";
import { createWorld } from "./world.ts";
import type { World } from "./world-api.ts";

export { startOf } from "./state/group-start.ts";

const beginnings = new WeakMap<BaseState, Map<string, BaseState>>();

/**
 * A drawn state as sessions of a group found it: with the rows that this group starts with in the place of the drawn
 * ones. The state itself without a group, or where evidence shows no start of it. The same object for the same group.
 */
export function beginning(base: BaseState, group: string | undefined): BaseState {
  const others =
    group !== undefined && base.others && Object.hasOwn(base.others, group) ? base.others[group] : undefined;
  if (group === undefined || (others === undefined && !isOneStart(base))) return base;
  const known = beginnings.get(base) ?? new Map<string, BaseState>();
  beginnings.set(base, known);
  let begun = known.get(group);
  if (begun === undefined) {
    const tables = { ...base.tables };
    for (const [table, rows] of Object.entries(others ?? {})) {
      const own = { ...tables[table] };
      for (const [key, row] of Object.entries(rows)) {
        if (row === null) delete own[key];
        else own[key] = row;
      }
      tables[table] = own;
    }
    const { others: _others, ...same } = base;
    begun = { ...same, tables, ...(base.recorded ? { recorded: { task: group } } : {}) };
    known.set(group, begun);
  }
  return begun;
}

/** Whether all sessions began alike: what those of one group were answered holds of the same rows. */
const isOneStart = ({ recorded, others }: BaseState): boolean =>
  recorded !== undefined && recorded.task === undefined && others === undefined;

/** What a task is played and judged on: the state that it begins with, on the same bundle. */
export function withStart<Env extends { readonly base: BaseState }>(
  env: Env,
  task: { readonly start?: string | undefined },
): Env {
  const base = beginning(env.base, task.start);
  return base === env.base ? env : { ...env, base };
}

/** A state is read whole wherever its world is: it holds the starts of so many groups, those that tell most. */
const MOST_OTHERS = 200;

/** What the starts of other groups are beside the drawn one: whole rows, null for those that a group has not. */
export function otherStarts(base: BaseState, drawn: BaseState): NonNullable<BaseState["others"]> {
  const others: NonNullable<BaseState["others"]> = {};
  for (const { group } of told(base).slice(0, MOST_OTHERS)) {
    const { tables } = startOf(base, group);
    const differs: NonNullable<BaseState["others"]>[string] = {};
    for (const table of new Set([...Object.keys(tables), ...Object.keys(drawn.tables)])) {
      const [own, there] = [tables[table] ?? {}, drawn.tables[table] ?? {}];
      const rows: Record<string, JsonObject | null> = {};
      for (const key of new Set([...Object.keys(own), ...Object.keys(there)]))
        if (canonicalJson(own[key] ?? null) !== canonicalJson(there[key] ?? null))
          rows[key] = (own[key] as JsonObject | undefined) ?? null;
      if (Object.keys(rows).length > 0) differs[table] = rows;
    }
    others[group] = differs;
  }
  return others;
}

/** How little of what the fullest start tells another may tell to be drawn. */
const FULL = 0.8;

/** One initial state where groups began differently: the start of an informative group, by the seed; the rest unknown. */
export function drawnStart(base: BaseState, seed: string): BaseState {
  const sizes = told(base);
  const full = sizes.filter(({ told }) => told >= (sizes[0]?.told ?? 0) * FULL).map(({ group }) => group);
  return full.length === 0 ? base : startOf(base, random(`start ${seed}`).pick(full.sort()));
}

/** Fresh worlds of a drawn state, each as its task begins; every beginning is made ready once. */
export class Beginnings {
  private readonly env: { readonly bundle: Bundle; readonly base: BaseState; readonly seed: string };
  private readonly prepared: ReturnType<typeof prepare>;
  private readonly roots = new Map<BaseState, World>();

  constructor(env: { readonly bundle: Bundle; readonly base: BaseState; readonly seed: string }) {
    this.env = env;
    this.prepared = prepare(env.bundle);
  }

  /** A fork that nothing was done to. */
  fresh(task: { readonly start?: string | undefined }): World {
    const base = beginning(this.env.base, task.start);
    let root = this.roots.get(base);
    if (root === undefined) {
      root = createWorld(this.prepared, base, { seed: this.env.seed });
      this.roots.set(base, root);
    }
    return root.fork();
  }
}

/** How many columns the start of each group tells, most first. */
function told({ starts = {} }: BaseState): { readonly group: string; readonly told: number }[] {
  const sizes = Object.entries(starts).map(([group, tables]) => {
    const rows = Object.values(tables).flatMap((table) => Object.values(table));
    return { group, told: rows.reduce((sum, row) => sum + Object.keys(row).length, 0) };
  });
  return sizes.sort((a, b) => b.told - a.told || (a.group < b.group ? -1 : 1));
}

/** Fresh worlds for replayed sessions, each as its group starts; every start is made ready once. */
export class Starts {
  private readonly base: BaseState;
  private readonly prepared: PreparedBundle;
  private readonly seed: string;
  /** States to start with, by the group whose own it is; undefined for the common one. */
  private readonly frozen = new Map<string | undefined, FrozenBase>();
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
    const { confidence, memory } = this.prepared;
    const known = own || memory !== undefined || confidence?.knows(group) === true;
    const name = known ? `of ${group}` : "";
    let root = this.roots.get(name);
    if (root === undefined) {
      root = createWorld(this.prepared, this.start(own ? group : undefined), {
        seed: this.seed,
        task: known ? group : undefined,
      });
      this.roots.set(name, root);
    }
    return root.fork();
  }

  private start(group: string | undefined): FrozenBase {
    const frozen = this.frozen.get(group) ?? prepareBase(group === undefined ? this.base : startOf(this.base, group));
    this.frozen.set(group, frozen);
    return frozen;
  }
}
