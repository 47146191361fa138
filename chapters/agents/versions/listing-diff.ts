import type { ToolDefinition } from "../../../worlds/bundle.ts";
import type { Declarations } from "../../../worlds/declare.ts";
import { digestOf } from "../../../worlds/digest.ts";
import type { Doc } from "../../record.ts";
import type { SurfaceVersion } from "../../records/agents/agents.ts";

/** How one tool listing differs from another; names in order. */
export type ListingDiff = NonNullable<Doc<typeof SurfaceVersion>["diff"]>;

/** What a listing changes of another, by the names of its tools. */
export function listingDiff(fork: readonly ToolDefinition[], head: readonly ToolDefinition[]): ListingDiff {
  const was = byName(fork);
  const is = byName(head);
  const both = [...is.keys()].filter((name) => was.has(name)).sort();
  const differ = (name: string, of: (tool: ToolDefinition) => unknown) =>
    digestOf(of(was.get(name) as ToolDefinition)) !== digestOf(of(is.get(name) as ToolDefinition));
  const changed = both.filter((name) => differ(name, ({ inputSchema }) => parametersOf(inputSchema)));
  const words = ({ description, inputSchema }: ToolDefinition) => [description ?? null, inputSchema];
  return {
    added: [...is.keys()].filter((name) => !was.has(name)).sort(),
    removed: [...was.keys()].filter((name) => !is.has(name)).sort(),
    described: both.filter((name) => !changed.includes(name) && differ(name, words)),
    changed,
  };
}

/** What is declared over a surface's tools, and the tools for which a behaviour is missing. */
export interface DiffDeclared {
  readonly declared: Declarations;
  /** Added tools, and tools that take other parameters, for which no behaviour was given. */
  readonly needs: readonly string[];
  /** Tools that a behaviour was given for and the listing does not have. */
  readonly unknown: readonly string[];
}

/**
 * A difference as declarations over the tools that a surface serves. What a tool does with parameters that were never
 * observed nobody knows: like an added tool it needs a behaviour. Words alone change words alone.
 */
export function declarationsOf(
  diff: ListingDiff,
  head: readonly ToolDefinition[],
  served: ReadonlySet<string>,
  behaviours: Readonly<Record<string, string>>,
): DiffDeclared {
  const is = byName(head);
  const given = (name: string) => (Object.hasOwn(behaviours, name) ? behaviours[name] : undefined);
  const fresh = diff.added.filter((name) => !served.has(name));
  const functional = [...new Set([...diff.changed, ...diff.added.filter((name) => served.has(name))])];
  const needs = [
    ...fresh.filter((name) => given(name) === undefined),
    ...diff.changed.filter((name) => served.has(name) && given(name) === undefined),
  ].sort();
  const redeclared = Object.keys(behaviours).filter(
    (name) => served.has(name) && is.has(name) && !fresh.includes(name),
  );
  const described = [...diff.described, ...functional, ...redeclared].filter((name) => served.has(name));
  const declared: Declarations = {
    added_tools: fresh.flatMap((name) => {
      const tool = is.get(name) as ToolDefinition;
      const behaviour = given(name);
      return behaviour === undefined
        ? []
        : [{ name, description: tool.description ?? name, input_schema: tool.inputSchema, behaviour }];
    }),
    redeclared_tools: redeclared.sort().map((name) => ({ name, behaviour: given(name) ?? "" })),
    removed_tools: diff.removed.filter((name) => served.has(name)),
    description_overrides: Object.fromEntries(
      [...new Set(described)].sort().flatMap((name) => {
        const { description } = is.get(name) as ToolDefinition;
        return description === undefined ? [] : [[name, description.slice(0, 2_048)]];
      }),
    ),
    schema_overrides: Object.fromEntries(
      [...new Set(described)].sort().map((name) => [name, (is.get(name) as ToolDefinition).inputSchema]),
    ),
  };
  return { declared, needs, unknown: Object.keys(behaviours).filter((name) => !is.has(name)) };
}

function byName(tools: readonly ToolDefinition[]): Map<string, ToolDefinition> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** A schema without its words: what it takes, whatever it says of it. */
function parametersOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(parametersOf);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !(WORDS.has(key) && typeof value !== "object"))
      .map(([key, value]) => [
        key,
        key === "required" && Array.isArray(value) ? [...value].sort() : parametersOf(value),
      ]),
  );
}

const WORDS = new Set(["description", "title", "$comment", "$schema", "$id"]);
