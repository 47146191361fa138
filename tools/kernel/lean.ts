import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { byField, orgField, orgRef } from "../../chapters/fields.ts";
import { pageInput } from "../../chapters/page.ts";
import { type AnyOperation, annotationsOf } from "./operation.ts";
import { shortForm } from "./short-forms.ts";

/** The JSON Schema of an object. */
export type JsonSchema = { readonly type: "object"; readonly [key: string]: unknown };

/** A tool as a list shows it to a model: no word that its caller does not need in order to choose and to call it. */
export interface LeanListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: Readonly<Record<string, boolean>>;
}

type Schema = { readonly [key: string]: unknown };

/** What a client assumes where a tool says nothing (the protocol's defaults). */
const DEFAULTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true } as const;
/** Bounds and closures that the service checks anyhow and names in its refusal; together they cost as much as all names. */
const CHECKED = new Set(["additionalProperties", "propertyNames", "minLength", "maxLength", "maxItems"]);
/** Fields that are the same everywhere: their names say them, and the server's instructions how a list goes on. */
const SELF_EVIDENT: readonly z.ZodType[] = [pageInput.limit, pageInput.cursor];

/**
 * The listing of an operation for a model. What the credential says is left out: who calls, and with `ownOrg` (a token of
 * one org) which org; both are still taken. The protocol's defaults and what every call checks anyhow are left out too.
 */
export function leanListing(op: AnyOperation, ownOrg: boolean): LeanListing {
  const annotations = unlikeDefaults(op);
  return {
    name: op.name,
    title: op.title,
    description: op.description,
    inputSchema: leanInput(op, ownOrg),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

function unlikeDefaults(op: AnyOperation): Record<string, boolean> {
  const { title: _title, ...hints } = annotationsOf(op);
  const unlike = Object.entries(hints).filter(
    ([name, value]) =>
      value !== DEFAULTS[name as keyof typeof DEFAULTS] &&
      // These two mean something for a tool that changes something alone.
      !(hints.readOnlyHint && (name === "destructiveHint" || name === "idempotentHint")),
  );
  return Object.fromEntries(unlike);
}

/** What was made of an operation, with and without its org: every new list of a process shows the same. */
const made = new WeakMap<AnyOperation, Map<boolean, JsonSchema>>();

/** Input schemas by name of the operation: as every credential sees them, and as one of one org does. */
export type LeanInputs = Readonly<Record<string, { readonly any: JsonSchema; readonly own: JsonSchema }>>;

/** Where a package keeps the schemas that its build made: to make them is a quarter of the work of a start. A checkout has none. */
export const BUILT_INPUTS = "tools/kernel/lean-inputs.json";
const built = new URL("./lean-inputs.json", import.meta.url);
let ofBuild: LeanInputs | undefined;

function builtInputs(): LeanInputs {
  ofBuild ??= existsSync(built) ? (JSON.parse(readFileSync(built, "utf8")) as LeanInputs) : {};
  return ofBuild;
}

/** What a build keeps, made from what the operations declare. */
export function leanInputsOf(operations: readonly AnyOperation[]): LeanInputs {
  const entries = operations.map((op) => [op.name, { any: makeLeanInput(op, false), own: makeLeanInput(op, true) }]);
  return Object.fromEntries(entries) as LeanInputs;
}

function leanInput(op: AnyOperation, ownOrg: boolean): JsonSchema {
  const known = made.get(op) ?? new Map<boolean, JsonSchema>();
  made.set(op, known);
  const schema = known.get(ownOrg) ?? builtInputs()[op.name]?.[ownOrg ? "own" : "any"] ?? makeLeanInput(op, ownOrg);
  known.set(ownOrg, schema);
  return schema;
}

function makeLeanInput(op: AnyOperation, ownOrg: boolean): JsonSchema {
  const schema = z.toJSONSchema(op.input, {
    io: "input",
    reused: "inline",
    cycles: "throw",
    override({ zodSchema, jsonSchema }) {
      const form = shortForm(zodSchema, op.name);
      if (form === undefined) return;
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
      Object.assign(jsonSchema, form);
    },
  });
  const shape = op.input.shape as Readonly<Record<string, z.ZodType>>;
  const known: readonly z.ZodType[] = ownOrg ? [orgRef.orgtag, orgField.org, byField.by] : [byField.by];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, property]) => {
    const field = shape[name];
    if (field !== undefined && known.includes(field)) return [];
    const { description, ...rest } = lean(property) as Schema;
    const kind = kindOfId(description);
    const stem = name.replace(/_id$/, "");
    const obvious =
      description === undefined ||
      (field !== undefined && SELF_EVIDENT.includes(field)) ||
      (stem.length > 2 && kind?.includes(stem));
    return [[name, obvious ? rest : { ...rest, description: kind ? `Id of the ${kind}.` : description }] as const];
  });
  const required = (schema.required as readonly string[] | undefined) ?? [];
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** What a field is the id of, where nothing else is said of it: most names say it (env_id), short ones do not (gid). */
function kindOfId(description: unknown): string | undefined {
  return typeof description === "string" ? /^The id of the ([a-z ]+)\.$/.exec(description)?.[1] : undefined;
}

/** A schema without what is checked anyhow. */
function lean(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((each) => lean(each));
  if (typeof value !== "object" || value === null) return value;
  const schema = value as Schema;
  const entries = Object.entries(schema).flatMap(([key, part]) => {
    if (isProperties) return [[key, lean(part)] as const];
    if (CHECKED.has(key) && typeof part !== "object") return [];
    if (key === "propertyNames" || (key === "additionalProperties" && isEmpty(part))) return [];
    if (key === "type" && "const" in schema) return [];
    if ((key === "maximum" || key === "minimum") && Math.abs(Number(part)) >= Number.MAX_SAFE_INTEGER) return [];
    return [[key, lean(part, key === "properties")] as const];
  });
  return nullable(Object.fromEntries(entries));
}

/** "This or null" in one word where this is of one type. */
function nullable(schema: Schema): Schema {
  const { anyOf, ...rest } = schema as { anyOf?: readonly Schema[] } & Schema;
  if (anyOf?.length !== 2) return schema;
  const [first, second] = anyOf as [Schema, Schema];
  const simple = second.type === "null" && Object.keys(second).length === 1 && typeof first.type === "string";
  return simple && !("enum" in first) ? { ...first, ...rest, type: [first.type, "null"] } : schema;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
