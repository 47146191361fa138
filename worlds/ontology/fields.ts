import type { Call, Session } from "../compile/observations.ts";
import { byText, isScalar } from "../compile/values.ts";
import type { Json, Scalar } from "../json.ts";
import { Sights } from "./evidence.ts";
import type { Graph } from "./graph.ts";
import { type Place, type Placed, placesOf } from "./leaves.ts";
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
  for (const place of placesOf(values)) {
    if (place.path === "" || place.scalars.length === 0) continue;
    if (inside.some((path) => place.path.startsWith(path))) continue;
    const id = `${object}/${place.path}`;
    const sights = addField(graph, sessions, object, id, place, ({ call }) => call);
    for (const { value, from } of place.scalars) seen.push({ call: from.call, field: id, value });
    const own = type.key.length === 1 && type.key[0] === place.path;
    const others = targets.filter(({ object: name, column }) => name !== type.name || column !== place.path);
    const reference = own ? undefined : referenceOf(place.path, calls(place), others);
    if (reference) addReference(graph, sessions, id, reference);
    else if (!own) addValues(graph, id, closedSet(place), sights);
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
  const places = placesOf(values).filter(({ path, scalars }) => path !== "" && scalars.length > 0);
  const seen = new Set<string>();
  for (const place of places) {
    const id = `${operation}/args/${place.path}`;
    const top = place.path.split(/[.[{]/)[0] as string;
    seen.add(top);
    const inListing = Object.hasOwn(listed, top);
    const sights = addField(graph, sessions, operation, id, place, ({ call }) => call, inListing);
    const reference = referenceOf(place.path, calls({ ...place, scalars: place.scalars.filter(ofSuccess) }), targets);
    const stated = Object.hasOwn(listed, place.path) ? enumOf(listed[place.path]) : undefined;
    if (stated) addValues(graph, id, stated, sights, true);
    else if (reference) addReference(graph, sessions, id, reference);
    else addValues(graph, id, closedSet(place), sights);
  }
  for (const [name, property] of Object.entries(listed)) {
    if (seen.has(name)) continue;
    const id = `${operation}/args/${name}`;
    const none = new Sights(sessions);
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

function calls(place: Place<Origin>): { value: Scalar; from: Call }[] {
  return place.scalars.map(({ value, from }) => ({ value, from: from.call }));
}

function addField<T>(
  graph: Graph,
  sessions: readonly Session[],
  owner: string,
  id: string,
  place: Place<T>,
  callOf: (from: T) => Call,
  listed = false,
): Sights {
  const sights = new Sights(sessions);
  for (const { from } of place.scalars) sights.add(callOf(from));
  const types = [...new Set(place.scalars.map(({ value }) => typeof value))].sort(byText);
  const evidence = sights.evidence(listed);
  graph.node({ id, kind: "field", name: place.path, types, evidence, tier: "deterministic" });
  graph.edge("has", owner, id, evidence);
  return sights;
}

function addReference(
  graph: Graph,
  sessions: readonly Session[],
  id: string,
  { target, share, calls: shown }: NonNullable<ReturnType<typeof referenceOf>>,
): void {
  const sights = new Sights(sessions);
  for (const call of shown) sights.add(call);
  graph.edge("refers_to", id, `object/${target.object}`, sights.evidence(), { column: target.column, share });
}

function addValues(
  graph: Graph,
  id: string,
  values: readonly string[] | undefined,
  sights: Sights,
  listed = false,
): void {
  if (!values || values.length === 0) return;
  const set = `${id}/values`;
  const evidence = sights.evidence(listed);
  graph.node({ id: set, kind: "value_set", name: id, values: [...values], evidence, tier: "deterministic" });
  graph.edge("has", id, set, evidence);
}

function enumOf(property: { readonly enum?: unknown } | undefined): string[] | undefined {
  const values: unknown = property?.enum;
  return Array.isArray(values) ? values.filter((value) => isScalar(value as Json)).map(String) : undefined;
}

/** The values of a field that has few, each in several rows; undefined for all else. */
function closedSet({ scalars }: Place<Origin>): string[] | undefined {
  const rows = new Map<string, Set<string>>();
  for (const { value, from } of scalars) {
    if (typeof value !== "string" || value.length > LONGEST) return undefined;
    rows.set(value, (rows.get(value) ?? new Set()).add(from.key));
    if (rows.size > CLOSED) return undefined;
  }
  const seen = [...rows.values()].reduce((sum, keys) => sum + keys.size, 0);
  return rows.size > 0 && seen >= rows.size * TIMES_EACH ? [...rows.keys()].sort(byText) : undefined;
}
