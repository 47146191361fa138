import { isObject, type Json } from "../json.ts";
import type { ObservedCall, ObservedTrace } from "../observation.ts";
import type { HttpGrammar, HttpRoute } from "./grammar.ts";
import { valuesOf } from "./parameters.ts";

/** How many values of one answer are looked at. */
const LOOKED_AT = 2_000;

/**
 * Captures cut into sessions that have no object in common, calls in their order: what holds of one object is then seen
 * in many sessions, and can be tried on others that it was not learnt from. Objects are what paths name.
 */
export function partsOf(traces: readonly ObservedTrace[], { routes }: HttpGrammar): ObservedTrace[] {
  const kinds = new Map(routes.map((route) => [route.tool, kindOf(route, routes)]));
  return traces.flatMap((trace) => {
    const named = trace.calls.map((call) => namedBy(call, kinds.get(call.tool)));
    const known = new Set(named.flat());
    const parts = new Parts();
    trace.calls.forEach((call, at) => {
      const shown = shownBy(call, kinds.get(call.tool)).filter((name) => known.has(name));
      for (const name of [...(named[at] as string[]), ...shown]) parts.join(placeOf(at), name);
    });
    const calls = Map.groupBy(trace.calls.entries(), ([at]) => parts.of(placeOf(at)));
    return [...calls.values()].map((part, n) => ({
      ...trace,
      id: `${trace.id}.${n}`,
      calls: part.map(([, call]) => call),
    }));
  });
}

/** What names objects in a route's calls and in its answers. */
interface Kind {
  /** Holes of its path, each with the argument that has its value. */
  readonly holes: readonly (readonly [hole: string, argument: string])[];
  /** The hole that names what its answers show, and members that may hold that name. */
  readonly shows: { readonly hole: string; readonly members: readonly string[] } | undefined;
}

function kindOf({ template, aliases }: HttpRoute, routes: readonly HttpRoute[]): Kind {
  const ends = routes.flatMap((route) => {
    const hole = lastHole(route);
    const end = `/{${hole}}`;
    if (hole === undefined || !route.template.endsWith(end)) return [];
    return [{ hole, of: route.template.slice(0, -end.length), member: route.aliases[hole] ?? "id" }];
  });
  const own = ends.find(({ of, hole }) => template === of || template === `${of}/{${hole}}`);
  return {
    holes: Object.keys(valuesOf(template, template)).map((hole) => [hole, aliases[hole] ?? hole]),
    shows: own && { hole: own.hole, members: [own.member, own.hole] },
  };
}

const lastHole = ({ template }: HttpRoute): string | undefined => Object.keys(valuesOf(template, template)).at(-1);

const nameOf = (hole: string, value: Json): string => `${hole} ${JSON.stringify(value)}`;

const placeOf = (at: number): string => `call ${at}`;

/** The objects that a call's path names. */
const namedBy = ({ args }: ObservedCall, kind: Kind | undefined): string[] =>
  (kind?.holes ?? []).map(([hole, argument]) => nameOf(hole, args[argument] ?? null));

/** What an answer shows, under the names that paths would have for it. */
function shownBy({ result, isError }: ObservedCall, kind: Kind | undefined): string[] {
  const shows = kind?.shows;
  if (isError || !shows) return [];
  const found: string[] = [];
  const open: Json[] = [result];
  for (let n = 0; open.length > 0 && n < LOOKED_AT; n++) {
    const here = open.pop() as Json;
    if (Array.isArray(here)) open.push(...here);
    else if (isObject(here)) {
      for (const member of shows.members)
        if (Object.hasOwn(here, member)) found.push(nameOf(shows.hole, here[member] as Json));
      open.push(...Object.values(here));
    }
  }
  return found;
}

/** What belongs together, by what was joined. */
class Parts {
  readonly #above = new Map<string, string>();

  of(one: string): string {
    let top = one;
    for (let above = this.#above.get(top); above !== undefined; above = this.#above.get(top)) top = above;
    if (top !== one) this.#above.set(one, top);
    return top;
  }

  join(one: string, other: string): void {
    const [a, b] = [this.of(one), this.of(other)];
    if (a !== b) this.#above.set(b, a);
  }
}
