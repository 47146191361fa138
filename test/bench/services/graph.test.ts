import { expect, test } from "vitest";
import { graph } from "../../../bench/services/graph.ts";
import { start } from "./kit.ts";

function chain() {
  const world = start(graph);
  const entities = ["A", "B", "C"].map((name) => ({ name, type: "team", facts: ["Met in Oslo", "Met in Oslo"] }));
  expect(world.row("add_entities", { entities })).toEqual({ added: ["A", "B", "C"], skipped: 0 });
  world.ask("relate", { from: "A", to: "B", link: "knows" });
  world.ask("relate", { from: "C", to: "B", link: "part_of" });
  return world;
}

test("neighbours are found against the direction of relations, and a rename keeps them", () => {
  const { ask, refusal } = chain();
  expect(ask("neighbours", { name: "A" })).toEqual(["B"]);
  expect(ask("neighbours", { name: "A", steps: 2 })).toEqual(["B", "C"]);
  expect(refusal("rename_entity", { name: "B", to: "C" })).toBe('"C" exists already');
  ask("rename_entity", { name: "B", to: "Hub" });
  expect(ask("neighbours", { name: "A", steps: 2 })).toEqual(["C", "Hub"]);
  expect(refusal("neighbours", { name: "B" })).toBe('Entity "B" not found');
});

test("a deleted entity takes its relations with it", () => {
  const { ask, row } = chain();
  const before = row("statistics").relations as number;
  expect(ask("delete_entities", { names: ["B", "Nobody"] })).toEqual({ deleted: 1 });
  expect(row("statistics").relations).toBe(before - 2);
  expect(ask("neighbours", { name: "A", steps: 3 })).toEqual([]);
  expect(row("add_entities", { entities: [{ name: "A", type: "team" }] })).toEqual({ added: [], skipped: 1 });
});

test("a fact is kept once, and found whatever its case", () => {
  const { ask, row, refusal } = chain();
  expect(row("add_facts", { name: "A", facts: ["Met in Oslo", "New"] })).toEqual({ name: "A", added: ["New"] });
  expect(row("search", { query: "OSLO", limit: 1 })).toEqual({
    total: 3,
    entities: [{ name: "A", type: "team", facts: 2 }],
  });
  ask("remove_fact", { name: "A", fact: "New" });
  expect(refusal("remove_fact", { name: "A", fact: "New" })).toBe('"A" has no such fact');
});
