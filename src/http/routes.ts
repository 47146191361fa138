import type { RegisteredOperation, Registry } from "../../tools/kernel/registry.ts";

/** What a method and a path lead to: an operation with its path parameters, or the methods the path does take. */
export type Match =
  | { readonly operation: RegisteredOperation; readonly params: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] };

interface Node {
  readonly literals: Map<string, Node>;
  readonly params: Map<string, Node>;
  /** Takes the whole rest of the path, slashes included. */
  readonly wildcards: Map<string, Node>;
  readonly operations: Map<string, RegisteredOperation>;
}

/** The registry's routes as a tree over path segments. Literal segments win over parameters, parameters over rests. */
export class Routes {
  readonly #root = node();

  /** Throws when two operations have one route; of `shared` routes (one body field tells them apart) the first answers. */
  constructor(registry: Registry) {
    for (const registered of registry.operations) this.#add(registered);
  }

  #add(registered: RegisteredOperation): void {
    const { method, segments } = parseRoute(registered.op.route);
    let at = this.#root;
    for (const segment of segments) at = child(at, segment);
    if (!at.operations.has(method)) at.operations.set(method, registered);
  }

  /** Undefined when no route has this path. A path that does not decode as UTF-8 leads nowhere. */
  match(method: string, path: string): Match | undefined {
    const segments = decodeSegments(path);
    if (!segments) return undefined;
    const allowed = new Set<string>();
    const found = walk(this.#root, segments, 0, {}, (end, params) => {
      const operation = end.operations.get(method);
      if (operation) return { operation, params };
      for (const known of end.operations.keys()) allowed.add(known);
      return undefined;
    });
    if (found) return found;
    return allowed.size > 0 ? { allowed: [...allowed].sort() } : undefined;
  }
}

/** The parts of `METHOD /v0/…`. */
export function parseRoute(route: string): { method: string; segments: string[] } {
  const [method = "", path = ""] = route.split(" ");
  return { method, segments: path.split("/").slice(1) };
}

/** A route's path with its parameters filled in; each is encoded, a `:path` parameter segment by segment. */
export function fillRoute(route: string, args: Readonly<Record<string, unknown>>): string {
  const [, path = ""] = route.split(" ");
  return path.replaceAll(/\{(\w+)(:path)?\}/g, (_, name: string, rest?: string) => {
    const value = String(args[name] ?? "");
    return rest ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
  });
}

/** The names of a route's path parameters. */
export function routeParams(route: string): string[] {
  return [...route.matchAll(/\{(\w+)(?::path)?\}/g)].map((match) => match[1] ?? "");
}

function node(): Node {
  return { literals: new Map(), params: new Map(), wildcards: new Map(), operations: new Map() };
}

function child(at: Node, segment: string): Node {
  const param = /^\{(\w+)(:path)?\}$/.exec(segment);
  const [kind, name] = param ? [param[2] ? at.wildcards : at.params, param[1] ?? ""] : [at.literals, segment];
  const next = kind.get(name) ?? node();
  kind.set(name, next);
  return next;
}

function walk<T>(
  at: Node,
  segments: readonly string[],
  from: number,
  params: Readonly<Record<string, string>>,
  end: (at: Node, params: Readonly<Record<string, string>>) => T | undefined,
): T | undefined {
  const segment = segments[from];
  if (segment === undefined) return end(at, params);
  const literal = at.literals.get(segment);
  const found = literal && walk(literal, segments, from + 1, params, end);
  if (found || segment === "") return found;
  for (const [name, next] of at.params) {
    const deeper = walk(next, segments, from + 1, { ...params, [name]: segment }, end);
    if (deeper) return deeper;
  }
  for (const [name, next] of at.wildcards) {
    for (let to = segments.length; to > from; to--) {
      const deeper = walk(next, segments, to, { ...params, [name]: segments.slice(from, to).join("/") }, end);
      if (deeper) return deeper;
    }
  }
  return undefined;
}

function decodeSegments(path: string): string[] | undefined {
  try {
    return path.split("/").slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
