import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it } from "vitest";
import type { Scope } from "../../chapters/caller.ts";
import type { Log } from "../../chapters/context.ts";
import { ERROR_STATUS, type ErrorCode } from "../../chapters/errors.ts";
import { type Config, readConfig } from "../../src/config.ts";
import { createApp } from "../../src/http/http.ts";
import { fillRoute, routeParams } from "../../src/http/routes.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { createOrg, mintFor } from "../../src/service/workspace.ts";
import type { Chapter } from "../../tools/kernel/chapter.ts";
import { NO_LIMIT_MS } from "../hangs.ts";
import { sharedCompute } from "./run/compute.ts";

/** A clock that stands still until it is moved. */
export class FakeClock {
  #now: number;
  constructor(now = 1_790_000_000) {
    this.#now = now;
  }
  now = (): number => this.#now;
  advance(seconds: number): void {
    this.#now += seconds;
  }
}

export interface AppOptions {
  /** The machine's clock when absent. */
  readonly clock?: FakeClock;
  /** An existing folder stays when the app closes; a temporary one goes. */
  readonly dataDir?: string;
  readonly config?: Partial<Config>;
  readonly chapters?: readonly Chapter[];
  /** Whether it computes all work itself, for tests of whether that comes to the same; absent, work of earlier tests is answered. */
  readonly anew?: boolean;
  /** Whether jobs run; they do when absent. */
  readonly jobs?: boolean;
  /** Takes what the service logs, at every level; errors go to standard error when absent. */
  readonly log?: Log;
}

/** An org with a token of each scope. */
export interface TestOrg {
  readonly id: string;
  readonly tag: string;
  readonly read: string;
  readonly push: string;
  readonly admin: string;
}

/** What came back, from either surface: the route's own status and body. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of many answers; a wrong name fails the expectation.
  readonly body: any;
  /** The first line of a shaped tool's answer; over MCP only. */
  readonly verdict?: string;
  /** The text of a file answer. */
  readonly file?: string;
}

export interface RestAnswer extends Answer {
  readonly headers: Headers;
  readonly text: string;
}

/** A connected MCP client (SDK 1.x over streamable HTTP). */
export interface TestMcp {
  readonly client: Client;
  /** Calls a tool; a refusal answers the status its error code has. */
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  list(): Promise<Awaited<ReturnType<Client["listTools"]>>["tools"]>;
  close(): Promise<void>;
}

export interface TestApp {
  readonly url: string;
  readonly dataDir: string;
  /** The service-wide token. */
  readonly operator: string;
  readonly service: Service;
  /** The org of this tag with a token of each scope, made at the first asking. */
  org(tag?: string): Promise<TestOrg>;
  /** One REST request; a body that is text or bytes goes as it is, all else as JSON. */
  rest(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    headers?: Record<string, string>,
  ): Promise<RestAnswer>;
  /** `query` is the server URL's, such as `{ chapters: "runs" }`. */
  mcp(token: string, query?: Record<string, string>): Promise<TestMcp>;
  close(): Promise<void>;
}

/** The whole service on a temporary data folder and a free loopback port. */
export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "svc-test-"));
  const operator = `svc_op_${randomBytes(32).toString("base64url")}`;
  const config: Config = {
    ...readConfig({ SVC_DATA_DIR: dataDir, SVC_PORT: "0", SVC_OPERATOR_TOKEN: operator, SVC_LOG_LEVEL: "error" }),
    ...options.config,
  };
  const service = await createService({
    config,
    ...(options.anew ? {} : { pool: sharedCompute }),
    forksEarly: false,
    // A test that holds the clock says when a tick is, too.
    ...(options.clock ? { now: options.clock.now, ticks: false } : {}),
    ...(options.chapters ? { chapters: options.chapters } : {}),
    ...(options.log ? { log: options.log } : {}),
  });
  const server = createServer(createApp(service));
  // A machine that stops for seconds would close connections under calls that are being sent on them.
  server.keepAliveTimeout = 0;
  const url = await listen(server);
  service.listensAt(url);
  if (options.jobs !== false) service.begin();
  return appOver(service, { url, dataDir, operator }, async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await service.close();
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  });
}

/** A test's view of what serves at a URL; `service` is composed over the same store, and `close` ends what was started. */
export function appOver(
  service: Service,
  place: Pick<TestApp, "url" | "dataDir" | "operator">,
  close: () => Promise<void>,
): TestApp {
  const { url } = place;
  const orgs = new Map<string, Promise<TestOrg>>();
  const clients = new Set<TestMcp>();
  const org = (tag = "acme") => {
    const made = orgs.get(tag) ?? makeOrg(service, tag);
    orgs.set(tag, made);
    return made;
  };
  return {
    ...place,
    service,
    org,
    rest: (method, path, body, token, headers) => rest(url, method, path, body, token, headers),
    async mcp(token, query) {
      const client = await connect(url, token, query);
      clients.add(client);
      return client;
    },
    async close() {
      for (const client of clients) await client.close().catch(() => {});
      await close();
    },
  };
}

/** Calls one tool of the default org; `as` chooses another token (`push` of the default org is `t.org.push`, and so on). */
export type Invoke = (tool: string, args?: Record<string, unknown>, as?: string) => Promise<Answer>;

export interface SurfaceTest {
  readonly app: TestApp;
  readonly org: TestOrg;
}

/**
 * What `bothSurfaces` starts; a suite that runs the same tests on another way of serving puts its own here, with the
 * milliseconds a test may take.
 */
export const hosting: { start: (options?: AppOptions) => Promise<TestApp>; timeout?: number } = { start: startApp };

/**
 * Runs one behaviour test over MCP and REST at once, on a fresh app with one org (`acme`): see `onBoth`. `invoke` uses
 * that org's admin token unless told otherwise.
 */
export function bothSurfaces(
  name: string,
  behaviour: (invoke: Invoke, t: SurfaceTest) => Promise<void>,
  options: AppOptions = {},
): void {
  it(
    `${name} (over MCP and REST)`,
    async () => {
      const app = await hosting.start(options);
      try {
        const org = await app.org();
        await behaviour(onBoth(app, org), { app, org });
      } finally {
        await app.close();
      }
    },
    hosting.timeout,
  );
}

/** How often a read is repeated whose answer changes while it is read. */
const READS = 20;
/** What takes a state that is good once: it is asked over one of them. */
const ONCE = new Set(["sources_obs_oauth_callback", "vcs_installation_post"]);

/**
 * `invoke` over MCP and REST: each is asked what reads, and has to answer the same. What writes goes over them in turn, a
 * shaped operation over MCP for its verdict; what one refuses as wrong the other has to refuse in the same words.
 */
export function onBoth(app: TestApp, org: TestOrg): Invoke {
  const [mcp, rest] = [invoker(app, "mcp", org), invoker(app, "rest", org)];
  let writes = 0;
  return async (...asked) => {
    const op = app.service.registry.get(asked[0])?.op;
    const again = op !== undefined && !ONCE.has(op.name);
    if (again && op.effect === "read") return readOnBoth(mcp, rest, asked);
    const [first, second] = !op || op.shape || writes++ % 2 === 0 ? [mcp, rest] : [rest, mcp];
    const answer = await first(...asked);
    if (again && isWrong(answer)) expect(bare(await second(...asked)), asked[0]).toEqual(bare(answer));
    return answer;
  };
}

/** Whether what was asked is wrong in itself: it changed nothing, and asked again it is refused again. */
const isWrong = ({ status, body }: Answer) => status === 400 || status === 404 || / of scope /.test(body?.reason);

/** The answer over MCP, where REST answers the same but for what changes from one read to the next, such as the time. */
async function readOnBoth(mcp: Invoke, rest: Invoke, asked: Parameters<Invoke>): Promise<Answer> {
  let before = await mcp(...asked);
  // What somebody else did not answer once is answered the next time.
  if (before.status === 429 || before.status >= 500) return before;
  for (let reads = 1; ; reads++) {
    const other = await rest(...asked);
    if (isDeepStrictEqual(bare(before, other), bare(other))) return before;
    const after = await mcp(...asked);
    if (isBetween(bare(before, other), bare(other), bare(after, other))) return after;
    if (reads === READS) expect(bare(after, other), asked[0]).toEqual(bare(other));
    before = after;
  }
}

/** Whether a value is the one or the other, and may be any where these two differ. */
function isBetween(before: unknown, value: unknown, after: unknown): boolean {
  if (isDeepStrictEqual(before, value) || isDeepStrictEqual(value, after)) return true;
  const all = [before, value, after].map((one) => (typeof one === "object" && one !== null ? one : undefined));
  const [a, b, c] = all as Record<string, unknown>[];
  if (!a || !b || !c) return typeof before === typeof value && !isDeepStrictEqual(before, after);
  const names = Object.keys(b);
  if (![a, c].every((one) => isDeepStrictEqual(Object.keys(one), names))) return false;
  return names.every((name) => isBetween(a[name], b[name], c[name]));
}

/** What is the same on both surfaces: MCP tells more than a file's content, and links to a large one. */
function bare({ status, body, file }: Answer, over?: Answer) {
  const content = over?.file ?? file;
  return content === undefined ? { status, body } : { status, file: file ?? content };
}

/** `invoke` for one surface of a running app; `orgtag` of REST paths is the org's when the call gives none. */
export function invoker(app: TestApp, surface: "mcp" | "rest", org: TestOrg): Invoke {
  const clients = new Map<string, Promise<TestMcp>>();
  return async (tool, args = {}, as = org.admin) => {
    if (surface === "rest") return overRest(app, org, tool, args, as);
    // As a program: what a model affords is less than a test looks at.
    const client = clients.get(as) ?? app.mcp(as, { output_schemas: "1" });
    clients.set(as, client);
    return (await client).call(tool, args);
  };
}

async function overRest(
  app: TestApp,
  org: TestOrg,
  tool: string,
  args: Record<string, unknown>,
  as: string,
): Promise<Answer> {
  const op = app.service.registry.get(tool)?.op;
  if (!op) throw new Error(`no operation is named ${tool}`);
  const all: Record<string, unknown> = op.route.includes("{orgtag}") ? { orgtag: org.tag, ...args } : { ...args };
  const inPath = new Set(routeParams(op.route));
  const rest_ = Object.entries(all).filter(([name, value]) => !inPath.has(name) && value !== undefined);
  const method = op.route.split(" ")[0] ?? "GET";
  const path = fillRoute(op.route, all);
  if (method !== "GET" && method !== "DELETE") return app.rest(method, path, Object.fromEntries(rest_), as);
  const query = new URLSearchParams();
  for (const [name, value] of rest_) {
    if (Array.isArray(value)) for (const item of value) query.append(name, String(item));
    else query.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return app.rest(method, query.size > 0 ? `${path}?${query}` : path, undefined, as);
}

async function rest(
  base: string,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
  headers: Record<string, string> = {},
): Promise<RestAnswer> {
  const raw = typeof body === "string" || body instanceof Uint8Array;
  const res = await fetch(base + path, {
    method,
    redirect: "manual",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || raw ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
  });
  const text = await res.text();
  const isFile = res.headers.has("content-disposition");
  return {
    status: res.status,
    body: isFile ? undefined : parsed(text),
    headers: res.headers,
    text,
    ...(isFile ? { file: text } : {}),
  };
}

async function connect(base: string, token: string, query: Record<string, string> = {}): Promise<TestMcp> {
  const client = new Client({ name: "test", version: "1" });
  const url = new URL(`${base}/mcp?${new URLSearchParams(query)}`);
  const headers = { authorization: `Bearer ${token}` };
  // The SDK's own types are written without exactOptionalPropertyTypes.
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }) as never);
  return {
    client,
    async call(tool, args = {}) {
      return fromTool(await client.callTool({ name: tool, arguments: args }, undefined, { timeout: NO_LIMIT_MS }));
    },
    list: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

/** One of a thing that is counted as if there were more: `1 traces`. In `0 of 1 trials` the word is the unit's name. */
const ONE_OF_MANY =
  /(?<!\bof |[\d.,] ?)\b1 (?:(?:certified|evidence|marked|run|wrong|equal|held-out) )?(?:agents|calls|checks|edges|environments|gaps|groups|jobs|records|runs|tasks|tools|traces|trials|versions)\b/;

/** A verdict as it came; finding A28 is that one was told in the plural, so no test takes such a verdict. */
function oneIsOne(verdict: string): string {
  if (ONE_OF_MANY.test(verdict)) throw new Error(`A verdict counts one as many: ${verdict}`);
  return verdict;
}

function fromTool(result: Awaited<ReturnType<Client["callTool"]>>): Answer {
  const content = result.content as { type: string; text?: string; resource?: { text?: string } }[];
  const text = content[0]?.text ?? "";
  if (result.isError) {
    const body = JSON.parse(text) as { error: ErrorCode };
    return { status: ERROR_STATUS[body.error], body };
  }
  const structured = (result.structuredContent ?? jsonIn(text)) as
    | { status: number; body: unknown; verdict?: string }
    | undefined;
  const file = content.find((part) => part.type === "resource")?.resource?.text;
  return {
    status: structured?.status ?? 200,
    body: structured?.body,
    ...(structured?.verdict === undefined ? {} : { verdict: oneIsOne(structured.verdict) }),
    ...(file === undefined ? {} : { file }),
  };
}

/** The status and body of a plain tool's text; undefined for any other text. */
function jsonIn(text: string): unknown {
  const value = parsed(text);
  return typeof value === "object" && value !== null && "status" in value ? value : undefined;
}

async function makeOrg(service: Service, tag: string): Promise<TestOrg> {
  const org = await createOrg(service, tag);
  const mint = (scope: Scope) => mintFor(service, org, `${tag}-${scope}`, scope);
  return { id: org.id, tag, read: await mint("read"), push: await mint("push"), admin: await mint("admin") };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
