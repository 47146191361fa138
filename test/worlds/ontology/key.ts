import type { Ontology } from "../../../worlds/ontology/schema.ts";

/** What a person reads in a system's tools listing: the answer that a compiled graph is held to. */
export interface OntologyKey {
  readonly services: readonly string[];
  /** Tools that only read, and tools that change something. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Entity types, by a field that only they have as their own. */
  readonly entities: Readonly<Record<string, string>>;
  /** `field of an entity → entity`, and `tool.argument → entity`. */
  readonly references: readonly (readonly [from: string, to: string])[];
}

/** Counts of a graph against a key. Tools that no trace calls are counted apart: traces alone cannot show them. */
export interface Held {
  readonly services: boolean;
  readonly tools: { readonly right: number; readonly called: number; readonly listed: number };
  readonly entities: { readonly found: number; readonly of: number };
  readonly references: { readonly found: number; readonly of: number; readonly missing: readonly string[] };
  /** References between fields of entities that the key does not have. */
  readonly extra: readonly string[];
}

/** Holds a graph to a key. A reference of a tool that was never called is left out. */
export function heldTo(graph: Ontology, key: OntologyKey): Held {
  const ids = new Set(graph.nodes.map(({ id }) => id));
  const objects = graph.nodes.filter(({ kind }) => kind === "object");
  const objectOf = new Map(
    Object.entries(key.entities).map(([entity, field]) => [
      entity,
      objects.find(({ id, key: own }) => ids.has(`${id}/${field}`) && (own?.includes(field) || !/^id$/.test(field)))
        ?.id,
    ]),
  );
  const effects = new Map(
    graph.nodes.flatMap(({ kind, name, effect }) => (kind === "operation" ? [[name, effect]] : [])),
  );
  const [reads, writes] = [key.reads, key.writes].map((names) => names.filter((name) => effects.has(name))) as [
    string[],
    string[],
  ];
  const right =
    reads.filter((name) => effects.get(name) === "read").length +
    writes.filter((name) => effects.get(name) === "write").length;
  const idOf = (from: string) => {
    const [head, ...path] = from.split(".");
    const entity = objectOf.get(head ?? "");
    return head !== undefined && Object.hasOwn(key.entities, head)
      ? `${entity}/${path.join(".")}`
      : `operation/${head}/args/${path.join(".")}`;
  };
  const edges = new Set(graph.edges.map(({ kind, from, to }) => `${kind} ${from} ${to}`));
  const asked = key.references.filter(([from]) => {
    const head = from.split(".")[0] as string;
    return Object.hasOwn(key.entities, head) || effects.has(head);
  });
  const holds = ([from, to]: readonly [string, string]) => edges.has(`refers_to ${idOf(from)} ${objectOf.get(to)}`);
  const known = new Set(asked.map(([from, to]) => `${idOf(from)} ${objectOf.get(to)}`));
  return {
    services:
      JSON.stringify(graph.nodes.flatMap(({ kind, name }) => (kind === "service" ? [name] : []))) ===
      JSON.stringify(key.services),
    tools: { right, called: reads.length + writes.length, listed: key.reads.length + key.writes.length },
    entities: { found: [...objectOf.values()].filter((id) => id !== undefined).length, of: objectOf.size },
    references: {
      found: asked.filter(holds).length,
      of: asked.length,
      missing: asked.filter((one) => !holds(one)).map((one) => one.join(" → ")),
    },
    extra: graph.edges.flatMap(({ kind, from, to }) =>
      kind === "refers_to" && from.startsWith("object/") && !known.has(`${from} ${to}`) ? [`${from} → ${to}`] : [],
    ),
  };
}

/** One line of figures. */
export function figures(name: string, { services, tools, entities, references, extra }: Held): string {
  return [
    `${name}: services ${services ? "right" : "wrong"}`,
    `read or write right for ${tools.right} of ${tools.called} called tools (${tools.listed} listed)`,
    `entity types ${entities.found} of ${entities.of}`,
    `references ${references.found} of ${references.of}`,
    `${extra.length} references of entities beyond the key`,
  ].join("; ");
}
