import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compileOntology } from "../../worlds/ontology/index.ts";
import { figures, heldTo } from "../worlds/ontology/key.ts";
import { loadTau, loadTools } from "./compile-load.ts";
import { AIRLINE, AIRLINE_V1, RETAIL } from "./ontology-keys.ts";

const root = join(process.env.SVC_DATA ?? "", "dev");

it.each([
  {
    key: AIRLINE,
    name: "airline",
    files: ["airline/tau2.gpt-4.1.json", "airline/tau2.toolorchestra-gpt-4.1-mini.json"],
    tools: "airline/tools.tau2.json",
  },
  {
    key: AIRLINE_V1,
    name: "airline v1",
    files: ["airline/tau-bench-v1.gpt-4o.trials01.json"],
    tools: "airline/tools.tau-bench-v1.json",
  },
  {
    key: RETAIL,
    name: "retail",
    files: ["retail/tau2.gpt-4.1.json", "retail/tau2.toolorchestra-gpt-4.1-mini.json"],
    tools: "retail/tools.tau2.json",
  },
])("the ontology of $name from its traces alone holds to the key of its listing", ({ key, name, files, tools }) => {
  if (!existsSync(root)) throw new Error("SVC_DATA names no folder with dev/");
  const listed = loadTools(join(root, tools)).map((tool) => tool.name);
  expect([...key.reads, ...key.writes].sort()).toEqual(listed.sort());
  const traces = files.flatMap((file) => loadTau(join(root, file)));
  const held = heldTo(compileOntology(traces, { name }), key);
  console.info(figures(name, held), held.extra);
  expect(held.services).toBe(true);
  expect(held.tools.right / held.tools.called).toBeGreaterThanOrEqual(0.95);
  expect(held.entities.found).toBe(held.entities.of);
  expect(held.references.found / held.references.of, held.references.missing.join("; ")).toBeGreaterThanOrEqual(0.9);
});
