import type { HttpGrammar, HttpRoute } from "./grammar.ts";

/** A route that a request takes, with the values of its path as they stand there. */
export interface Match {
  readonly route: HttpRoute;
  readonly path: Readonly<Record<string, string>>;
}

interface Node {
  readonly literals: Map<string, Node>;
  param?: Node;
  readonly routes: Map<string, { readonly route: HttpRoute; readonly names: readonly string[] }>;
}

const node = (): Node => ({ literals: new Map(), routes: new Map() });

/** The segments of a path, decoded; undefined where it does not decode. An end slash means nothing. */
export function segmentsOf(path: string): string[] | undefined {
  try {
    return path
      .split("/")
      .filter((segment, index, all) => segment !== "" || (index > 0 && index < all.length - 1))
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** The name of a template's hole; undefined for a literal segment. */
export function holeOf(segment: string): string | undefined {
  return /^\{([^{}]+)\}$/.exec(segment)?.[1];
}

/** Finds the route of a request in time linear in its path, literal segments before holes. */
export class Matcher {
  readonly #root = node();

  constructor(grammar: Pick<HttpGrammar, "routes">) {
    for (const route of grammar.routes) {
      let here = this.#root;
      const names: string[] = [];
      for (const segment of segmentsOf(route.template) ?? []) {
        const hole = holeOf(segment);
        if (hole !== undefined) {
          names.push(hole);
          here.param ??= node();
          here = here.param;
        } else {
          const next = here.literals.get(segment) ?? node();
          here.literals.set(segment, next);
          here = next;
        }
      }
      if (!here.routes.has(route.method)) here.routes.set(route.method, { route, names });
    }
  }

  /** The route of a method and a path; HEAD takes that of GET. Undefined where the grammar has none. */
  find(method: string, path: string): Match | undefined {
    const segments = segmentsOf(path);
    if (!segments || segments.length > 100) return undefined;
    const verb = method === "HEAD" ? "GET" : method;
    // Which nodes a path may stand at, with the values of the holes that led there; the more literal first.
    let here: { readonly at: Node; readonly values: readonly string[] }[] = [{ at: this.#root, values: [] }];
    for (const segment of segments) {
      here = here
        .flatMap(({ at, values }) => {
          const literal = at.literals.get(segment);
          const found = literal ? [{ at: literal, values }] : [];
          return at.param && segment !== "" ? [...found, { at: at.param, values: [...values, segment] }] : found;
        })
        .slice(0, 64);
    }
    for (const { at, values } of here) {
      const found = at.routes.get(verb) ?? (method === "HEAD" ? at.routes.get("HEAD") : undefined);
      if (found)
        return { route: found.route, path: Object.fromEntries(found.names.map((name, i) => [name, values[i] ?? ""])) };
    }
    return undefined;
  }
}
