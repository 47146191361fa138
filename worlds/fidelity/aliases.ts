import { agrees } from "../compile/fit/fitting.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";

/** A value with every text, and every key of an object, that is one of the names put under its other name. */
export function mapTexts(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [names.get(key) ?? key, mapTexts(item, names)]));
}

/** Generated names of the same thing in the observed system and in a world, to ask by one and compare by the other. */
export class Aliases {
  private readonly toWorld = new Map<string, string>();
  private readonly toObserved = new Map<string, string>();

  /** The arguments as the world knows them. */
  args(args: JsonObject): JsonObject {
    return this.toWorld.size === 0 ? args : (mapTexts(args, this.toWorld) as JsonObject);
  }

  /** A world's answer under the observed names. */
  answer(value: Json): Json {
    if (this.toObserved.size === 0) return value;
    if (typeof value !== "string") return mapTexts(value, this.toObserved);
    let text = value;
    for (const [world, observed] of this.toObserved) text = text.replaceAll(world, observed);
    return text;
  }

  /** Pairs the generated values of two answers to one call. */
  learn(observed: Json, answered: Json, volatile: readonly string[]): void {
    if (!isObject(observed) || !isObject(answered)) return;
    for (const path of volatile) {
      const [theirs, ours] = [observed[path], answered[path]];
      if (typeof theirs !== "string" || typeof ours !== "string" || theirs === ours) continue;
      this.toWorld.set(theirs, ours);
      this.toObserved.set(ours, theirs);
    }
  }
}

/** A value with its generated parts blanked. */
export function masked(value: Json, volatile: readonly string[]): Json {
  if (volatile.length === 0 || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, volatile.includes(key) ? "*" : item]));
}

/** Equal up to volatile paths and the noise of binary fractions. */
export function alike(a: Json, b: Json, volatile: readonly string[]): boolean {
  return agrees(masked(a, volatile), masked(b, volatile));
}
