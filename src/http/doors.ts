import type { Request, RequestHandler, Response } from "express";
import { LRUCache } from "lru-cache";
import type { OrgStore, TokenRow } from "../../chapters/ports/store.ts";
import { type Doc, idOfValue } from "../../chapters/record.ts";
import { Door, type DoorTally, HttpGrammarRecord } from "../../chapters/records/sandboxes/doors.ts";
import { resetDoorWorld } from "../../chapters/sandboxes/doors/doors.ts";
import { argumentsOf } from "../../worlds/http/arguments.ts";
import { HttpGrammar, type HttpRoute, routeName } from "../../worlds/http/grammar.ts";
import { Matcher } from "../../worlds/http/match.ts";
import { type HttpAnswer, httpAnswer, notServed } from "../../worlds/http/respond.ts";
import type { Service } from "../service/service.ts";
import { doorMeter } from "./door-limit.ts";
import { DoorTallies } from "./door-tally.ts";
import { jsonBody, requestBody } from "./request-body.ts";

type DoorDoc = Doc<typeof Door>;

/** How many grammars are kept read; doors of one bundle share theirs. */
const KEPT = 64;
/** The one answer for every secret that opens nothing: unknown, revoked, another kind's. */
const NO_DOOR: HttpAnswer = {
  status: 404,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify({ error: "not_found", reason: "No such door." }),
  gap: false,
};

interface Open {
  readonly org: string;
  readonly store: OrgStore;
  readonly door: DoorDoc;
  /** The door's own address, no slash at the end. */
  readonly base: string;
  /** Resolves when it is written. */
  count(change: (tally: DoorTally) => DoorTally): Promise<void>;
}

interface Wire {
  readonly grammar: HttpGrammar;
  readonly matcher: Matcher;
}

/** By org and bundle, as `<org id>/<bundle id>`. */
type Wires = LRUCache<string, Wire, { readonly store: OrgStore; readonly bundle: string }>;

/** HTTP doors: each answers as its compiled API over a world of its own, opened only by the secret in its path. */
export function doorSurface(service: Service): RequestHandler {
  const wires: Wires = new LRUCache({
    max: KEPT,
    // A request waits for its grammar also when others took its place meanwhile.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _old, { context: { store, bundle } }) => readWire(store, bundle),
  });
  const meter = doorMeter(service);
  const tallies = new DoorTallies();
  return async (req, res) => {
    const [, secret = "", rest = "/"] = /^\/d\/([^/?]*)([^?]*)/.exec(req.url) ?? [];
    const found = await service.auth.door(secret);
    const store = found && service.store.forOrg(found.org.id);
    const door = store && (await store.records.get(Door, (found.token as TokenRow).id));
    if (!found || !store || door?.revoked_at !== undefined || !door) return send(req, res, NO_DOOR);
    const base = `${service.address() ?? ""}/d/${secret}`;
    const count = (change: (tally: DoorTally) => DoorTally) => tallies.count(store, door.id, change);
    const open: Open = { org: found.org.id, store, door, base, count };
    if (rest === "/_svc/reset" || rest === "/_svc/gaps" || rest.startsWith("/_svc/"))
      return send(req, res, await own(service, open, req.method, rest));
    const { quota_limit: most } = door;
    const wait = most === undefined ? undefined : await meter.take(`door/${door.id}`, 1, most);
    if (wait !== undefined) {
      await count((tally) => ({ ...tally, limited: tally.limited + 1 }));
      return send(req, res, limited(wait));
    }
    return send(req, res, await answer(service, wires, open, req, rest));
  };
}

/** What a door says of itself. */
async function own(service: Service, open: Open, method: string, path: string): Promise<HttpAnswer> {
  if (path === "/_svc/reset" && method === "POST") {
    const worlds = service.worlds.forOrg(open.org);
    return json(200, await resetDoorWorld({ store: open.store, worlds }, open.door));
  }
  if (path === "/_svc/gaps" && method === "GET") {
    const { gaps, unserved } = open.door.tally;
    return json(200, { gaps, unserved, tier: "deterministic" });
  }
  return json(404, { error: "not_found", reason: "A door has POST /_svc/reset and GET /_svc/gaps of its own." });
}

async function answer(service: Service, wires: Wires, open: Open, req: Request, path: string): Promise<HttpAnswer> {
  const world = await service.worlds.forOrg(open.org).open(open.door.world, { toCall: true });
  if (!world) return NO_DOOR;
  const { org, store } = open;
  const { bundle } = world;
  const wire = await wires.fetch(`${org}/${bundle}`, { context: { store, bundle } });
  const match = wire?.matcher.find(req.method, path || "/");
  if (!wire || !match) {
    await open.count((tally) => ({ ...tally, unserved: more(tally.unserved, methodName(req.method)) }));
    return notServed(null);
  }
  const { route } = match;
  const query = new URLSearchParams(req.url.split("?")[1] ?? "");
  const args = argumentsOf(route, match.path, query, await bodyOf(req, route, service.config.maxBodyBytes));
  const got = await world.call(route.tool, args);
  const made = httpAnswer(wire.grammar, route, args, got, open.base);
  await open.count((tally) => ({
    ...tally,
    routes: { ...tally.routes, [routeName(route)]: more(tally.routes[routeName(route)] ?? {}, String(made.status)) },
    ...(made.gap ? { gaps: more(tally.gaps, routeName(route)) } : {}),
  }));
  return made;
}

/** A body as the capture's reader would have read it: JSON and forms as values, all else as text. */
async function bodyOf(req: Request, route: HttpRoute, most: number): Promise<unknown> {
  if (route.body === "none") return undefined;
  const type = (req.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "" || /[/+]json$/.test(type)) return jsonBody(req, most);
  const parts: Uint8Array[] = [];
  for await (const part of requestBody(req, Math.min(most, 1024 * 1024)).bytes) parts.push(part);
  const text = Buffer.concat(parts).toString("utf8");
  return type === "application/x-www-form-urlencoded" ? Object.fromEntries(new URLSearchParams(text)) : text;
}

async function readWire(store: OrgStore, bundle: string): Promise<Wire | undefined> {
  const record = await store.records.get(HttpGrammarRecord, idOfValue(HttpGrammarRecord, bundle));
  const bytes = record && (await store.blobs.get(record.blob));
  if (!bytes) return undefined;
  const grammar = HttpGrammar.parse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  return { grammar, matcher: new Matcher(grammar) };
}

function more(counts: Readonly<Record<string, number>>, name: string): Record<string, number> {
  return { ...counts, [name]: (counts[name] ?? 0) + 1 };
}

/** A method's name, of those there are: what a caller makes up is not written down. */
function methodName(method: string): string {
  return /^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method) ? method : "OTHER";
}

function limited(seconds: number): HttpAnswer {
  const made = json(429, { error: "rate_limited", reason: "This door's limit is reached.", retry_after: seconds });
  return { ...made, headers: { ...made.headers, "retry-after": String(seconds) } };
}

function json(status: number, body: unknown): HttpAnswer {
  const headers = { "content-type": "application/json; charset=utf-8" };
  return { status, headers, body: JSON.stringify(body), gap: false };
}

function send(req: Request, res: Response, { status, headers, body }: HttpAnswer): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (body !== undefined) res.setHeader("content-length", Buffer.byteLength(body));
  res.writeHead(status);
  // What was sent along and not read runs off, so that the connection can be used again.
  req.resume();
  res.end(req.method === "HEAD" ? undefined : body);
}
