import type { Json, JsonObject } from "../json.ts";
import { triedWrites } from "./families/write.ts";
import type { Kit } from "./kit.ts";
import type { Task } from "./schema.ts";
import type { Param } from "./surface.ts";

/** Of one source: arguments that a tool is called with. */
const FEW = 2;

const made = new WeakMap<Kit, ReadonlyMap<string, readonly JsonObject[]>>();

/**
 * Calls that an agent may make of every tool, by tool: with arguments that its rows feed, that were recorded, that other
 * tasks have, and at least with ones that its schema takes. Each tool has one or more.
 */
export function callable(kit: Kit, others: readonly Task[]): ReadonlyMap<string, readonly JsonObject[]> {
  let own = made.get(kit);
  if (!own) {
    own = new Map(kit.tools.map(({ name }) => [name, ofWorld(kit, name)]));
    made.set(kit, own);
  }
  const scripted = new Map<string, JsonObject[]>();
  for (const { tool, args } of others.flatMap(({ script }) => script.calls)) {
    const list = scripted.get(tool) ?? [];
    scripted.set(tool, list);
    if (list.length < FEW && !/"\$\d/.test(JSON.stringify(args))) list.push(args as JsonObject);
  }
  return new Map([...own].map(([tool, calls]) => [tool, [...(scripted.get(tool) ?? []), ...calls]]));
}

function ofWorld(kit: Kit, tool: string): JsonObject[] {
  const view = kit.tools.find(({ name }) => name === tool);
  const fed = kit.bindings.filter((b) => b.tool === tool).flatMap((b) => kit.reads(b, FEW).map(({ args }) => args));
  const tried = triedWrites(kit).get(tool);
  const writes = [...(tried?.changed ?? []).slice(0, FEW), ...(tried?.refused ?? []).slice(0, 1)];
  const recorded = kit.bundle.exceptions.filter((one) => one.tool === tool).slice(0, FEW);
  return [
    ...fed.slice(0, FEW),
    ...writes.map(({ args }) => args),
    ...recorded.map(({ args }) => args as JsonObject),
    Object.fromEntries((view?.params ?? []).filter(({ required }) => required).map((p) => [p.name, filler(p)])),
  ];
}

function filler({ type, values, schema }: Param): Json {
  if (values && values.length > 0) return values[0] as Json;
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return typeof schema.minimum === "number" ? schema.minimum : 1;
  return type === "array" ? [] : type === "object" ? {} : "x";
}
