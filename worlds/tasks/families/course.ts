import type { Call } from "../../compile/observations.ts";
import { Renaming } from "../../fidelity/renaming.ts";
import { isText, wordsOf } from "../../floor/leaves.ts";
import type { Volatility } from "../../floor/volatile.ts";
import { isObject, type Json, type JsonObject } from "../../json.ts";
import type { World } from "../../world-api.ts";
import { ref } from "../draft.ts";
import { leaves } from "../leaves.ts";
import type { Script } from "../schema.ts";
import { after } from "../select.ts";

type Calls = Script["calls"];

/** A recorded session's calls made again in a world, as a script that refers to what the world generates. */
export class Course {
  readonly calls: Calls[number][] = [];
  /** The recorded calls that changed something in the world, and those of which it cannot tell. */
  readonly changing: Call[] = [];
  private readonly results: Json[] = [];
  private readonly renaming: Renaming;
  private readonly world: World;

  constructor(world: World, volatility: Volatility) {
    this.world = world;
    this.renaming = new Renaming(volatility);
  }

  /**
   * Makes a recorded call; undefined where the world does not end it as it ended: a text has to say the same. A failed one
   * is no call of the script, and of one that the world only repeats from the record nobody knows what it changes.
   */
  take(call: Call): "kept" | "repeated" | "failed" | undefined {
    const args = this.renaming.args(call.args);
    const answer = this.world.call(call.tool, args);
    const ok = !answer.isError && (answer.answerClass === "data" || answer.answerClass === "empty");
    const texts = typeof call.value === "string" && typeof answer.value === "string";
    const ends = ok === call.ok && !(ok && texts && !this.renaming.alike(call.tool, call.value, answer.value));
    if (call.ok && (!ends || answer.changes.length > 0)) this.changing.push(call);
    if (!ends) return undefined;
    if (!ok) return "failed";
    this.renaming.learn(call.tool, call.value, answer.value);
    this.calls.push({ tool: call.tool, args: this.referring(call.args, args) });
    this.results.push(answer.value);
    return answer.servedBy === "recorded" && answer.changes.length === 0 ? "repeated" : "kept";
  }

  /** Arguments with each generated name put as a reference to the result that told it. */
  private referring(observed: JsonObject, asked: JsonObject): JsonObject {
    const walk = (theirs: Json, ours: Json): Json => {
      if (Array.isArray(ours) && Array.isArray(theirs)) return ours.map((item, i) => walk(theirs[i] ?? null, item));
      if (isObject(ours) && isObject(theirs))
        return Object.fromEntries(Object.entries(ours).map(([key, item]) => [key, walk(theirs[key] ?? null, item)]));
      return theirs === ours || typeof ours !== "string" ? ours : (this.told(ours) ?? ours);
    };
    return walk(observed, asked) as JsonObject;
  }

  private told(value: string): string | undefined {
    for (const [i, result] of this.results.entries()) {
      if (result === value) return ref(i + 1, "");
      for (const leaf of leaves(result, 500)) {
        if (leaf.value === value) return ref(i + 1, leaf.path);
        if (typeof leaf.value !== "string" || !isText(leaf.value)) continue;
        const { words } = wordsOf(leaf.value);
        const place = words.findIndex((word) => word.value === value);
        const before = words[place]?.before;
        if (before !== undefined && words.findIndex((word) => word.before === before) === place)
          return ref(i + 1, after(leaf.path, before));
      }
    }
    return undefined;
  }
}
