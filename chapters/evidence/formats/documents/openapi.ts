import type { ToolDefinition } from "../../../../worlds/bundle.ts";
import type { JsonObject } from "../../../../worlds/json.ts";
import { badRequest, unprocessable } from "../../../errors.ts";
import type { Item, ListingFormat, Reading, Sample } from "../format.ts";
import { list, object, text } from "../values.ts";
import { Inliner } from "./openapi-schemas.ts";

const METHODS = ["get", "head", "post", "put", "patch", "delete", "options", "trace"] as const;
type Method = (typeof METHODS)[number];

/** Longer descriptions are cut: they are read by models at every call. */
const MAX_DESCRIPTION = 2000;
const MAX_NAME = 64;

/** OpenAPI 3 and Swagger 2 in JSON or YAML: a tool for each operation, from its parameters, body and first success. */
export const openapi: ListingFormat = {
  name: "openapi",
  kind: "tool_listing",
  detect: (sample) =>
    isDocument(documentIn(sample)) || /^(?:openapi|swagger)\s*:\s*["']?[23]\./m.test(sample.text)
      ? { score: 0.96, why: "an OpenAPI version and paths" }
      : undefined,
  async tools(items, reading, body) {
    // Its one item was refused, for a secret in it: the refusal says so.
    if (body === "" && items.length === 0) return [];
    const document = await documentOf(items, reading, body);
    const inliner = new Inliner(document);
    const base = basePath(document);
    const tools = new Map<string, ToolDefinition>();
    for (const operation of operationsOf(document, inliner, reading)) {
      const name = nameOf(operation, tools);
      tools.set(name, toolOf(name, operation, inliner, base));
    }
    if (inliner.cut > 0) reading.lose("schema_part_too_deep", inliner.cut);
    return [...tools.values()];
  },
};

function documentIn({ items, header }: Pick<Sample, "items" | "header">): JsonObject {
  return { ...header, ...(items.length === 1 ? object(items[0]?.value) : undefined) };
}

function isDocument(value: JsonObject): boolean {
  return /^[23]\./.test(String(value.openapi ?? value.swagger ?? "")) && object(value.paths) !== undefined;
}

async function documentOf(items: readonly Item[], reading: Reading, body: string): Promise<JsonObject> {
  const given = body === "" ? documentIn({ items, header: reading.header }) : await fromYaml(body);
  if (isDocument(given)) return given;
  throw unprocessable("The document names no OpenAPI version that can be read (2 or 3), or no paths.");
}

async function fromYaml(body: string): Promise<JsonObject> {
  const { parse } = await import("yaml");
  try {
    // An alias is the same object again, and no schema is written out beyond its limit: many of them do no harm.
    return object(parse(body, { maxAliasCount: -1 })) ?? {};
  } catch {
    throw badRequest("The document is not valid YAML.");
  }
}

interface Operation {
  readonly method: Method;
  readonly path: string;
  readonly value: JsonObject;
  readonly parameters: readonly JsonObject[];
}

function* operationsOf(document: JsonObject, inliner: Inliner, reading: Reading): Generator<Operation> {
  for (const [path, given] of Object.entries(object(document.paths) ?? {})) {
    const item = inliner.targetWithSiblingKeys(given);
    for (const method of METHODS) {
      const value = object(item?.[method]);
      if (!item || !value) continue;
      const parameters = new Map<string, JsonObject>();
      for (const each of [...list(item.parameters), ...list(value.parameters)]) {
        const parameter = inliner.target(each);
        if (parameter && text(parameter.name)) parameters.set(`${parameter.in}\n${parameter.name}`, parameter);
        else reading.lose("parameter_without_a_name");
      }
      yield { method, path, value, parameters: [...parameters.values()] };
    }
  }
}

/** The operation's id as a legal tool name, else its method and path; numbered where it stands already. */
function nameOf({ value, method, path }: Operation, taken: ReadonlyMap<string, unknown>): string {
  const stem = (text(value.operationId) ?? `${method}${path.startsWith("/") ? "" : "_"}${path}`)
    .replace(/[^A-Za-z0-9_-]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, MAX_NAME);
  let name = stem === "" ? method : stem;
  for (let n = 2; taken.has(name); n++) name = `${stem.slice(0, MAX_NAME - 3)}_${n}`;
  return name;
}

function toolOf(name: string, operation: Operation, inliner: Inliner, base: string): ToolDefinition {
  const { method, value } = operation;
  const description = [text(value.summary), text(value.description)].filter((part) => part !== undefined).join("\n\n");
  const reads = method === "get" || method === "head" || method === "options";
  const output = outputOf(value, inliner);
  return {
    name,
    ...(description === "" ? {} : { description: description.slice(0, MAX_DESCRIPTION) }),
    inputSchema: inputOf(operation, inliner),
    ...(output === undefined ? {} : { outputSchema: output.schema }),
    annotations: {
      readOnlyHint: reads,
      ...(reads ? {} : { destructiveHint: method === "delete" }),
      idempotentHint: reads || method === "put" || method === "delete",
      openWorldHint: false,
    },
    http: { ...httpOf(operation, base), ...(output?.wrapped === true ? { wrapped: true } : {}) },
  };
}

/** The path that every operation's begins with: that of the first server, or of Swagger 2's `basePath`. */
function basePath(document: JsonObject): string {
  const server = text(object(list(document.servers)[0])?.url) ?? text(document.basePath) ?? "";
  // A server may be a path alone, and may hold variables in its host.
  const path = /^[a-z]+:\/\/[^/]*(\/.*)?$/i.exec(server)?.[1] ?? (server.startsWith("/") ? server : "");
  return path.replace(/[?#].*$/, "").replace(/\/+$/, "");
}

function httpOf({ method, path, value }: Operation, base: string): NonNullable<ToolDefinition["http"]> {
  const statuses = Object.keys(object(value.responses) ?? {}).filter((status) => /^[1-5]\d\d$/.test(status));
  return {
    method: method.toUpperCase(),
    path: `${base}${path.startsWith("/") ? "" : "/"}${path}`,
    statuses: statuses.map(Number),
  };
}

/** Path, query and header parameters beside the fields of the body; the body as one field where names clash or it is no object. */
function inputOf({ parameters, value }: Operation, inliner: Inliner): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const parameter of parameters) {
    const name = String(parameter.name);
    if (parameter.in === "cookie" || parameter.in === "body" || parameter.in === "formData") continue;
    const schema = inliner.schema(parameter.schema ?? contentSchema(parameter) ?? parameter, "request");
    const described = text(parameter.description);
    properties[name] = { ...schema, ...(described === undefined ? {} : { description: described.slice(0, 500) }) };
    if (parameter.required === true || parameter.in === "path") required.push(name);
  }
  const body = bodyOf(parameters, value, inliner);
  const fields = object(body?.schema.properties);
  if (body && fields && !Object.keys(fields).some((field) => Object.hasOwn(properties, field))) {
    Object.assign(properties, fields);
    if (body.required) required.push(...list(body.schema.required).map(String));
  } else if (body) {
    properties.body = body.schema;
    if (body.required) required.push("body");
  }
  return { type: "object", properties, ...(required.length > 0 ? { required: [...new Set(required)] } : {}) };
}

function bodyOf(
  parameters: readonly JsonObject[],
  value: JsonObject,
  inliner: Inliner,
): { schema: JsonObject; required: boolean } | undefined {
  const given = inliner.target(value.requestBody);
  const content = given && contentSchema(given);
  if (given && content) return { schema: inliner.schema(content, "request"), required: given.required === true };
  const whole = parameters.find((parameter) => parameter.in === "body");
  if (whole) return { schema: inliner.schema(whole.schema ?? {}, "request"), required: whole.required === true };
  const fields = parameters.filter((parameter) => parameter.in === "formData");
  if (fields.length === 0) return undefined;
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [String(field.name), inliner.schema(field, "request")])),
      required: fields.filter((field) => field.required === true).map((field) => String(field.name)),
    },
    required: true,
  };
}

/** The schema of a JSON content, else of the first kind of content that has one. */
function contentSchema(holder: JsonObject): unknown {
  const kinds = Object.entries(object(holder.content) ?? {});
  const json = kinds.find(([type]) => /[/+]json\b/i.test(type)) ?? kinds.find(([, kind]) => object(kind)?.schema);
  return object(json?.[1])?.schema;
}

/** The schema of the first success, as an object: anything else stands under `result`. */
function outputOf(value: JsonObject, inliner: Inliner): { schema: JsonObject; wrapped: boolean } | undefined {
  const responses = Object.entries(object(value.responses) ?? {})
    .filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, given] of responses) {
    const response = inliner.target(given);
    const schema = response && (contentSchema(response) ?? response.schema);
    if (schema === undefined) continue;
    const made = inliner.schema(schema, "response");
    if (Object.keys(made).length === 0) return undefined;
    if (made.type === "object") return { schema: made, wrapped: false };
    return { schema: { type: "object", properties: { result: made }, required: ["result"] }, wrapped: true };
  }
  return undefined;
}
