import type { Call, Session } from "../compile/observations.ts";
import { byText, isScalar } from "../compile/values.ts";
import type { Json, Scalar } from "../json.ts";
import { ObservedCalls } from "./evidence.ts";
import type { Graph } from "./graph.ts";
import { type Placed, type ValuePath, valuePathsOf } from "./leaves.ts";
import type { ObjectType } from "./objects.ts";
import { referenceOf, type Target } from "./references.ts";

/** A string field is a closed set with at most this many values, each of them seen at least so often. */
const CLOSED = 12;
const TIMES_EACH = 3;
/** A longer text is no member of a set. */
const LONGEST = 60;

/** A value of a field as one call showed it, in the row of this key. */
interface Origin {
  readonly call: Call;
  readonly key: string;
}

/** Puts the fields of an object into the graph, with their value sets and what they refer to. Answers the values that each call showed. */
export function addObjectFields(
  graph: Graph,
  sessions: readonly Session[],
  type: ObjectType,
  inside: readonly string[],
  targets: readonly Target[],
): { readonly call: Call; readonly field: string; readonly value: Scalar }[] {
  const object = `object/${type.name}`;
  const seen: { call: Call; field: string; value: Scalar }[] = [];
  const values = type.shown.map(({ row, call, key }): Placed<Origin> => ({ value: row, from: { call, key } }));
  for (const valuePath of valuePathsOf(values)) {
    if (valuePath.path === "" || valuePath.scalars.length === 0) continue;
    if (inside.some((path) => valuePath.path.startsWith(path))) continue;
    const id = `${object}/${valuePath.path}`;
    const observedCalls = addField(graph, sessions, object, id, valuePath, ({ call }) => call);
    for (const { value, from } of valuePath.scalars) seen.push({ call: from.call, field: id, value });
    const own = type.key.length === 1 && type.key[0] === valuePath.path;
    const others = targets.filter(({ object: name, column }) => name !== type.name || column !== valuePath.path);
    const reference = own ? undefined : referenceOf(valuePath.path, calls(valuePath), others);
    if (reference) addReference(graph, sessions, id, reference);
    else if (!own) addValues(graph, id, closedSet(valuePath), observedCalls);
  }
  return seen;
}

/** Puts the arguments of an operation into the graph, those of its listing too. */
export function addArguments(
  graph: Graph,
  sessions: readonly Session[],
  operation: string,
  observed: readonly Call[],
  schema: Readonly<Record<string, unknown>> | undefined,
  targets: readonly Target[],
): void {
  const listed = (schema?.properties ?? {}) as Readonly<Record<string, { type?: unknown; enum?: unknown }>>;
  const values = observed.map(
    (call): Placed<Origin> => ({
      value: call.args,
      from: { call, key: `${call.trace}#${call.index}` },
    }),
  );
  const places = valuePathsOf(values).filter(({ path, scalars }) => path !== "" && scalars.length > 0);
  const seen = new Set<string>();
  for (const valuePath of places) {
    const id = `${operation}/args/${valuePath.path}`;
    const top = valuePath.path.split(/[.[{]/)[0] as string;
    seen.add(top);
    const inListing = Object.hasOwn(listed, top);
    const observedCalls = addField(graph, sessions, operation, id, valuePath, ({ call }) => call, inListing);
    const reference = referenceOf(
      valuePath.path,
      calls({ ...valuePath, scalars: valuePath.scalars.filter(ofSuccess) }),
      targets,
    );
    const stated = Object.hasOwn(listed, valuePath.path) ? enumOf(listed[valuePath.path]) : undefined;
    if (stated) addValues(graph, id, stated, observedCalls, true);
    else if (reference) addReference(graph, sessions, id, reference);
    else addValues(graph, id, closedSet(valuePath), observedCalls);
  }
  for (const [name, property] of Object.entries(listed)) {
    if (seen.has(name)) continue;
    const id = `${operation}/args/${name}`;
    const none = new ObservedCalls(sessions);
    const types = typeof property?.type === "string" ? [property.type] : [];
    graph.node({ id, kind: "field", name, types, evidence: none.evidence(true), tier: "deterministic" });
    graph.edge("has", operation, id, none.evidence(true));
    const stated = enumOf(property);
    if (stated) addValues(graph, id, stated, none, true);
  }
}

function ofSuccess({ from }: { readonly from: Origin }): boolean {
  return from.call.ok;
}

function calls(valuePath: ValuePath<Origin>): { value: Scalar; from: Call }[] {
  return valuePath.scalars.map(({ value, from }) => ({ value, from: from.call }));
}

function addField<T>(
  graph: Graph,
  sessions: readonly Session[],
  owner: string,
  id: string,
  valuePath: ValuePath<T>,
  callOf: (from: T) => Call,
  listed = false,
): ObservedCalls {
  const observedCalls = new ObservedCalls(sessions);
  for (const { from } of valuePath.scalars) observedCalls.add(callOf(from));
  const types = [...new Set(valuePath.scalars.map(({ value }) => typeof value))].sort(byText);
  const evidence = observedCalls.evidence(listed);
  graph.node({ id, kind: "field", name: valuePath.path, types, evidence, tier: "deterministic" });
  graph.edge("has", owner, id, evidence);
  return observedCalls;
}

function addReference(
  graph: Graph,
  sessions: readonly Session[],
  id: string,
  { target, share, calls: shown }: NonNullable<ReturnType<typeof referenceOf>>,
): void {
  const observedCalls = new ObservedCalls(sessions);
  for (const call of shown) observedCalls.add(call);
  graph.edge("refers_to", id, `object/${target.object}`, observedCalls.evidence(), { column: target.column, share });
}

function addValues(
  graph: Graph,
  id: string,
  values: readonly string[] | undefined,
  observedCalls: ObservedCalls,
  listed = false,
): void {
  if (!values || values.length === 0) return;
  const set = `${id}/values`;
  const evidence = observedCalls.evidence(listed);
  graph.node({ id: set, kind: "value_set", name: id, values: [...values], evidence, tier: "deterministic" });
  graph.edge("has", id, set, evidence);
}

function enumOf(property: { readonly enum?: unknown } | undefined): string[] | undefined {
  const values: unknown = property?.enum;
  return Array.isArray(values) ? values.filter((value) => isScalar(value as Json)).map(String) : undefined;
}

/** The values of a field that has few, each in several rows; undefined for all else. */
function closedSet({ scalars }: ValuePath<Origin>): string[] | undefined {
  const rows = new Map<string, Set<string>>();
  for (const { value, from } of scalars) {
    if (typeof value !== "string" || value.length > LONGEST) return undefined;
    rows.set(value, (rows.get(value) ?? new Set()).add(from.key));
    if (rows.size > CLOSED) return undefined;
  }
  const seen = [...rows.values()].reduce((sum, keys) => sum + keys.size, 0);
  return rows.size > 0 && seen >= rows.size * TIMES_EACH ? [...rows.keys()].sort(byText) : undefined;
}
