import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { KINDS } from "../../chapters/kinds.ts";
import { briefTasks } from "../../src/jobs/brief-tasks.ts";
import { computeTasks } from "../../src/jobs/compute-tasks.ts";
import { jobDefinitions } from "../../src/jobs/definitions.ts";
import { chapters } from "../../tools/index.ts";

const root = new URL("../..", import.meta.url).pathname;

/** What the modules of a layer export, one level into lists, with where each stands. */
async function exportsOf(layer: string): Promise<{ value: unknown; at: string }[]> {
  const found: { value: unknown; at: string }[] = [];
  for (const path of globSync(`${layer}/**/*.ts`, { cwd: root })) {
    const module = (await import(`${root}${path}`)) as Record<string, unknown>;
    for (const [name, exported] of Object.entries(module))
      for (const value of Array.isArray(exported) ? exported : [exported]) found.push({ value, at: `${path} ${name}` });
  }
  return found;
}

const has =
  (...names: string[]) =>
  (value: unknown) =>
    typeof value === "object" && value !== null && names.every((name) => name in value);

const inChapters = await exportsOf("chapters");
const inTools = await exportsOf("tools");

/** What is declared somewhere, and the list the service reads. */
const lists = [
  {
    what: "record kind",
    found: inChapters.filter(({ value }) => has("kind", "prefix", "schema", "copy")(value)),
    listed: KINDS,
    where: "chapters/kinds.ts",
    id: "kind",
  },
  {
    what: "job",
    found: inChapters.filter(({ value }) => has("kind", "key", "attempts", "ends", "run")(value)),
    listed: jobDefinitions,
    where: "src/jobs/definitions.ts",
    id: "kind",
  },
  {
    what: "compute task",
    found: inChapters.filter(({ value }) => has("name", "run")(value) && Object.keys(value as object).length === 2),
    listed: computeTasks,
    where: "src/jobs/compute-tasks.ts",
    id: "name",
  },
  {
    what: "brief compute task",
    found: inChapters.filter(({ value }) => has("name", "run", "brief")(value)),
    listed: briefTasks,
    where: "src/jobs/brief-tasks.ts",
    id: "name",
  },
  {
    what: "operation",
    found: inTools.filter(({ value }) => has("name", "route", "effect", "handle")(value)),
    listed: chapters.flatMap(({ operations }) => operations),
    where: "its chapter's index.ts",
    id: "name",
  },
] as const;

describe.each(lists)("every $what", ({ found, listed, where, id }) => {
  it("is listed where the service looks", () => {
    expect(found.length).toBeGreaterThan(0);
    const missing = found.filter(({ value }) => !(listed as readonly unknown[]).includes(value)).map(({ at }) => at);
    expect(missing, `not listed in ${where}`).toEqual([]);
  });

  it("has a name of its own", () => {
    const names = listed.map((one) => (one as unknown as Record<string, string>)[id]);
    expect(new Set(names).size).toBe(names.length);
  });
});

it("tells ids of two kinds apart by their prefix", () => {
  // A draft has the id of the evidence that it becomes.
  const prefixes = KINDS.filter(({ kind }) => kind !== "evidence_draft").map(({ prefix }) => prefix);
  expect(prefixes.filter((prefix, i) => prefixes.indexOf(prefix) !== i)).toEqual([]);
  for (const prefix of prefixes) expect(prefix).toMatch(/^[a-z]+$/);
});

it("declares none of them without export, where no list could take it", () => {
  const unexported =
    /^const \w+(?:: [^=]+)? = \[?\s*(?:recordKind|job|operation|serviceOperation|shaped)\(|^const \w+: (?:ComputeTask|JobDefinition)</m;
  expect("const x = recordKind({").toMatch(unexported);
  const hidden = globSync(["chapters/**/*.ts", "tools/**/*.ts"], { cwd: root }).filter((path) =>
    unexported.test(readFileSync(root + path, "utf8")),
  );
  expect(hidden).toEqual([]);
});
