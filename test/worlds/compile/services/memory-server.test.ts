import { beforeAll, describe, expect, test } from "vitest";
import { Bundle } from "../../../../worlds/bundle.ts";
import { type CompileResult, compile } from "../../../../worlds/compile/index.ts";
import { observe } from "../../../../worlds/compile/observations.ts";
import { measureFidelity } from "../../../../worlds/fidelity/index.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { type MemoryRecording, NOTED, recordMemorySessions } from "../../../helpers/memory-sessions.ts";

const EMPTY: typeof NOTED = [];
/** Worlds compiled from sessions on a graph, by what it held before. */
const worlds = new Map<typeof NOTED, Promise<{ train: MemoryRecording; compiled: CompileResult }>>();

function learnt(noted: typeof NOTED) {
  const made = async () => {
    const train = await recordMemorySessions(1, 30, noted);
    return { train, compiled: compile(train.traces, { name: "memory", tools: train.tools }) };
  };
  const world = worlds.get(noted) ?? made();
  worlds.set(noted, world);
  return world;
}

describe.each([
  { title: "an empty graph", noted: EMPTY },
  { title: "a graph that is there", noted: NOTED },
])("the published memory server on $title", ({ noted }) => {
  let train: MemoryRecording;
  let unseen: MemoryRecording;
  let compiled: CompileResult;
  beforeAll(async () => {
    ({ train, compiled } = await learnt(noted));
    unseen = await recordMemorySessions(2, 30, noted);
  });

  test("answers sessions that no recording holds as the live server does", () => {
    const report = measureFidelity(compiled, unseen.traces, train.traces);
    expect(report.calls).toBeGreaterThan(200);
    expect(report.identical_volatile / report.calls).toBeGreaterThan(0.98);
    expect(report.wrong_success / report.calls).toBeLessThan(0.01);
    expect(report.recording.identical_volatile / report.calls).toBeLessThan(0.3);
  });

  test("holds the rows that stood before every session, and no others", () => {
    const { base } = compiled;
    const names = noted.filter(({ type }) => type === "entity").map(({ name }) => name);
    expect(Object.keys(base.tables.entities ?? {}).sort()).toEqual([...names].sort());
    expect(Object.keys(base.tables.relations ?? {})).toHaveLength(noted.length - names.length);
  });

  test("is observed alike in any order of the traces, and does without a listing", () => {
    expect(Bundle.parse(compiled.bundle).behaviours).toEqual(compiled.bundle.behaviours);
    expect(observe([...train.traces].reverse())).toEqual(observe(train.traces));
    const { bundle } = compile(train.traces.slice(0, 12), { name: "memory" });
    expect(Object.keys(bundle.behaviours).length).toBeGreaterThan(3);
  });
});

test("what a batch call does is atomic, in order, and goes with what refers to it", async () => {
  const { bundle, base } = (await learnt(EMPTY)).compiled;
  const world = createWorld(bundle, base);
  const entity = (name: string) => ({ name, entityType: "thing", observations: [] });
  const created = world.call("create_entities", { entities: [entity("b"), entity("a")] });
  expect(created.value).toEqual([entity("b"), entity("a")]);
  expect(world.call("create_entities", { entities: [entity("a"), entity("c")] }).value).toEqual([entity("c")]);
  world.call("create_relations", { relations: [{ from: "a", to: "b", relationType: "next_to" }] });
  const refused = world.call("add_observations", {
    observations: [
      { entityName: "a", contents: ["round"] },
      { entityName: "zz", contents: ["square"] },
    ],
  });
  expect(refused).toMatchObject({ isError: true, text: "Entity with name zz not found" });
  expect(world.call("search_nodes", { query: "ROUND" }).value).toEqual({ entities: [], relations: [] });
  world.call("delete_entities", { entityNames: ["b"] });
  expect(world.call("read_graph", {}).value).toEqual({ entities: [entity("a"), entity("c")], relations: [] });
});
