import { isObject, type Json } from "../json.ts";
import type { ObservedCall, ObservedTrace } from "../observation.ts";
import type { HttpGrammar } from "./grammar.ts";
import { valuesOf } from "./parameters.ts";

/** How many values of one answer are looked at. */
const LOOKED_AT = 2_000;

/**
 * Captures cut into sessions that have no object in common, calls in their order: what holds of one object is then seen
 * in many sessions, and can be tried on others that it was not learnt from. Objects are what paths name.
 */
export function partsOf(traces: readonly ObservedTrace[], grammar: HttpGrammar): ObservedTrace[] {
  const namedBy = new Map(
    grammar.routes.map(({ tool, template, aliases }) => [
      tool,
      Object.keys(valuesOf(template, template)).map((hole) => aliases[hole] ?? hole),
    ]),
  );
  return traces.flatMap((trace) => {
    const named = trace.calls.map(({ tool, args }) =>
      (namedBy.get(tool) ?? []).map((member) => nameOf(member, args[member] ?? null)),
    );
    const names = new Set(named.flat());
    const members = new Set([...namedBy.values()].flat());
    const parts = new Parts();
    const places = trace.calls.map((call, at) => {
      const place = `call ${at}`;
      for (const name of [...(named[at] as string[]), ...shown(call, members, names)]) parts.join(place, name);
      return place;
    });
    const groups = new Map<string, ObservedCall[]>();
    trace.calls.forEach((call, at) => {
      const part = parts.of(places[at] as string);
      const calls = groups.get(part);
      if (calls) calls.push(call);
      else groups.set(part, [call]);
    });
    return [...groups.values()].map((calls, n) => ({ ...trace, id: `${trace.id}.${n}`, calls }));
  });
}

const nameOf = (member: string, value: Json): string => `${member} ${JSON.stringify(value)}`;

/** The objects of an answer that paths name somewhere. */
function shown({ result, isError }: ObservedCall, members: ReadonlySet<string>, names: ReadonlySet<string>): string[] {
  if (isError) return [];
  const found: string[] = [];
  const open: Json[] = [result];
  for (let n = 0; open.length > 0 && n < LOOKED_AT; n++) {
    const here = open.pop() as Json;
    if (Array.isArray(here)) open.push(...here);
    else if (isObject(here))
      for (const [member, value] of Object.entries(here)) {
        if (members.has(member) && names.has(nameOf(member, value))) found.push(nameOf(member, value));
        open.push(value);
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
