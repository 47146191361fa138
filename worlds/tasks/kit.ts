import type { BaseState, Bundle } from "../bundle.ts";
import type { Json, JsonObject } from "../json.ts";
import { createWorld } from "../world.ts";
import type { World } from "../world-api.ts";
import { type Binding, feed, findBindings, findHops, type Hop } from "./bindings.ts";
import { type Leaf, leaves } from "./leaves.ts";
import type { Random } from "./random.ts";
import { random } from "./random.ts";
import { type Anchor, anchorsOf, type ToolView, toolViews } from "./surface.ts";

/** A row read through a tool: the call and its answer on the drawn world. */
export interface RowRead {
  readonly binding: Binding;
  readonly anchor: Anchor;
  readonly args: JsonObject;
  readonly answer: Json;
  readonly leaves: readonly Leaf[];
}

/** All that families share: the surface, its rows, the proven ways to read them, and a world to try calls on. */
export interface Kit {
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly tools: readonly ToolView[];
  readonly anchors: ReadonlyMap<string, readonly Anchor[]>;
  readonly bindings: readonly Binding[];
  readonly rng: Random;
  /** A fresh fork of the drawn world. */
  fork(): World;
  /** A fresh world on the same rows whose generated keys are others. */
  otherwise(): World;
  read(binding: Binding, anchor: Anchor): RowRead | undefined;
  /** Every reading of a binding, rows in order; at most `most`. */
  reads(binding: Binding, most?: number): readonly RowRead[];
  hops(rowRead: RowRead): readonly Hop[];
  /** All words of the tools' names and descriptions, folded to one text. */
  readonly manual: string;
}

/** The surface as sessions of a group found it, and by what name a task begins there; the drawn one where no start of it is known. */
export type KitOf = (group: string) => { readonly kit: Kit; readonly start: string | undefined };

const MOST = 400;

/** Builds the kit. A few hundred calls on the drawn world find how its reads are fed, at the first question for it. */
export function makeKit(bundle: Bundle, base: BaseState, seed: string): Kit {
  const rng = random(seed);
  const world = createWorld(bundle, base, { seed: "drawn" });
  const twin = createWorld(bundle, base, { seed: "otherwise" });
  const tools = toolViews(bundle);
  const anchors = anchorsOf(base);
  let bindings: Kit["bindings"] | undefined;
  const cache = new Map<string, RowRead | undefined>();
  const lists = new Map<Binding, readonly RowRead[]>();
  const hopCache = new Map<string, readonly Hop[]>();

  const read = (binding: Binding, anchor: Anchor): RowRead | undefined => {
    const name = `${binding.tool}\u001f${anchor.table}\u001f${anchor.key}`;
    if (!cache.has(name)) {
      const args = feed(binding, anchor);
      const answer = args && world.call(binding.tool, args);
      const good = args && answer && answer.answerClass === "data";
      cache.set(name, good ? { binding, anchor, args, answer: answer.value, leaves: leaves(answer.value) } : undefined);
    }
    return cache.get(name);
  };

  return {
    bundle,
    base,
    tools,
    anchors,
    get bindings() {
      // Found only when asked for: a kit that only replays sessions needs none.
      bindings ??= findBindings(bundle, tools, anchors, world, rng.fork("bindings"));
      return bindings;
    },
    rng,
    fork: () => world.fork(),
    otherwise: () => twin.fork(),
    read,
    reads: (binding, most = MOST) => {
      let list = lists.get(binding);
      if (!list) {
        list = (anchors.get(binding.table) ?? []).slice(0, MOST).flatMap((anchor) => read(binding, anchor) ?? []);
        lists.set(binding, list);
      }
      return list.slice(0, most);
    },
    hops: (rowRead) => {
      const name = `${rowRead.binding.tool}\u001f${rowRead.anchor.table}`;
      let hops = hopCache.get(name);
      if (!hops) {
        hops = findHops(bundle, rowRead.binding.tool, rowRead.answer, tools, world);
        hopCache.set(name, hops);
      }
      return hops;
    },
    manual: JSON.stringify(bundle.tools).toLowerCase(),
  };
}
