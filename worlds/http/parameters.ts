import type { ToolDefinition } from "../bundle.ts";
import { isObject, type JsonObject } from "../json.ts";
import { isInteger } from "./arguments.ts";
import type { HttpExchange, ParamType } from "./grammar.ts";
import { holeOf, segmentsOf } from "./match.ts";

/** Exchanges of one template, and what a document says of it. */
export interface Observed {
  readonly template: string;
  readonly seen: readonly { readonly http: HttpExchange; readonly url: URL }[];
  readonly declared: { readonly tool: ToolDefinition } | undefined;
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,10})?$/;
/** How many values of one answer are looked at. */
const LEAVES = 2_000;

/** What stands in the holes of a template in a path. */
export function valuesOf(template: string, path: string): Record<string, string> {
  const segments = segmentsOf(path) ?? [];
  return Object.fromEntries(
    (segmentsOf(template) ?? []).flatMap((part, index) => {
      const hole = holeOf(part);
      return hole === undefined ? [] : [[hole, segments[index] ?? ""] as const];
    }),
  );
}

/** The properties of a tool's input. */
export function propertiesOf(tool: ToolDefinition | undefined): JsonObject {
  const properties = tool?.inputSchema.properties;
  return isObject(properties) ? properties : {};
}

/** How values of paths and queries are read: numbers only where answers hold them as numbers, or a document says so. */
export function paramTypes(kept: readonly Observed[]): ReadonlyMap<string, ParamType> {
  const texts = new Map<string, Set<string>>();
  const add = (name: string, value: string) => texts.set(name, (texts.get(name) ?? new Set()).add(value));
  const asText = new Set<string>();
  const asNumber = new Set<string>();
  for (const { template, seen } of kept)
    for (const { url, http } of seen) {
      for (const [name, value] of Object.entries(valuesOf(template, url.pathname))) add(name, value);
      for (const [name, value] of url.searchParams) add(name, value);
      for (const leaf of leaves(http.response.body)) {
        if (typeof leaf === "string") asText.add(leaf);
        else if (typeof leaf === "number") asNumber.add(String(leaf));
      }
    }
  const out = new Map<string, ParamType>();
  for (const [name, values] of texts) {
    const list = [...values];
    if (list.every((value) => value === "true" || value === "false")) out.set(name, "boolean");
    else if (list.every(isInteger)) {
      const text = list.filter((value) => asText.has(value)).length;
      const number = list.filter((value) => asNumber.has(value)).length;
      out.set(name, text > number ? "string" : "integer");
    } else if (list.every((value) => NUMBER.test(value))) out.set(name, "number");
  }
  for (const { declared } of kept)
    for (const [name, schema] of Object.entries(propertiesOf(declared?.tool))) {
      const type = isObject(schema) ? schema.type : undefined;
      if (type === "integer" || type === "number" || type === "boolean" || type === "string") out.set(name, type);
    }
  return out;
}

function* leaves(value: unknown): Generator<unknown> {
  const stack = [value];
  for (let n = 0; stack.length > 0 && n < LEAVES; n++) {
    const here = stack.pop();
    if (Array.isArray(here)) stack.push(...here);
    else if (isObject(here)) stack.push(...Object.values(here));
    else yield here;
  }
}

/**
 * What the last hole of each template is called among arguments, where every answer that is one object holds its value
 * in the same member: a row is then read by its own key. Methods of one template share it.
 */
export function aliasesOf(kept: readonly Observed[]): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const bodies = new Map<string, { readonly value: string; readonly body: JsonObject }[]>();
  const lastOf = (template: string) => Object.keys(valuesOf(template, template)).at(-1);
  for (const { template, seen } of kept) {
    const hole = lastOf(template);
    if (hole === undefined) continue;
    for (const { http, url } of seen) {
      const body = bare(http.response.body);
      if (http.status >= 400 || !body) continue;
      const value = valuesOf(template, url.pathname)[hole] ?? "";
      bodies.set(template, [...(bodies.get(template) ?? []), { value, body }]);
    }
  }
  const out = new Map<string, Record<string, string>>();
  for (const [template, all] of bodies) {
    const hole = lastOf(template) as string;
    const members = Object.keys(all[0]?.body ?? {}).filter((name) =>
      all.every(
        ({ value, body }) =>
          (typeof body[name] === "string" || typeof body[name] === "number") && String(body[name]) === value,
      ),
    );
    const name = members.includes(hole) ? hole : members.includes("id") ? "id" : members[0];
    const taken = Object.keys(valuesOf(template, template));
    if (name !== undefined && !taken.includes(name)) out.set(template, { [hole]: name });
  }
  return out;
}

/** The one object of an answer, out of the wrapper that holds nothing else. */
function bare(body: unknown): JsonObject | undefined {
  if (!isObject(body)) return undefined;
  const values = Object.values(body);
  return values.length === 1 && isObject(values[0]) ? values[0] : body;
}
