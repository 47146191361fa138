import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsOf } from "../../../worlds/http/arguments.ts";
import { compileApi } from "../../../worlds/http/compile.ts";
import { errorSignature, statedStatus } from "../../../worlds/http/errors.ts";
import type { HttpRoute } from "../../../worlds/http/grammar.ts";
import { Matcher } from "../../../worlds/http/match.ts";
import { observeApi } from "../../../worlds/http/observe.ts";
import { partsOf } from "../../../worlds/http/parts.ts";
import { httpAnswer } from "../../../worlds/http/respond.ts";
import { templatesOf } from "../../../worlds/http/templates.ts";
import { Starts } from "../../../worlds/starts.ts";

const route = (method: string, template: string, more: Partial<HttpRoute> = {}): HttpRoute => ({
  tool: `${method} ${template}`,
  method,
  template,
  params: {},
  aliases: {},
  body: "members",
  success: 200,
  empty: false,
  type: "application/json",
  wrapped: false,
  headers: {},
  statuses: [200],
  errors: {},
  seen: 1,
  ...more,
});

describe("templates of observed paths", () => {
  const learn = (paths: readonly string[], given: readonly string[] = []) =>
    templatesOf(
      paths.map((path) => ({ method: "GET", path })),
      given,
    );

  it("have holes where ids stand, named after what stands before, and none at versions and names", () => {
    expect(
      learn([
        "/v1/orders/17",
        "/api/v2.1/users/8f14e45f-ceea-467f-a1d9-0a1b2c3d4e5f/keys",
        "/boxes/BX-0017/items/3",
        "/companies/acme/people/ann@example.com",
        "/a%20b/1",
        "/",
      ]),
    ).toEqual([
      "/v1/orders/{order_id}",
      "/api/v2.1/users/{user_id}/keys",
      "/boxes/{box_id}/items/{item_id}",
      "/companies/acme/people/{people_id}",
      "/a%20b/{a_b_id}",
      "/",
    ]);
  });

  it("have a hole where many names stand at one place, and take given templates first", () => {
    const names = ["ada", "bob", "cid", "dan", "eve", "fay"].map((name) => `/users/${name}/posts`);
    expect(new Set(learn(names))).toEqual(new Set(["/users/{user_id}/posts"]));
    expect(learn(names.slice(0, 5))).toEqual(names.slice(0, 5));
    expect(learn(["/a/1", "/a/b"], ["/{x}/{y}", "/a/{z}"])).toEqual(["/a/{z}", "/a/{z}"]);
  });
});

describe("matching", () => {
  it("finds a route by its method, literal segments before holes, and decodes values", () => {
    const matcher = new Matcher({
      routes: [
        route("GET", "/o/{id}"),
        route("GET", "/o/new"),
        route("POST", "/o/{id}/{act}"),
        route("GET", "/{a}/x/y"),
      ],
    });
    const found = (method: string, path: string) => matcher.find(method, path)?.route.template;
    expect([found("GET", "/o/new"), found("GET", "/o/7"), found("HEAD", "/o/7/"), found("GET", "/o/x/y")]).toEqual([
      "/o/new",
      "/o/{id}",
      "/o/{id}",
      "/{a}/x/y",
    ]);
    expect([found("PUT", "/o/7"), found("GET", "/o"), found("GET", "/o//"), found("GET", "/o/%ZZ")]).toEqual(
      Array(4).fill(undefined),
    );
    expect(matcher.find("POST", "/o/a%2Fb/go")?.path).toEqual({ id: "a/b", act: "go" });
  });

  it("finds every template again by any values, in bounded time", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/);
    const part = fc.oneof(
      word,
      word.map((name) => `{${name}}`),
    );
    fc.assert(
      fc.property(fc.array(fc.array(part, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 20 }), (all) => {
        const templates = all.map((parts) => `/${parts.join("/")}`);
        const matcher = new Matcher({ routes: templates.map((template) => route("GET", template)) });
        for (const parts of all) {
          const path = `/${parts.map((each) => (each.startsWith("{") ? "17" : each)).join("/")}`;
          expect(matcher.find("GET", path)).toBeDefined();
        }
      }),
    );
    const deep = new Matcher({ routes: [route("GET", "/{a}/{b}/{c}"), route("GET", "/x/{b}/x")] });
    expect(deep.find("GET", "/x".repeat(5_000))).toBeUndefined();
  });
});

it("reads values as their parameters are, and keeps what is none of that type as it stands", () => {
  const typed = route("PATCH", "/o/{id}", { params: { id: "integer", full: "boolean" }, aliases: { id: "number" } });
  const query = new URLSearchParams("full=true&tag=a&tag=b&n=7");
  expect(argumentsOf(typed, { id: "17" }, query, { note: "x" })).toEqual({
    full: true,
    tag: ["a", "b"],
    n: "7",
    note: "x",
    number: 17,
  });
  expect(argumentsOf(typed, { id: "007" }, new URLSearchParams(), [1])).toEqual({ body: [1], number: "007" });
});

it("tells errors apart by their code, else by their words without their values", () => {
  expect(errorSignature({ error: { code: "gone", message: "No order 17" } })).toBe("gone");
  expect(errorSignature({ message: "No order 17 for 'ann'" })).toBe(
    errorSignature({ message: "No order 4 for 'bob'" }),
  );
  expect(errorSignature({ errors: [{ title: "Bad" }] })).toBe("Bad");
  expect(statedStatus({ error: { status: 409 } })).toBe(409);
  expect(statedStatus({ code: 17 })).toBeUndefined();
});

describe("an observed API", () => {
  const exchange = (method: string, path: string, status: number, body: unknown, sent?: unknown) => ({
    method,
    url: `https://api.example${path}`,
    status,
    request: { headers: {}, ...(sent === undefined ? {} : { body: sent }) },
    response: { headers: {}, ...(body === undefined ? {} : { body }) },
  });

  it("reads ids as numbers only where answers hold them so, and by the member that holds them", () => {
    const number = observeApi([{ id: "c", exchanges: [exchange("GET", "/o/17", 200, { id: 17 })] }], []);
    expect(number.traces[0]?.calls[0]?.args).toEqual({ id: 17 });
    const text = observeApi([{ id: "c", exchanges: [exchange("GET", "/o/17", 200, { ref: "17", id: "z" })] }], []);
    expect(text.traces[0]?.calls[0]?.args).toEqual({ ref: "17" });
  });

  it("is cut into sessions without a common object: by paths under any route, and by what lists and creations show", () => {
    const item = (id: number) => ({ id, owner: 7 });
    const exchanges = [
      exchange("GET", "/o/1", 200, item(1)),
      exchange("POST", "/o", 201, item(2), { owner: 7 }),
      exchange("POST", "/o", 422, { error: { code: "no_owner" } }, { owner: 9 }),
      exchange("POST", "/o/1/notes", 201, { id: 2, text: "x" }, { text: "x" }),
      exchange("DELETE", "/o/2", 204, undefined),
      exchange("GET", "/o/3", 200, item(3)),
      exchange("GET", "/o/4", 200, item(4)),
      exchange("GET", "/o?page=2", 200, [item(3), item(4)]),
      exchange("GET", "/owners/7", 200, { id: 7 }),
    ];
    const { traces, grammar } = observeApi([{ id: "c", exchanges }], []);
    const [whole] = traces;
    const places = partsOf(traces, grammar).map(({ calls }) => calls.map((call) => whole?.calls.indexOf(call)));
    expect(places).toEqual([[0, 3], [1, 4], [2], [5, 6, 7], [8]]);
  });

  it("is not answered where its own exchanges contradict what was learnt, and counts what is", () => {
    const created = (n: number) => [
      exchange("POST", "/o", 201, { id: `o-${n}`, size: n }, { size: n }),
      exchange("GET", `/o/o-${n}`, 200, { id: `o-${n}`, size: n }),
      exchange("DELETE", `/o/o-${n}`, 204, undefined),
      exchange("DELETE", `/o/o-${n}`, 404, { error: { code: "not_found", message: `No o-${n}` } }),
    ];
    const { traces, grammar, tools } = observeApi([{ id: "c", exchanges: [1, 2, 3, 4, 5].flatMap(created) }], []);
    const { bundle, base, replay } = compileApi(traces, grammar, "o", tools);
    expect(replay).toMatchObject({ exchanges: 20, wrong: 0 });
    expect(replay.right).toBeGreaterThanOrEqual(10);
    const world = new Starts({ bundle, base }).fresh("any");
    const { tool } = grammar.routes.find(({ method }) => method === "DELETE") as HttpRoute;
    // Nobody knows o-9: a success would be made up.
    expect(["error:not_served", "error:not_found"]).toContain(world.call(tool, { id: "o-9" }).answerClass);
  });

  it("is the same whatever the order of its captures, and never throws on odd ones", () => {
    const a = {
      id: "a",
      exchanges: [exchange("GET", "/o/1", 200, { id: 1 }), exchange("DELETE", "/o/1", 204, undefined)],
    };
    const b = { id: "b", exchanges: [exchange("POST", "/o", 201, { id: 2 }, { x: 1 })] };
    expect(observeApi([a, b], []).grammar).toEqual(observeApi([b, a], []).grammar);
    expect(observeApi([a, b], []).tools).toEqual(observeApi([b, a], []).tools);
    fc.assert(
      fc.property(
        fc.webPath(),
        fc.jsonValue(),
        fc.jsonValue(),
        fc.integer({ min: 100, max: 599 }),
        (path, body, sent, status) => {
          observeApi([{ id: "c", exchanges: [exchange("POST", path, status, body, sent)] }], []);
        },
      ),
      { numRuns: 30 },
    );
  });
});

it("sends a gap as 501, a declared refusal of arguments as declared, and an empty success without a body", () => {
  const grammar = { v: 1 as const, origins: ["https://api.example"], routes: [], recorded: {} };
  const answer = (servedBy: "gap" | "schema" | "behaviour", value: unknown) =>
    ({ text: "", value, isError: servedBy !== "behaviour", answerClass: "data", servedBy, changes: [] }) as never;
  const send = (of: HttpRoute, servedBy: "gap" | "schema" | "behaviour", value: unknown = null) =>
    httpAnswer(grammar, of, {}, answer(servedBy, value), "https://door");
  expect(send(route("POST", "/o"), "gap")).toMatchObject({ status: 501, gap: true });
  expect(send(route("POST", "/o"), "schema")).toMatchObject({ status: 501, gap: true });
  expect(send(route("POST", "/o", { statuses: [200, 422] }), "schema")).toMatchObject({ status: 422, gap: false });
  expect(send(route("DELETE", "/o", { success: 204, empty: true }), "behaviour")).toMatchObject({
    status: 204,
    body: undefined,
  });
  expect(send(route("GET", "/o"), "behaviour", { next: "https://api.example/o?2" }).body).toBe(
    '{"next":"https://door/o?2"}',
  );
  expect(send(route("GET", "/o", { wrapped: true }), "behaviour", { result: [1] }).body).toBe("[1]");
});
