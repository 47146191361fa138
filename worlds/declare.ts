import { z } from "zod";
import { argumentCheck } from "./arguments.ts";
import { compileBehaviour } from "./behaviour/program.ts";
import { readBehaviour } from "./behaviour/read.ts";
import { Behaviour } from "./behaviour/schema.ts";
import type { Bundle, Rendering, TableModel, ToolBehaviour, ToolDefinition } from "./bundle.ts";
import { UNLISTED } from "./confidence.ts";
import type { JsonObject } from "./json.ts";

/** A behaviour in either form: its JSON, or its line. */
const Declared = z.union([z.string().min(1).max(20_000), Behaviour]);
const Name = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/);
const Description = z.string().min(1).max(2_048);

/** What a person declares of a tool surface over what was compiled of it. */
export const Declarations = z.object({
  added_tools: z
    .array(
      z.object({
        name: Name,
        description: Description,
        input_schema: z.record(z.string(), z.unknown()),
        behaviour: Declared,
      }),
    )
    .max(200)
    .optional(),
  redeclared_tools: z
    .array(z.object({ name: Name, behaviour: Declared, description: Description.optional() }))
    .max(200)
    .optional(),
  removed_tools: z.array(Name).max(500).optional(),
  description_overrides: z.record(Name, Description).optional(),
  /** Another input schema for a tool that stays, whose function takes what it took before. */
  schema_overrides: z.record(Name, z.record(z.string(), z.unknown())).optional(),
});
export type Declarations = z.infer<typeof Declarations>;

/** What is wrong with a declaration: where it stands, and, inside a behaviour's text, the word, its place and what would fit. */
export interface DeclarationIssue {
  /** A dotted path in the declarations, into a behaviour's JSON form where it has one. */
  readonly path: string;
  readonly expected: string;
  readonly word?: string;
  /** From 1, in the text that `path` names. */
  readonly line?: number;
  readonly column?: number;
}

/** How a surface differs from what was compiled; names in order. */
export interface DeclaredChanges {
  readonly tools_added: readonly string[];
  readonly tools_redeclared: readonly string[];
  readonly tools_removed: readonly string[];
  readonly descriptions_changed: readonly string[];
  readonly schemas_changed: readonly string[];
}

const PLAIN: Rendering = { form: "json", error_flag: true };

/**
 * A bundle with tools added, given another function, taken away or described anew. Every declaration is checked before
 * any is taken: a bundle comes back, or everything that is wrong. What is accepted can run; recorded answers and gaps of
 * a tool whose function is declared go. Deterministic.
 */
export function declareTools(
  bundle: Bundle,
  declared: Declarations,
): { readonly bundle: Bundle; readonly changes: DeclaredChanges } | { readonly issues: readonly DeclarationIssue[] } {
  const issues: DeclarationIssue[] = [...misnamed(bundle, declared)];
  const functions = new Map<string, ToolBehaviour>();
  const read = (name: string, given: unknown, path: string, rendering: Rendering) => {
    const found = behaviourOf(given, path, bundle, rendering);
    if ("issues" in found) issues.push(...found.issues);
    else functions.set(name, found.behaviour);
  };
  for (const [i, tool] of (declared.added_tools ?? []).entries()) {
    read(tool.name, tool.behaviour, `added_tools[${i}].behaviour`, PLAIN);
    const wrong = schemaIssue(tool.input_schema);
    if (wrong !== undefined) issues.push({ path: `added_tools[${i}].input_schema`, expected: wrong });
  }
  for (const [i, { name, behaviour }] of (declared.redeclared_tools ?? []).entries())
    read(name, behaviour, `redeclared_tools[${i}].behaviour`, renderingOf(bundle, name));
  for (const [name, schema] of Object.entries(declared.schema_overrides ?? {})) {
    const wrong = schemaIssue(schema);
    if (wrong !== undefined) issues.push({ path: `schema_overrides.${name}`, expected: wrong });
  }
  return issues.length > 0 ? { issues } : changed(bundle, declared, functions);
}

const renderingOf = (bundle: Bundle, name: string): Rendering =>
  Object.hasOwn(bundle.behaviours, name) ? (bundle.behaviours[name]?.rendering ?? PLAIN) : PLAIN;

/** Names that are taken, unknown, or declared twice. */
function* misnamed({ tools }: Bundle, declared: Declarations): Generator<DeclarationIssue> {
  const known = new Set(tools.map(({ name }) => name));
  const said = new Map<string, string>();
  const claim = function* (name: string, path: string): Generator<DeclarationIssue> {
    const other = said.get(name);
    if (other !== undefined) yield { path, word: name, expected: `a tool that ${other} does not name too` };
    else said.set(name, path);
  };
  for (const [i, { name }] of (declared.added_tools ?? []).entries()) {
    const path = `added_tools[${i}].name`;
    if (known.has(name))
      yield { path, word: name, expected: "a name that no tool has; redeclared_tools gives one another function" };
    yield* claim(name, path);
  }
  const lists = [
    ...(declared.redeclared_tools ?? []).map(({ name }, i) => [name, `redeclared_tools[${i}].name`] as const),
    ...(declared.removed_tools ?? []).map((name, i) => [name, `removed_tools[${i}]`] as const),
  ];
  for (const [name, path] of lists) {
    if (!known.has(name)) yield { path, word: name, expected: "the name of a tool of this surface" };
    yield* claim(name, path);
  }
  const removed = new Set(declared.removed_tools);
  for (const field of ["description_overrides", "schema_overrides"] as const)
    for (const name of Object.keys(declared[field] ?? {}))
      if (!known.has(name) || removed.has(name))
        yield { path: `${field}.${name}`, word: name, expected: "the name of a tool that stays" };
}

function behaviourOf(
  given: unknown,
  path: string,
  { tables }: Bundle,
  rendering: Rendering,
): { readonly behaviour: ToolBehaviour } | { readonly issues: readonly DeclarationIssue[] } {
  const model = { tables: tables.filter((table) => table.internal !== true) };
  const found = readBehaviour(given, model);
  if ("issues" in found)
    return {
      issues: found.issues.map(({ path: inner, at, word, expected }) => ({
        path: inner === "" ? path : `${path}.${inner}`,
        expected,
        ...(word === "" ? {} : { word }),
        ...(typeof given === "string" || word !== "" ? lineAndColumn(textAt(given, inner), at) : {}),
      })),
    };
  const { behaviour } = found;
  const { written } = compileBehaviour(behaviour, model);
  return {
    behaviour: {
      effect: written.size > 0 ? "write" : "read",
      behaviour,
      rendering,
      volatile: generatedColumns(behaviour, model.tables),
      support: { seen: 0, reproduced: 0 },
    },
  };
}

/** The text that an offset counts in: the line itself, or a part of the JSON form. */
function textAt(given: unknown, path: string): string {
  if (typeof given === "string") return given;
  let here: unknown = given;
  for (const [, name, index] of path.matchAll(/([A-Za-z_]\w*)|\[(\d+)\]/g))
    here = (here as Record<string, unknown> | undefined)?.[name ?? (index as string)];
  return typeof here === "string" ? here : "";
}

/** Where an offset stands in a text, lines and columns from 1. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Key columns of rows that a behaviour inserts under a drawn key. */
export function generatedColumns({ steps }: Behaviour, tables: readonly TableModel[]): string[] {
  const drawn = steps.some((step) => step.op === "let" && /\bgenerate\s*\(/.test(step.expr));
  const made = steps.filter((step) => step.op === "insert").filter(({ key }) => drawn || /\{[a-z]:\d+\}/.test(key));
  return [...new Set(made.flatMap((step) => tables.find(({ name }) => name === step.table)?.key ?? []))];
}

function schemaIssue(schema: JsonObject | Record<string, unknown>): string | undefined {
  if (schema.type !== undefined && schema.type !== "object") return "a schema of type object";
  try {
    argumentCheck(schema as JsonObject)({});
    return undefined;
  } catch {
    return "a JSON Schema that can be checked";
  }
}

function changed(
  bundle: Bundle,
  declared: Declarations,
  functions: ReadonlyMap<string, ToolBehaviour>,
): { readonly bundle: Bundle; readonly changes: DeclaredChanges } {
  const removed = new Set(declared.removed_tools);
  const described = new Map(Object.entries(declared.description_overrides ?? {}));
  for (const { name, description } of declared.redeclared_tools ?? [])
    if (description !== undefined) described.set(name, description);
  const schemas = new Map(Object.entries(declared.schema_overrides ?? {}));
  const hints = (tool: ToolDefinition): ToolDefinition => {
    const made = functions.get(tool.name);
    return made ? { ...tool, annotations: { ...tool.annotations, readOnlyHint: made.effect === "read" } } : tool;
  };
  const added = (declared.added_tools ?? []).map(
    ({ name, description, input_schema }): ToolDefinition => ({ name, description, inputSchema: input_schema }),
  );
  const tools = [...bundle.tools, ...added]
    .filter(({ name }) => !removed.has(name))
    .map(hints)
    .map((tool) => ({
      ...tool,
      ...(described.has(tool.name) ? { description: described.get(tool.name) } : {}),
      ...(schemas.has(tool.name) ? { inputSchema: schemas.get(tool.name) } : {}),
    }));
  const stays = ({ tool }: { readonly tool: string }) => !removed.has(tool) && !functions.has(tool);
  const behaviours = Object.fromEntries(
    Object.entries({ ...bundle.behaviours, ...Object.fromEntries(functions) })
      .filter(([name]) => !removed.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return {
    bundle: {
      ...bundle,
      tools: tools as ToolDefinition[],
      ...(bundle.user_tools === undefined
        ? {}
        : { user_tools: bundle.user_tools.filter(({ name }) => !tools.some((tool) => tool.name === name)) }),
      behaviours,
      ...(bundle.effects === undefined ? {} : { effects: effectsOf(bundle.effects, removed, functions) }),
      ...(bundle.trust === undefined || removed.size === 0 ? {} : { trust: refusingUnlisted(bundle.trust) }),
      exceptions: bundle.exceptions.filter(stays),
      gaps: bundle.gaps.filter(stays),
    },
    changes: {
      tools_added: added.map(({ name }) => name).sort(),
      tools_redeclared: (declared.redeclared_tools ?? []).map(({ name }) => name).sort(),
      tools_removed: [...removed].sort(),
      descriptions_changed: [...described.keys()].sort(),
      schemas_changed: [...schemas.keys()].sort(),
    },
  };
}

/** Estimates under which a tool that the listing lacks is refused: a person said that there are such. */
function refusingUnlisted(trust: NonNullable<Bundle["trust"]>): Bundle["trust"] {
  const without = ({ [UNLISTED]: _, ...rest }: Record<string, number>) => rest;
  return { ...trust, known: without(trust.known), unknown: without(trust.unknown) };
}

/** What is known of the tools' effects with what was declared over it. */
function effectsOf(
  known: NonNullable<Bundle["effects"]>,
  removed: ReadonlySet<string>,
  functions: ReadonlyMap<string, ToolBehaviour>,
): Bundle["effects"] {
  const declared = [...functions].map(([tool, { effect }]) => {
    return [tool, { effect: effect === "read" ? "none" : "changes", by: "declared", n: 0 }] as const;
  });
  return Object.fromEntries(
    [...Object.entries(known), ...declared].filter(([tool]) => !removed.has(tool)).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
