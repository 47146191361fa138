import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { ToolDefinition } from "../../worlds/bundle.ts";
import type { Json, JsonObject } from "../../worlds/json.ts";
import type { ObservedCall, ObservedTrace } from "../../worlds/observation.ts";
import { Random } from "../../worlds/samples/desk/random.ts";

const SERVER = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));

const PEOPLE = ["Ada Byrne", "Bo Lindqvist", "Chidi Okafor", "Dana Reyes", "Emre Kaya", "Farah Aziz", "Goran Pavic"];
const PLACES = ["Lisbon office", "Oslo lab", "Harbour warehouse", "Kyoto studio"];
const PROJECTS = ["Atlas", "Borealis", "Cinder", "Delta migration", "Echo rewrite"];
const TYPES = new Map([
  ...PEOPLE.map((name) => [name, "person"] as const),
  ...PLACES.map((name) => [name, "place"] as const),
  ...PROJECTS.map((name) => [name, "project"] as const),
]);
const NAMES = [...TYPES.keys()];
const FACTS = ["prefers mail", "starts at nine", "is on leave", "budget approved", "likes green tea", "speaks Danish"];
const LINKS = ["works_on", "located_in", "reports_to", "owns"];

interface Step {
  readonly tool: string;
  readonly args: JsonObject;
}

function fact(random: Random): string {
  return random.chance(0.6) ? random.pick(FACTS) : `${random.pick(FACTS)} since ${random.int(2015, 2026)}`;
}

function some<T>(random: Random, items: readonly T[], most: number): T[] {
  return random.shuffle(items).slice(0, random.int(1, most));
}

function relation(random: Random, names: readonly string[]): JsonObject {
  return { from: random.pick(names), to: random.pick(names), relationType: random.pick(LINKS) };
}

/** A valid session: what a note-keeping client does, about things that it noted before in three calls of four. */
function session(random: Random): Step[] {
  const noted: string[] = [];
  const links: JsonObject[] = [];
  const steps: Step[] = [];
  const name = () => (noted.length > 0 && random.chance(0.75) ? random.pick(noted) : random.pick(NAMES));
  const facts = () => Array.from({ length: random.int(0, 3) }, () => fact(random));
  const acts: Record<string, () => JsonObject> = {
    create_entities: () => {
      const entities = some(random, NAMES, 3).map((each) => {
        noted.push(each);
        return { name: each, entityType: TYPES.get(each) as string, observations: facts() };
      });
      return { entities };
    },
    create_relations: () => {
      const relations = [relation(random, noted), ...(random.chance(0.5) ? [relation(random, NAMES)] : [])];
      links.push(...relations);
      return { relations };
    },
    add_observations: () => ({
      observations: some(random, [name(), name()], 2)
        .filter((each, i, all) => all.indexOf(each) === i)
        .map((entityName) => ({ entityName, contents: [fact(random), ...facts()] })),
    }),
    delete_entities: () => ({ entityNames: some(random, [name(), name()], 2) }),
    delete_observations: () => ({
      deletions: [{ entityName: name(), observations: [...FACTS.slice(0, 3), fact(random)] }],
    }),
    delete_relations: () => ({
      relations: [links.length > 0 ? random.pick(links) : relation(random, NAMES)],
    }),
    read_graph: () => ({}),
    search_nodes: () => ({
      query: random.pick([
        name().split(" ")[0] as string,
        random.pick(FACTS).split(" ")[0] as string,
        "person",
        "PLACE",
        "zebra",
      ]),
    }),
    open_nodes: () => ({ names: some(random, [name(), name(), random.pick(NAMES)], 3) }),
  };
  const call = (tool: string) => steps.push({ tool, args: (acts[tool] as () => JsonObject)() });
  if (random.chance(0.5)) call(random.pick(["read_graph", "search_nodes"]));
  call("create_entities");
  const weights = ["create_entities", "create_relations", "create_relations", "add_observations", "add_observations"];
  const rest = [...weights, "delete_entities", "delete_observations", "delete_relations", "read_graph", "read_graph"];
  for (let n = random.int(5, 12); n > 0; n--)
    call(random.pick([...rest, "search_nodes", "search_nodes", "open_nodes", "open_nodes"]));
  return steps;
}

/** What sessions against the live server showed, with its own listing. */
export interface MemoryRecording {
  readonly traces: readonly ObservedTrace[];
  readonly tools: readonly ToolDefinition[];
}

/** A graph that sessions may find already there. */
export const NOTED: readonly JsonObject[] = [
  { type: "entity", name: "Vega", entityType: "project", observations: ["budget approved"] },
  { type: "entity", name: "Ada Byrne", entityType: "person", observations: ["likes green tea", "speaks Danish"] },
  { type: "entity", name: "Oslo lab", entityType: "place", observations: [] },
  { type: "relation", from: "Ada Byrne", to: "Vega", relationType: "works_on" },
  { type: "relation", from: "Vega", to: "Oslo lab", relationType: "located_in" },
];

/** Sessions drawn from a seed and played against the published memory server over stdio, each on a fresh memory file that holds `noted`. */
export async function recordMemorySessions(
  seed: number,
  n: number,
  noted: readonly JsonObject[] = [],
): Promise<MemoryRecording> {
  const folder = mkdtempSync(join(tmpdir(), "memory-"));
  const file = join(folder, "graph.jsonl");
  const client = new Client({ name: "recorder", version: "1.0.0" });
  try {
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [SERVER],
        env: { MEMORY_FILE_PATH: file },
        stderr: "ignore",
      }),
    );
    const { tools } = await client.listTools();
    const random = new Random(seed);
    const traces: ObservedTrace[] = [];
    for (let i = 0; i < n; i++) {
      rmSync(file, { force: true });
      if (noted.length > 0) writeFileSync(file, noted.map((item) => JSON.stringify(item)).join("\n"));
      const calls: ObservedCall[] = [];
      for (const { tool, args } of session(random)) {
        const { content, isError } = await client.callTool({ name: tool, arguments: args });
        calls.push({ tool, args, result: content as unknown as Json, isError: isError === true });
      }
      traces.push({ id: `memory-${seed}-${String(i).padStart(4, "0")}`, calls });
    }
    return { traces, tools: tools as unknown as ToolDefinition[] };
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
