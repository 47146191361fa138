import { canonicalJson } from "../../digest.ts";
import type { Json, JsonObject } from "../../json.ts";
import { triedWrites } from "../families/write.ts";
import type { Kit } from "../kit.ts";
import { type Random, random } from "../random.ts";
import type { Script } from "../schema.ts";
import { refOf } from "../script.ts";
import { endOf } from "./unseen-arguments.ts";

type Calls = Script["calls"];

/** Other literals for an argument: of its schema, of other rows, near by. */
export function alternatives(kit: Kit, tool: string, name: string, value: Json, rng: Random): Json[] {
  const view = kit.tools.find((t) => t.name === tool);
  const param = view?.params.find((p) => p.name === name);
  const out: Json[] = [];
  for (const other of param?.values ?? []) if (other !== value) out.push(other);
  if (typeof value === "boolean") out.push(!value);
  if (typeof value === "number") out.push(value + 1, Math.max(0, value - 1));
  if (typeof value === "string" && out.length === 0) {
    for (const [, rows] of kit.anchors) {
      const home = rows.find((r) => r.key === value);
      if (home)
        out.push(
          ...rng
            .shuffled(rows)
            .filter((r) => r.key !== value)
            .slice(0, 3)
            .map((r) => r.key),
        );
    }
    const tried = triedWrites(kit).get(tool);
    const seen = rng
      .shuffled(tried?.changed ?? [])
      .flatMap((a) => (a.args[name] !== undefined && a.args[name] !== value ? [a.args[name]] : []));
    out.push(...seen.slice(0, 2));
    for (const binding of kit.bindings.filter((b) => b.tool === tool && b.sources[name] !== undefined).slice(0, 2)) {
      out.push(
        ...rng
          .shuffled(kit.reads(binding, 40))
          .flatMap((r) => (r.args[name] !== undefined && r.args[name] !== value ? [r.args[name]] : []))
          .slice(0, 2),
      );
    }
    if (out.length === 0) out.push(`${value} changed`);
  }
  if (Array.isArray(value)) {
    const tried = triedWrites(kit).get(tool);
    out.push(
      ...rng
        .shuffled(tried?.changed ?? [])
        .flatMap((a) =>
          Array.isArray(a.args[name]) && JSON.stringify(a.args[name]) !== JSON.stringify(value) ? [a.args[name]] : [],
        )
        .slice(0, 2),
    );
  }
  return out.slice(0, 5);
}

/** Lists of some elements of a list: without its first, without its last, the first and the last alone. */
export function partsOf(value: unknown): Json[][] {
  if (!Array.isArray(value) || new Set(value.map((one) => JSON.stringify(one))).size < 2) return [];
  const parts = [value.slice(1), value.slice(0, -1), value.slice(0, 1), value.slice(-1)];
  return value.length > 2 ? parts : parts.slice(0, 2);
}

/**
 * Whether a call with a part of a list leaves out only what the state tells to be so already: alone it changes nothing,
 * and where it is not so (other arguments, or another tool's change before), leaving out any of it ends otherwise.
 */
export function leavesOutWhatIsSo(kit: Kit, whole: Calls, part: Calls): boolean {
  const at = whole.findIndex((call, i) => call !== part[i]);
  const { tool = "", args = {} } = whole[at] ?? {};
  const [name = "", list] = Object.entries(args).find(([key, value]) => value !== part[at]?.args[key]) ?? [];
  const given: unknown = part[at]?.args[name];
  if (!Array.isArray(list) || !Array.isArray(given)) return false;
  const kept = new Set(given.map(canonicalJson));
  const left = (list as Json[]).filter((one) => !kept.has(canonicalJson(one)));
  const before = whole.slice(0, at);
  const end = (calls: Calls) => endOf(kit.fork(), calls);
  const giving = (elements: Json[], others: JsonObject = {}) => ({
    tool,
    args: { ...args, ...others, [name]: elements },
  });
  if (end([...before, giving(left)]) !== end(before)) return false;
  const without = (one: Json) => (list as Json[]).filter((other) => canonicalJson(other) !== canonicalJson(one));
  const tried = situations(kit, before, { tool, args });
  return left.every((one) =>
    tried.some(({ first, others }) => {
      const ends = [list as Json[], without(one)].map((elements) => end([...first, giving(elements, others)]));
      return !ends.includes(undefined) && ends[0] !== ends[1];
    }),
  );
}

interface Situation {
  readonly first: Calls;
  readonly others: JsonObject;
}

/** Where a call may come upon another state: with another value of an argument, and after another tool's change with the same. */
function situations(kit: Kit, before: Calls, { tool, args }: Calls[number]): Situation[] {
  const rng = random(`situations ${tool}`);
  const otherwise = Object.entries(args).flatMap(([name, value]) =>
    refOf(value) || Array.isArray(value)
      ? []
      : alternatives(kit, tool, name, value as Json, rng).map((other) => ({
          first: before,
          others: { [name]: other },
        })),
  );
  const after = kit.tools.flatMap(({ name, effect, params }) => {
    if (name === tool || effect !== "write") return [];
    const same = params.flatMap((param) => (param.name in args ? [[param.name, args[param.name]]] : []));
    return [{ first: [...before, { tool: name, args: Object.fromEntries(same) }], others: {} }];
  });
  return [...otherwise, ...after];
}
