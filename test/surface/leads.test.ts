import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../chapters/caller.ts";
import { AppError } from "../../chapters/errors.ts";
import { routeParams } from "../../src/http/routes.ts";
import { call } from "../../tools/kernel/call.ts";
import type { RegisteredOperation } from "../../tools/kernel/registry.ts";
import { invoker, startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { minimal, type Schema } from "../helpers/json-schema.ts";

let app: TestApp;
let org: TestOrg;
let caller: Caller;
beforeAll(async () => {
  app = await startApp({ jobs: false });
  org = await app.org();
  caller = { kind: "org", name: "t", scope: "admin", org: { id: org.id, tag: org.tag } };
});
afterAll(() => app.close());

async function refusal({ op }: RegisteredOperation, args: Record<string, unknown>): Promise<AppError | undefined> {
  try {
    await call(app.service.host, op, { credential: { caller }, args, signal: new AbortController().signal });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  return undefined;
}

/** The tools that a text names. */
const namedIn = (text: string) =>
  (text.match(/[a-z]+(?:_[a-z]+)*/g) ?? []).filter((word) => app.service.registry.get(word));

describe("every refusal leads on", () => {
  // Finding E51.
  it("of an unknown id: it names a tool that tells the ids there are", async () => {
    const silent: string[] = [];
    let walked = 0;
    for (const registered of app.service.registry.operations) {
      const ids = routeParams(registered.op.route).filter((name) => name !== "orgtag");
      if (ids.length === 0) continue;
      const args = minimal(registered.listing.inputSchema as Schema);
      const refused = await refusal(registered, { ...args, orgtag: undefined, ...texts(registered, ids) });
      if (refused?.code !== "not_found") continue;
      walked += 1;
      if (namedIn(refused.reason).length === 0) silent.push(`${registered.op.name}: ${refused.reason}`);
    }
    expect(silent).toEqual([]);
    expect(walked).toBeGreaterThanOrEqual(100);
  });

  it("of a field that is not given: it says what the field is", async () => {
    const silent: string[] = [];
    let walked = 0;
    for (const registered of app.service.registry.operations) {
      const { required = [] } = registered.listing.inputSchema as Schema;
      if (required.length === 0) continue;
      const refused = await refusal(registered, {});
      for (const name of required) {
        const told = refused?.details.fields?.find(({ path }) => path === name)?.message ?? "";
        walked += 1;
        // Where only a few values are taken, they are named.
        if (!/^is missing: .{3}|expected (one of )?"/.test(told)) silent.push(`${registered.op.name}.${name}: ${told}`);
      }
    }
    expect(silent).toEqual([]);
    expect(walked).toBeGreaterThanOrEqual(200);
  });

  it("of a field of another type: it says what the field is", async () => {
    const silent: string[] = [];
    let walked = 0;
    for (const registered of app.service.registry.operations) {
      const { required = [] } = registered.listing.inputSchema as Schema;
      const id = required.find((name) => /^The id of the /.test(registered.op.input.shape[name]?.description ?? ""));
      if (id === undefined) continue;
      const refused = await refusal(registered, { [id]: { wrong: 1 } });
      const told = refused?.details.fields?.find(({ path }) => path === id)?.message ?? "";
      walked += 1;
      if (!/received object: the id of the /.test(told)) silent.push(`${registered.op.name}.${id}: ${told}`);
    }
    expect(silent).toEqual([]);
    expect(walked).toBeGreaterThanOrEqual(60);
  });

  it("of a token whose scope is too small: it names the tool that mints another, with the scope", async () => {
    const reader: Caller = { ...caller, scope: "read" };
    const writing = app.service.registry.operations.filter(({ op }) => op.scope !== "read");
    expect(writing.length).toBeGreaterThanOrEqual(100);
    for (const { op } of writing) {
      const request = { credential: { caller: reader }, args: {}, signal: new AbortController().signal };
      const reason = `org_tokens_post with scope ${op.scope}.`;
      await expect(call(app.service.host, op, request)).rejects.toMatchObject({
        code: "forbidden",
        reason: expect.stringContaining(reason),
      });
    }
  });

  it("of a field that there is not: it names the nearest, or those there are", async () => {
    const silent: string[] = [];
    for (const registered of app.service.registry.operations) {
      const fields = Object.keys(registered.op.input.shape);
      const near = fields.find((name) => name.length >= 4);
      if (near === undefined) continue;
      const wrong = `${near}x`;
      const refused = await refusal(registered, { [wrong]: "x" });
      const told = refused?.details.fields?.find(({ path }) => path === wrong)?.message ?? "";
      if (!told.includes(near)) silent.push(`${registered.op.name}: ${told}`);
    }
    expect(silent).toEqual([]);
  });

  it("of an operation that takes no such thing, deep inside too, and without the caller's values", async () => {
    const start = app.service.registry.get("schedules_post") as RegisteredOperation;
    const refused = await refusal(start, { kind: "evaluate", terms: { detektors: ["secret"] } });
    const told = refused?.details.fields?.find(({ path }) => path.endsWith("detektors"));
    expect(told?.message).toContain("detectors");
    expect(JSON.stringify(refused?.details)).not.toContain("secret");
  });
});

describe("every refusal of a state that stands in the way leads on", () => {
  it("of a surface that is not compiled: it names the tool that does what is missing", async () => {
    const invoke = invoker(app, "rest", org);
    const known = await invoke("evidence_post", { content: "Refunds take a week.", kind: "document", surface: "bare" });
    expect(known.status).toBe(201);
    const silent: string[] = [];
    let walked = 0;
    for (const registered of app.service.registry.operations) {
      const { properties = {} } = registered.listing.inputSchema as Schema;
      if (!("surface" in properties)) continue;
      const args = { ...minimal(registered.listing.inputSchema as Schema), orgtag: undefined, surface: "bare" };
      const refused = await refusal(registered, args);
      if (refused?.code !== "conflict" && refused?.code !== "unprocessable") continue;
      walked += 1;
      if (namedIn(refused.reason).length === 0) silent.push(`${registered.op.name}: ${refused.reason}`);
    }
    expect(silent).toEqual([]);
    expect(walked).toBeGreaterThanOrEqual(8);
  });

  it("in the words of the code: what says to do something first, or again, names the tool that does it", () => {
    const silent: string[] = [];
    let walked = 0;
    for (const [sentence, tool] of refusals()) {
      if (tool !== undefined) expect(namedIn(tool), sentence).toEqual([tool]);
      if (!/\b(first|again|restore|another|pipeline|evidence to|retired)\b/.test(sentence)) continue;
      walked += 1;
      // What only time, a person or the operator can do has no tool.
      if (/\b(SVC_|operator|meanwhile|wait|look again|vendor|code host|secret|a person|nobody|form)/i.test(sentence))
        continue;
      if (namedIn(`${sentence} ${tool ?? ""}`).length === 0) silent.push(sentence);
    }
    expect(silent).toEqual([]);
    expect(walked).toBeGreaterThanOrEqual(50);
  });
});

/** The sentences of conflicts and of what cannot be processed, as the handlers have them, each with the tool beside it. */
function refusals(): [sentence: string, tool: string | undefined][] {
  const found = /\b(?:conflict|unprocessable)\(\s*"([^"]+)"(?:,\s*\{\s*by: "([a-z_]+)")?/g;
  return globSync("chapters/**/*.ts").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(found)].map(([, sentence = "", tool]): [string, string | undefined] => [
      sentence,
      tool,
    ]),
  );
}

/** A text for each path parameter that takes any. */
function texts({ listing }: RegisteredOperation, names: readonly string[]): Record<string, unknown> {
  const { properties = {} } = listing.inputSchema as Schema;
  return Object.fromEntries(
    names.flatMap((name) =>
      properties[name]?.type === "string" && !properties[name]?.enum ? [[name, "unknown_id"]] : [],
    ),
  );
}
