import type { EdgeKind, Ontology, OntologyNode } from "../../../worlds/ontology/schema.ts";
import { loadBundle } from "../../blobs.ts";
import type { Ctx } from "../../context.ts";
import { loadGraph } from "../../dimensions/graph.ts";
import { standing } from "../../ontology/read.ts";
import { theSurface } from "../../ontology/surfaces.ts";
import { BundleRecord } from "../../records/sandboxes/sandboxes.ts";
import { type Tier, weakestTier } from "../../tier.ts";
import { inventedSurfaces } from "../modes/invented.ts";
import { listed } from "./listed.ts";
import type { PageDoc, PageSection, Tone } from "./page-doc.ts";
import { counted, cut } from "./words.ts";

/** Operations and objects in the drawing, those seen in the most calls; the tables have more. */
const DRAWN = { operation: 24, object: 16 };
const FIELDS_TOLD = 12;
/** Operations that the headline names. */
const NAMED = 3;
/** Edges from an operation to an object. */
const TOUCHES: ReadonlySet<string> = new Set(["reads", "writes"]);

/** A surface's graph as a page: operations, what they read and write, and references of objects. Unknown or not compiled: 404. */
export async function ontologyPage(ctx: Ctx, surface?: string): Promise<PageDoc> {
  const found = await theSurface(ctx, surface);
  const revision = await standing(ctx, found.id);
  const { graph } = await loadGraph(ctx, revision.graph);
  const all = weakestTier([...graph.nodes, ...graph.edges].map(({ tier }) => tier)) ?? "deterministic";
  return {
    v: 1,
    title: `Ontology of ${found.name}`,
    made_at: ctx.now(),
    verdict: {
      ...unsure(graph),
      tier: all,
      how: `Revision ${revision.revision}, compiled from ${counted(revision.evidence.length, "evidence record")}: ${counted(ofKind(graph, "operation").length, "operation")}, ${counted(ofKind(graph, "object").length, "object")}.`,
    },
    ...((await inventedSurfaces(ctx, [found.id])) ? { invented: true } : {}),
    sections: [
      drawing(graph),
      operationTable(graph, { surface: found.id, tools: await toolsOf(ctx, found.bundle) }),
      objectTable(graph),
    ],
  };
}

function ofKind({ nodes }: Ontology, kind: OntologyNode["kind"]): OntologyNode[] {
  return nodes.filter((node) => node.kind === kind).sort(byCalls);
}

/** How what is shown of some kinds of nodes and edges was made: the weakest of them. */
function tierOf({ nodes, edges }: Ontology, kinds: readonly OntologyNode["kind"][], joins: readonly EdgeKind[]): Tier {
  const shown = [
    ...nodes.filter(({ kind }) => kinds.includes(kind)),
    ...edges.filter(({ kind }) => joins.includes(kind)),
  ];
  return weakestTier(shown.map(({ tier }) => tier)) ?? "deterministic";
}

function byCalls(x: OntologyNode, y: OntologyNode): number {
  return y.evidence.calls - x.evidence.calls || (x.id < y.id ? -1 : 1);
}

/** What of the graph a person should look at: what is guessed, not known, or a model's word alone. */
function unsure(graph: Ontology): { readonly text: string; readonly tone: Tone } {
  const operations = ofKind(graph, "operation");
  const touching = new Set(graph.edges.filter(({ kind }) => TOUCHES.has(kind)).map(({ from }) => from));
  const guessed = operations.filter(({ effect, basis }) => effect === undefined || basis === "verb");
  const blank = operations.filter(({ id }) => !touching.has(id));
  const words = graph.edges.filter(({ kind, tier }) => kind === "refers_to" && tier === "llm-derived");
  const most = (nodes: readonly OntologyNode[]) => {
    const names = nodes.slice(0, NAMED).map(({ name }) => cut(name, 60));
    return `${names.join(", ")}${nodes.length > NAMED ? ` and ${nodes.length - NAMED} more` : ""}`;
  };
  const parts = [
    ...(guessed.length === 0
      ? []
      : [`whether ${most(guessed)} ${guessed.length === 1 ? "writes" : "write"} is not seen in a call`]),
    ...(blank.length === 0
      ? []
      : [`which object ${most(blank)} ${blank.length === 1 ? "touches" : "touch"} is not known`]),
    ...(words.length === 0
      ? []
      : [
          `${counted(words.length, "reference")} between objects ${words.length === 1 ? "is" : "are"} a model's word alone`,
        ]),
  ];
  return parts.length === 0
    ? {
        text: "Of every operation it is known what it reads or writes, from calls or from what the tools say of themselves.",
        tone: "good",
      }
    : { text: `To look at: ${parts.join("; ")}.`, tone: "warn" };
}

/** Fields stand for the object that has them, so that a reference is one line between two objects. */
function lifted({ edges, nodes }: Ontology) {
  const kinds = new Map(nodes.map((node) => [node.id, node.kind]));
  const holder = new Map(edges.flatMap(({ kind, from, to }) => (kind === "has" ? [[to, from] as const] : [])));
  const object = (id: string): string => {
    const seen = new Set<string>();
    let at = id;
    while (kinds.get(at) === "field" && holder.has(at) && !seen.has(at)) {
      seen.add(at);
      at = holder.get(at) as string;
    }
    return at;
  };
  const seen = new Map<string, { from: string; to: string; kind: string }>();
  for (const { kind, from, to } of edges) {
    const edge = { from: object(from), to: object(to), kind: kind.replace("_", " ") };
    if (edge.from !== edge.to && kind !== "exposes") seen.set(`${edge.kind} ${edge.from} ${edge.to}`, edge);
  }
  return [...seen.values()];
}

function drawing(graph: Ontology): PageSection {
  const [operations, objects] = [ofKind(graph, "operation"), ofKind(graph, "object")];
  const drawn = [...operations.slice(0, DRAWN.operation), ...objects.slice(0, DRAWN.object)];
  const kinds = new Map(drawn.map(({ id, kind }) => [id, kind]));
  const shown = ({ from, to, kind }: { from: string; to: string; kind: string }) =>
    kinds.get(to) === "object" && (kind === "reads" || kind === "writes" || kinds.get(from) === "object");
  const left = [
    ...(operations.length > DRAWN.operation ? [`${DRAWN.operation} of ${operations.length} operations`] : []),
    ...(objects.length > DRAWN.object ? [`${DRAWN.object} of ${objects.length} objects`] : []),
  ];
  return {
    show: "graph",
    heading: "How it hangs together",
    caption: `Operations with the objects that they read and write, and objects with those that they refer to or hold.${left.length === 0 ? "" : ` Drawn: ${left.join(" and ")}, those seen in the most calls; the tables below have them all.`}`,
    tier: tierOf(graph, ["operation", "object"], ["reads", "writes", "refers_to", "has", "feeds"]),
    kinds: ["operation", "object"],
    nodes: drawn.map((node) => ({ id: node.id, kind: node.kind, label: cut(node.name, 60) })),
    edges: lifted(graph).filter((edge) => kinds.has(edge.from) && shown(edge)),
  };
}

/** The tools of the version that is served: an operation that is one of them opens. */
async function toolsOf(ctx: Ctx, bundle: string | undefined): Promise<ReadonlySet<string>> {
  const record = bundle === undefined ? undefined : await ctx.store.records.get(BundleRecord, bundle);
  const measured = Object.keys(record?.fidelity?.tools ?? {});
  if (record === undefined || measured.length >= record.tools) return new Set(measured);
  return new Set((await loadBundle(ctx, record.id)).bundle.tools.map(({ name }) => name));
}

interface Opened {
  readonly surface: string;
  readonly tools: ReadonlySet<string>;
}

/** Where it is known from what an operation does, in words. */
const KNOWN_FROM = {
  observed: "its calls",
  annotation: "what the tool says of itself",
  verb: "its name alone",
} as const;

function operationTable(graph: Ontology, { surface, tools }: Opened): PageSection {
  const operations = ofKind(graph, "operation");
  const names = new Map(graph.nodes.map((node) => [node.id, node.name]));
  const edges = Map.groupBy(lifted(graph), ({ from }) => from);
  const touched = (id: string, kind: string) =>
    (edges.get(id) ?? []).flatMap((edge) => (edge.kind === kind ? [names.get(edge.to) ?? edge.to] : [])).join(", ");
  const does = ({ id, effect }: OntologyNode) => {
    const told = ["reads", "writes"].flatMap((kind) =>
      touched(id, kind) === "" ? [] : [`${kind} ${touched(id, kind)}`],
    );
    return told.length > 0
      ? told.join("; ")
      : effect === undefined
        ? "not known"
        : `${effect}s no object that is known`;
  };
  return {
    show: "table",
    heading: "Operations",
    caption:
      "What each operation reads and writes, and in how many calls it was seen, the most first. Each opens how its worlds answer it, its calls the traces that make them.",
    tier: tierOf(graph, ["operation"], ["reads", "writes"]),
    columns: [
      { name: "Operation" },
      { name: "What it does", kind: "wide" },
      { name: "Known from" },
      { name: "Calls", kind: "number" },
    ],
    ...listed(operations, (node) => [
      tools.has(node.name)
        ? { text: cut(node.name, 80), link: { page: "tool", id: surface, against: node.name } }
        : cut(node.name, 80),
      cut(does(node), 300),
      node.basis === undefined ? "" : KNOWN_FROM[node.basis],
      node.evidence.calls === 0 ? 0 : { text: String(node.evidence.calls), link: { page: "traces", id: node.name } },
    ]),
  };
}

function objectTable(graph: Ontology): PageSection {
  const objects = ofKind(graph, "object");
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const edges = Map.groupBy(lifted(graph), ({ from }) => from);
  const has = Map.groupBy(
    graph.edges.filter(({ kind }) => kind === "has"),
    ({ from }) => from,
  );
  const fields = (id: string) => {
    const all = (has.get(id) ?? []).flatMap(({ to }) => (byId.get(to)?.kind === "field" ? [byId.get(to)!.name] : []));
    return all.length <= FIELDS_TOLD
      ? all.join(", ")
      : `${all.slice(0, FIELDS_TOLD).join(", ")} and ${all.length - FIELDS_TOLD} more`;
  };
  const refers = (id: string) =>
    (edges.get(id) ?? [])
      .flatMap((edge) => (edge.kind === "refers to" ? [byId.get(edge.to)?.name ?? edge.to] : []))
      .join(", ");
  return {
    show: "table",
    heading: "Objects",
    caption: "What tells the rows of each object apart, its fields, and the objects whose keys its fields hold.",
    tier: tierOf(graph, ["object"], ["has", "refers_to"]),
    columns: [
      { name: "Object" },
      { name: "Key" },
      { name: "Fields", kind: "wide" },
      { name: "Refers to", kind: "wide" },
      { name: "Rows seen", kind: "number" },
    ],
    ...listed(objects, (node) => [
      cut(node.name, 80),
      (node.key ?? []).join(", "),
      cut(fields(node.id), 400),
      cut(refers(node.id), 200),
      node.rows ?? "not counted",
    ]),
  };
}
