import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Caller, Scope } from "../../chapters/caller.ts";
import { AppError } from "../../chapters/errors.ts";
import type { RecordKind } from "../../chapters/record.ts";
import { parseRoute } from "../../src/http/routes.ts";
import { chapters } from "../../tools/index.ts";
import { call } from "../../tools/kernel/call.ts";
import type { AnyOperation } from "../../tools/kernel/operation.ts";
import { type RegisteredOperation, Registry } from "../../tools/kernel/registry.ts";
import { startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { minimal, type Schema, wrongValues } from "../helpers/json-schema.ts";
import { jobRow, tokenRow } from "../helpers/rows.ts";

interface Contract {
  tool: string;
  chapter: string;
  shaped: boolean;
  method: string;
  path: string;
  scope: Scope;
}

const root = new URL("../..", import.meta.url).pathname;
const contract = JSON.parse(readFileSync(`${root}test/contract/operations.json`, "utf8")) as Contract[];
const registry = new Registry(chapters);
const each = registry.operations.map((registered) => [registered.op.name, registered] as const);
const signal = new AbortController().signal;

describe("the registry is the contract's", () => {
  it.each(each)("%s", (name, { op, chapter }) => {
    const expected = contract.find((row) => row.tool === name);
    expect(expected, "the contract names no such tool").toBeDefined();
    expect({
      tool: op.name,
      chapter,
      shaped: op.shape !== undefined,
      route: op.route.replaceAll(":path}", "}"),
      scope: op.scope,
    }).toEqual({
      tool: name,
      chapter: expected?.chapter,
      shaped: expected?.shaped,
      route: `${expected?.method} ${expected?.path.replaceAll(":path}", "}")}`,
      scope: expected?.scope,
    });
  });
});

describe("what a client sees of a tool", () => {
  it.each(each)("%s", (_name, { op, listing, plainOutput }) => {
    expect(listing.name).toMatch(/^[a-z][a-z0-9_]{0,47}$/);
    expect(listing.description.length).toBeGreaterThan(20);
    expect(listing.description.length).toBeLessThan(2048);
    expect(Object.keys(listing.annotations).sort()).toEqual(
      ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint", "title"].sort(),
    );
    expect(listing.annotations.readOnlyHint).toBe(op.effect === "read");
    for (const schema of [listing.inputSchema, plainOutput, ...(listing.outputSchema ? [listing.outputSchema] : [])]) {
      expect(schema.type).toBe("object");
      for (const union of ["anyOf", "oneOf", "allOf"]) expect(schema).not.toHaveProperty(union);
      expect(JSON.stringify(schema)).not.toContain('"$ref"');
    }
    expect(listing.inputSchema.additionalProperties).toBe(false);
    for (const segment of parseRoute(op.route).segments) {
      const param = /^\{(\w+)/.exec(segment)?.[1];
      if (param) expect(Object.keys(op.input.shape), "a path parameter is no input").toContain(param);
    }
  });

  it("has a verb by its effect", () => {
    for (const { op } of registry.operations) {
      const { method } = parseRoute(op.route);
      if (method === "GET") expect(op.effect, op.name).toBe("read");
      if (method === "DELETE") expect(op.effect, op.name).toBe("delete");
    }
  });
});

describe("a running registry", () => {
  let app: TestApp;
  let mine: TestOrg;
  let theirs: TestOrg;
  beforeAll(async () => {
    app = await startApp({ jobs: false });
    mine = await app.org("mine");
    theirs = await app.org("theirs");
    await fillEveryKind(app, theirs);
  });
  afterAll(() => app.close());

  const caller = (scope: Scope): Caller => ({ kind: "org", name: "t", scope, org: { id: mine.id, tag: mine.tag } });
  const refusal = async (registered: RegisteredOperation, scope: Scope, args: Record<string, unknown>) => {
    try {
      await call(app.service.host, registered.op, { credential: { caller: caller(scope) }, args, signal });
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
    return undefined;
  };

  it("refuses every scope below the operation's with 403", async () => {
    for (const [name, registered] of each) {
      const below = { read: [], push: ["read"], admin: ["read", "push"] }[registered.op.scope] as Scope[];
      for (const scope of below) {
        const refused = await refusal(registered, scope, minimal(registered.listing.inputSchema as Schema));
        expect(refused?.code, `${name} with ${scope}`).toBe("forbidden");
        expect(refused?.reason, name).toContain(registered.op.scope);
      }
    }
  });

  it("refuses another org's tag exactly as one that does not exist", async () => {
    for (const [name, { op, listing }] of each) {
      if (!op.route.includes("{orgtag}")) continue;
      const args = minimal(listing.inputSchema as Schema);
      const foreign = await viaRest(app, op, { ...args, orgtag: "theirs" }, mine.admin);
      const unknown = await viaRest(app, op, { ...args, orgtag: "nobody" }, mine.admin);
      expect(foreign.status, name).toBe(403);
      expect(foreign.text, name).toBe(unknown.text);
    }
  });

  it("answers another org's id byte for byte as an unknown one", async () => {
    let walked = 0;
    const other: string[] = [];
    for (const [name, { op, listing }] of each) {
      const ids = idParams(op.route, listing.inputSchema as Schema);
      if (ids.length === 0 || NAMED_BY_CALLER.has(name)) continue;
      const args = minimal(listing.inputSchema as Schema);
      const withIds = (id: string) => ({
        ...args,
        ...(op.route.includes("{orgtag}") ? { orgtag: mine.tag } : {}),
        ...Object.fromEntries(ids.map((param) => [param, id])),
      });
      const foreign = await viaRest(app, op, withIds(FOREIGN), mine.admin);
      const unknown = await viaRest(app, op, withIds(UNKNOWN), mine.admin);
      expect(foreign.text.replaceAll(FOREIGN, UNKNOWN), name).toBe(unknown.text);
      if (foreign.status !== 404) other.push(`${name}: ${foreign.status} ${foreign.text}`);
      walked++;
    }
    expect(other).toEqual([]);
    expect(walked).toBeGreaterThan(0);
  });

  it("refuses a wrong type at every level with the path that is wrong", async () => {
    let walked = 0;
    for (const [name, registered] of each) {
      for (const { args, path } of wrongValues(registered.listing.inputSchema as Schema)) {
        const refused = await refusal(registered, "admin", args);
        expect(refused?.code, `${name} at ${path}`).toBe("bad_request");
        const paths = refused?.details.fields?.map((field) => field.path) ?? [];
        expect(
          paths.some((found) => found === path || path.startsWith(`${found}.`)),
          `${name}: ${path} not in ${paths}`,
        ).toBe(true);
        walked++;
      }
    }
    expect(walked).toBeGreaterThan(registry.operations.length);
  });
});

it("names every operation in a behaviour test", () => {
  const tests = globSync(["test/tools/**/*.test.ts", "test/journeys/**/*.test.ts"], { cwd: root })
    .map((path) => readFileSync(root + path, "utf8"))
    .join("\n");
  const unnamed = registry.operations
    .map(({ op }) => op.name)
    .filter((name) => !new RegExp(`["'\`]${name}["'\`]`).test(tests));
  expect(unnamed).toEqual([]);
});

/** Puts whose path names what the caller makes: any name is as good as another, and another org's is not looked at. */
const NAMED_BY_CALLER = new Set(["agent_env_put"]);

const FOREIGN = "foreign_record_id";
const UNKNOWN = "unknown_record_id";

/** Path parameters that take any text: ids, as far as a caller can tell. */
function idParams(route: string, schema: Schema): string[] {
  const params = [...route.matchAll(/\{(\w+)(?::path)?\}/g)].map((match) => match[1] ?? "");
  return params.filter((name) => {
    const property = schema.properties?.[name];
    return (
      name !== "orgtag" && property?.type === "string" && property.enum === undefined && property.const === undefined
    );
  });
}

/** A body that a handler reads itself leaves the arguments to the query. */
async function viaRest(app: TestApp, { route, body }: AnyOperation, args: Record<string, unknown>, token: string) {
  const { fillRoute, routeParams } = await import("../../src/http/routes.ts");
  const { method } = parseRoute(route);
  const inPath = new Set(routeParams(route));
  const rest = Object.fromEntries(Object.entries(args).filter(([name]) => !inPath.has(name)));
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]) => [
      name,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );
  const path = fillRoute(route, args);
  return method === "GET" || method === "DELETE" || body === "stream"
    ? app.rest(method, `${path}?${query}`, undefined, token)
    : app.rest(method, path, rest, token);
}

/** One record of every kind, a job and a token, all under one id, in another org. */
async function fillEveryKind(app: TestApp, org: TestOrg): Promise<void> {
  const store = app.service.store.forOrg(org.id);
  let kinds = 0;
  const declaring = globSync("chapters/**/*.ts", { cwd: root }).filter((path) =>
    /^export const \w+ = recordKind\(/m.test(readFileSync(root + path, "utf8")),
  );
  for (const path of declaring) {
    const module = (await import(`${root}${path}`)) as Record<string, unknown>;
    for (const kind of Object.values(module).filter(isKind)) {
      const schema = z.toJSONSchema(kind.schema, { io: "input", reused: "inline" }) as Schema;
      await store.records.put(kind, { ...minimal(schema), id: FOREIGN } as never);
      kinds++;
    }
  }
  expect(kinds).toBeGreaterThan(3);
  const at = app.service.now();
  await store.jobs.start(
    jobRow(org.id, { id: FOREIGN, status: "landed", created_at: at, started_at: at, ended_at: at }),
  );
  await store.tokens.insert(tokenRow({ id: FOREIGN, created_at: at }));
}

function isKind(value: unknown): value is RecordKind {
  return typeof value === "object" && value !== null && "kind" in value && "prefix" in value && "schema" in value;
}
