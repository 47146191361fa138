import type { ToolDefinition } from "../bundle.ts";
import { byText, mostCommon, unusedName } from "../compile/values.ts";
import { canonicalJson } from "../digest.ts";
import { isObject, type Json, type JsonObject } from "../json.ts";
import type { ObservedCall, ObservedTrace } from "../observation.ts";
import { argumentsOf } from "./arguments.ts";
import { errorSignature } from "./errors.ts";
import type { HttpExchange, HttpGrammar, HttpRoute, ParamType } from "./grammar.ts";
import { Matcher } from "./match.ts";
import { aliasesOf, paramTypes, propertiesOf, valuesOf } from "./parameters.ts";
import { templatesOf } from "./templates.ts";

/** One capture: its exchanges are one session of the API. */
export interface Capture {
  readonly id: string;
  readonly exchanges: readonly HttpExchange[];
}

/** An operation as a document declares it. */
export interface DeclaredRoute {
  readonly method: string;
  readonly template: string;
  readonly tool: ToolDefinition;
  /** Statuses it may answer. */
  readonly statuses: readonly number[];
}

/** What the evidence was made of, in numbers. */
export interface Census {
  readonly captures: number;
  readonly exchanges: number;
  /** Exchanges of other hosts than the API's own, left out. */
  readonly other_hosts: number;
  readonly routes_observed: number;
  readonly routes_declared: number;
  /** Exchanges by status. */
  readonly statuses: Readonly<Record<string, number>>;
}

/** An API as its evidence shows it: routes, and calls of tools that the world compiler reads. */
export interface ObservedApi {
  readonly grammar: HttpGrammar;
  readonly tools: readonly ToolDefinition[];
  readonly traces: readonly ObservedTrace[];
  readonly census: Census;
}

interface Seen {
  readonly http: HttpExchange;
  readonly url: URL;
  readonly capture: string;
}

interface Kept {
  readonly method: string;
  readonly template: string;
  readonly seen: Seen[];
  readonly declared: DeclaredRoute | undefined;
}

/** Headers that say something of the API and hold for every answer of a route. */
const KEPT_HEADER =
  /^(?:content-language|cache-control|vary|x-(?!powered|request|trace|amz|served|cache|timer|runtime|ratelimit|rate-limit|correlation)[\w-]*|api-version|deprecation|link|location)$/;
const PAGING_HEADER =
  /^(?:link|location|x-(?:total|total-count|total-pages|page|per-page|next-page|prev-page|next-cursor|has-more)|content-range)$/;

/**
 * Reads captures and declared operations as one API. `templates` (`GET /orders/{id}`, or the path alone) stand before
 * what is declared, and that before what is learned. The same evidence gives the same routes and names.
 */
export function observeApi(
  captures: readonly Capture[],
  declared: readonly DeclaredRoute[],
  templates: readonly string[] = [],
): ObservedApi {
  const all = captures.flatMap(({ id, exchanges }) =>
    exchanges.flatMap((http): Seen[] => {
      if (!URL.canParse(http.url) || !/^[A-Z]{3,10}$/.test(http.method) || http.status < 200) return [];
      return [{ http, url: new URL(http.url), capture: id }];
    }),
  );
  const host = mostCommon(all.map(({ url }) => url.host));
  const own = all.filter(({ url, http: exchange }) => url.host === host && exchange.method !== "OPTIONS");
  const given = [
    ...templates.map((each) => each.replace(/^[A-Z]+ +/, "")),
    ...declared.map(({ template }) => template),
  ];
  const learned = templatesOf(
    own.map(({ http: exchange, url }) => ({ method: exchange.method, path: url.pathname })),
    given,
  );
  const kept = new Map<string, Kept>();
  for (const each of declared) kept.set(`${each.method} ${each.template}`, { ...each, seen: [], declared: each });
  own.forEach((seen, index) => {
    const template = learned[index] as string;
    const key = `${seen.http.method} ${template}`;
    const known = kept.get(key) ?? { method: seen.http.method, template, seen: [], declared: undefined };
    known.seen.push(seen);
    kept.set(key, known);
  });
  const types = paramTypes([...kept.values()]);
  const aliases = aliasesOf([...kept.values()]);
  const names = new Set<string>();
  const ordered = [...kept.values()].sort((a, b) => byText(a.template, b.template) || byText(a.method, b.method));
  const routes = ordered.map((each) => routeOf(each, types, aliases.get(each.template) ?? {}, nameOf(each, names)));
  const grammar: HttpGrammar = {
    v: 1,
    origins: [...new Set(own.map(({ url }) => url.origin))].sort(),
    routes,
    recorded: {},
  };
  const traces = tracesOf(own, grammar, captures);
  const tools = ordered.map((each, index) => toolOf(each, routes[index] as HttpRoute, traces));
  const statuses: Record<string, number> = {};
  for (const { http: exchange } of own) statuses[exchange.status] = (statuses[exchange.status] ?? 0) + 1;
  return {
    grammar,
    tools,
    traces,
    census: {
      captures: captures.length,
      exchanges: own.length,
      other_hosts: all.length - own.length,
      routes_observed: ordered.filter(({ seen }) => seen.length > 0).length,
      routes_declared: declared.length,
      statuses,
    },
  };
}

/** A legal tool name: the declared one's, else method and path; numbered where it stands already. */
function nameOf({ method, template, declared }: Kept, taken: Set<string>): string {
  const stem =
    declared?.tool.name ??
    `${method.toLowerCase()}_${template.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_+|_+$/g, "")}`.slice(0, 60);
  const name = unusedName(stem, taken);
  taken.add(name);
  return name;
}

function routeOf(
  kept: Kept,
  types: ReadonlyMap<string, ParamType>,
  aliases: HttpRoute["aliases"],
  tool: string,
): HttpRoute {
  const { method, template, seen, declared } = kept;
  const good = seen.filter(({ http }) => http.status < 400);
  const holes = Object.keys(valuesOf(template, template));
  const query = new Set(seen.flatMap(({ url }) => [...url.searchParams.keys()]));
  const declares = propertiesOf(declared?.tool);
  const clash = seen.some(({ http: exchange, url }) => {
    const { body } = exchange.request;
    if (body === undefined) return false;
    const path = valuesOf(template, url.pathname);
    return (
      !isObject(body) ||
      Object.keys(body).some((key) => {
        const hole = holes.find((each) => (aliases[each] ?? each) === key);
        return query.has(key) || (hole !== undefined && String(body[key]) !== path[hole]);
      })
    );
  });
  const named = [...new Set([...holes, ...query, ...Object.keys(declares)])];
  const params = named.flatMap((name): [string, ParamType][] => {
    const type = types.get(name);
    return type === undefined || type === "string" ? [] : [[name, type]];
  });
  const declaredStatuses = declared?.statuses ?? [];
  const success =
    mostCommon(good.map(({ http: exchange }) => exchange.status)) ??
    [...declaredStatuses].sort((a, b) => a - b).find((status) => status < 300) ??
    200;
  const errors: Record<string, number> = {};
  for (const { http: exchange } of seen)
    if (exchange.status >= 400) errors[errorSignature(exchange.response.body)] ??= exchange.status;
  return {
    tool,
    method,
    template,
    params: Object.fromEntries(params),
    aliases,
    body: method === "GET" || method === "HEAD" ? "none" : clash || declares.body !== undefined ? "whole" : "members",
    success,
    empty: good.length > 0 ? good.every(({ http: exchange }) => exchange.response.body === undefined) : success === 204,
    type: mostCommon(good.flatMap(({ http: exchange }) => exchange.response.type ?? [])) ?? "application/json",
    wrapped: good.length === 0 && declared?.tool.http?.wrapped === true,
    headers: constantHeaders(good),
    statuses: [...new Set([...seen.map(({ http: exchange }) => exchange.status), ...declaredStatuses])].sort(
      (a, b) => a - b,
    ),
    errors,
    seen: seen.length,
  };
}

function constantHeaders(good: readonly Seen[]): Record<string, string> {
  const [first] = good;
  if (!first) return {};
  return Object.fromEntries(
    Object.entries(first.http.response.headers).filter(
      ([name, value]) =>
        KEPT_HEADER.test(name) &&
        !PAGING_HEADER.test(name) &&
        good.every(({ http }) => http.response.headers[name] === value),
    ),
  );
}

/** Exchanges as calls, one session per capture in order; recorded data beside the body goes to `grammar.recorded`. */
function tracesOf(own: readonly Seen[], grammar: HttpGrammar, captures: readonly Capture[]): ObservedTrace[] {
  const matcher = new Matcher(grammar);
  return captures.flatMap(({ id }): ObservedTrace[] => {
    const seen = own
      .filter(({ capture }) => capture === id)
      .sort((a, b) => (a.http.started_at ?? 0) - (b.http.started_at ?? 0));
    const calls = seen.flatMap(({ http, url }): ObservedCall[] => {
      const match = matcher.find(http.method, url.pathname);
      if (!match) return [];
      const { route } = match;
      const args = argumentsOf(route, match.path, url.searchParams, http.request.body);
      noteRecorded(grammar, route, args, http);
      const result = http.response.body === undefined ? "" : (http.response.body as Json);
      return [{ tool: route.tool, args, result, isError: http.status >= 400 }];
    });
    const startedAt = seen[0]?.http.started_at;
    return calls.length === 0 ? [] : [{ id, ...(startedAt === undefined ? {} : { startedAt }), calls }];
  });
}

function noteRecorded(
  grammar: HttpGrammar,
  route: HttpRoute,
  args: JsonObject,
  { status, response }: HttpExchange,
): void {
  const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => PAGING_HEADER.test(name)));
  if (status === route.success && Object.keys(headers).length === 0) return;
  grammar.recorded[route.tool] ??= {};
  (grammar.recorded[route.tool] as Record<string, unknown>)[canonicalJson(args)] = { status, headers };
}

function toolOf(kept: Kept, route: HttpRoute, traces: readonly ObservedTrace[]): ToolDefinition {
  const { method, template, declared } = kept;
  const reads = method === "GET" || method === "HEAD";
  if (declared) return { ...declared.tool, name: route.tool, inputSchema: renamed(declared.tool.inputSchema, route) };
  const types = new Map<string, Set<string>>();
  for (const { calls } of traces)
    for (const call of calls)
      if (call.tool === route.tool && !call.isError)
        for (const [name, value] of Object.entries(call.args))
          types.set(name, (types.get(name) ?? new Set()).add(typeOf(value)));
  const holes = Object.keys(valuesOf(template, template));
  const needed = holes.map((hole) => route.aliases[hole] ?? hole);
  for (const [index, name] of needed.entries())
    if (!types.has(name)) types.set(name, new Set([route.params[holes[index] as string] ?? "string"]));
  const properties = [...types]
    .sort(([a], [b]) => byText(a, b))
    .map(([name, found]) => {
      const list = [...found].filter((type) => type !== "integer" || !found.has("number")).sort();
      return [name, { type: list.length === 1 ? list[0] : list }] as const;
    });
  return {
    name: route.tool,
    description: `${method} ${template}`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(needed.length > 0 ? { required: needed } : {}),
    },
    annotations: {
      readOnlyHint: reads,
      ...(reads ? {} : { destructiveHint: method === "DELETE" }),
      openWorldHint: false,
    },
  };
}

/** A declared input with its holes called as its arguments are. */
function renamed(schema: ToolDefinition["inputSchema"], { aliases }: HttpRoute): ToolDefinition["inputSchema"] {
  const name = (given: string) => aliases[given] ?? given;
  const { properties, required } = schema;
  return {
    ...schema,
    ...(isObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [name(key), value])) }
      : {}),
    ...(Array.isArray(required) ? { required: required.map((key) => name(String(key))) } : {}),
  };
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}
