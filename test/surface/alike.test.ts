import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { conflict } from "../../chapters/errors.ts";
import { chapters } from "../../tools/index.ts";
import { type Invoke, invoker, startApp, type TestApp } from "../helpers/app.ts";
import { minimal, type Schema } from "../helpers/json-schema.ts";

/** What the handlers were given, in order. */
const given: unknown[] = [];
const told = conflict("The handler was reached.");

/** Every operation as it is declared, but for what it does. */
const reached = chapters.map((chapter) => ({
  ...chapter,
  operations: chapter.operations.map((op) => ({
    ...op,
    handle: (_ctx: unknown, input: unknown) => {
      given.push(input);
      return Promise.reject(told);
    },
  })),
}));

/** By field, of one operation or all: what the smallest value of its type does not do for. */
const GIVEN: Readonly<Record<string, unknown>> = {
  orgtag: "acme",
  org: "acme",
  egress: ["api.example.com:443"],
  grammar: ["/orders"],
  repository: "acme/bot",
  "start_run selection": "ci-2",
  situations: [{ persona: "Parent" }],
  thread_ts: "1.1",
};

let app: TestApp;
let surfaces: readonly [Invoke, Invoke];
beforeAll(async () => {
  app = await startApp({ jobs: false, chapters: reached });
  const org = await app.org();
  surfaces = [invoker(app, "mcp", org), invoker(app, "rest", org)];
});
afterAll(() => app.close());

/** Smallest arguments with these fields beside those that are required; a list holds an item. */
function argumentsWith(tool: string, schema: Schema, names: readonly string[]): Record<string, unknown> {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    property.type === "array" && !property.minItems ? { ...property, minItems: 1 } : property,
  ]);
  const named = Object.keys(schema.properties ?? {}).includes("orgtag") ? ["orgtag"] : [];
  const required = [...new Set([...(schema.required ?? []), ...named, ...names])];
  const args = minimal({ ...schema, properties: Object.fromEntries(properties), required });
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, GIVEN[`${tool} ${name}`] ?? GIVEN[name] ?? value]),
  );
}

/** What came of a call over each surface: its answer, and what the handler was given. */
async function outcomes(tool: string, args: Record<string, unknown>) {
  const all = [];
  for (const over of surfaces) {
    given.length = 0;
    const { status, body } = await over(tool, args);
    all.push({ status, body, given: given.map((input) => JSON.parse(JSON.stringify(input))) });
  }
  return all;
}

it("gives the handler of every operation the same input over MCP and REST, and refuses the same in the same words", async () => {
  const unreached: string[] = [];
  const apart: unknown[] = [];
  for (const { op, listing } of app.service.registry.operations) {
    // A handler that reads a body of bytes itself is given other input over REST: its own tests send both.
    if (op.body === "stream") continue;
    const schema = listing.inputSchema as Schema;
    const names = Object.keys(schema.properties ?? {});
    const walked = new Set<string>();
    for (const fields of [names, ...names.map((name) => [name])]) {
      if (fields.every((name) => walked.has(name))) continue;
      const args = argumentsWith(op.name, schema, fields);
      const [mcp, rest] = await outcomes(op.name, args);
      if (!isDeepStrictEqual(mcp, rest)) apart.push({ tool: op.name, args, mcp, rest });
      if (mcp?.given.length === 1) for (const name of fields) walked.add(name);
    }
    unreached.push(...names.filter((name) => !walked.has(name)).map((name) => `${op.name} ${name}`));
  }
  expect(apart).toEqual([]);
  expect(unreached).toEqual([]);
});
