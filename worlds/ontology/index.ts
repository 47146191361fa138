import type { ToolDefinition } from "../bundle.ts";
import { type Call, callsByTool, observe, type Session } from "../compile/observations.ts";
import { isScalar, scalarsOf } from "../compile/values.ts";
import { newestDeployment } from "../compile/versions/deployments.ts";
import type { Scalar } from "../json.ts";
import type { ObservedTrace } from "../observation.ts";
import { effectOf, findChanges, rowsByCall } from "./effects.ts";
import { ObservedCalls } from "./evidence.ts";
import { findFeeds } from "./feeds.ts";
import { addArguments, addObjectFields } from "./fields.ts";
import { Graph } from "./graph.ts";
import { findObjects, type Objects } from "./objects.ts";
import { type Target, targetsOf } from "./references.ts";
import type { Ontology } from "./schema.ts";
import { serviceOf } from "./services.ts";

/** What a graph is compiled from besides traces. */
export interface OntologyOptions {
  readonly name: string;
  readonly tools?: readonly ToolDefinition[] | undefined;
}

/**
 * Compiles the graph of the systems behind observed traces and their tools listing: services, operations, objects,
 * fields, value sets and what relates them, each with the calls that show it. The same inputs give the same graph,
 * whatever the order of the traces; near-linear in calls.
 */
export function compileOntology(traces: readonly ObservedTrace[], options: OntologyOptions): Ontology {
  const sessions = observe(newestDeployment(traces).traces);
  const byTool = callsByTool(sessions);
  const listing = options.tools ?? [];
  const objects = findObjects(sessions, byTool, listing);
  const targets = targetsOf(objects.types);
  const graph = new Graph();
  const fields = addObjects(graph, sessions, objects, targets);
  addOperations(graph, sessions, byTool, objects, targets, options);
  const feeds = findFeeds(
    sessions,
    (call) => fields.get(call) ?? [],
    (tool) => `operation/${tool}`,
  );
  // A member of a closed set is known to the caller without any result.
  for (const { from, to, observed } of feeds)
    if (!graph.has(`${from}/values`) && !graph.has(`${to}/values`)) graph.edge("feeds", from, to, observed.evidence());
  return graph.done(options.name);
}

type FieldValues = Map<Call, { field: string; value: Scalar }[]>;

function addObjects(
  graph: Graph,
  sessions: readonly Session[],
  { types }: Objects,
  targets: readonly Target[],
): FieldValues {
  const fields: FieldValues = new Map();
  for (const type of types.values()) {
    const id = `object/${type.name}`;
    const observedCalls = new ObservedCalls(sessions);
    for (const { call } of type.shown) observedCalls.add(call);
    const rows = new Set(type.shown.map(({ key }) => key)).size;
    graph.node({
      id,
      kind: "object",
      name: type.name,
      key: [...type.key],
      rows,
      evidence: observedCalls.evidence(),
      tier: "deterministic",
    });
    for (const { object } of type.within) graph.edge("has", `object/${object}`, id, observedCalls.evidence());
    const inside = [...types.values()].flatMap(({ within }) =>
      within.filter(({ object }) => object === type.name).map(({ path }) => path),
    );
    for (const { call, field, value } of addObjectFields(graph, sessions, type, inside, targets)) {
      const held = fields.get(call);
      if (held) held.push({ field, value });
      else fields.set(call, [{ field, value }]);
    }
  }
  return fields;
}

function addOperations(
  graph: Graph,
  sessions: readonly Session[],
  byTool: ReadonlyMap<string, readonly Call[]>,
  objects: Objects,
  targets: readonly Target[],
  { name, tools }: OntologyOptions,
): void {
  const listed = new Map((tools ?? []).map((tool) => [tool.name, tool]));
  const shown = rowsByCall(objects);
  const changes = findChanges(sessions, shown, listed);
  for (const tool of new Set([...listed.keys(), ...byTool.keys()])) {
    const calls = byTool.get(tool) ?? [];
    const observedCalls = new ObservedCalls(sessions);
    for (const call of calls) observedCalls.add(call);
    const evidence = observedCalls.evidence(listed.has(tool));
    const id = `operation/${tool}`;
    const { effect, basis } = effectOf(tool, listed.get(tool), changes, objects);
    graph.node({ id, kind: "operation", name: tool, effect, basis, evidence, tier: "deterministic" });
    const service = serviceOf(tool, name);
    graph.node({ id: `service/${service}`, kind: "service", name: service, evidence, tier: "deterministic" });
    graph.edge("exposes", `service/${service}`, id, evidence);
    addArguments(graph, sessions, id, calls, listed.get(tool)?.inputSchema, targets);
    const touched = new Map(objects.fitted.has(tool) ? [] : (changes.byTool.get(tool) ?? []));
    const touch = (object: string, call: Call) =>
      touched.set(object, (touched.get(object) ?? new ObservedCalls(sessions)).add(call));
    if (effect === "read") touched.clear();
    for (const call of calls.filter((one) => one.ok)) {
      for (const { object, inside } of shown.get(call) ?? []) if (effect === "read" || !inside) touch(object, call);
      for (const object of objects.fitted.get(tool)?.tables ?? []) touch(object, call);
      if (effect === "read" && isScalar(call.value))
        for (const object of named(call.value, targets)) touch(object, call);
    }
    if (touched.size === 0 && effect === "write")
      for (const call of calls.filter((one) => one.ok))
        for (const object of new Set([...scalarsOf(call.args)].flatMap((value) => named(value, targets))))
          touch(object, call);
    for (const [object, seen] of touched)
      graph.edge(effect === "write" ? "writes" : "reads", id, `object/${object}`, seen.evidence());
  }
}

/** The objects that a value is a key of. */
function named(value: Scalar, targets: readonly Target[]): string[] {
  return targets.filter(({ ids }) => ids.has(String(value))).map(({ object }) => object);
}
