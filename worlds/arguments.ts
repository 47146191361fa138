import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import type { JsonObject } from "./json.ts";

/** Says what of a call's arguments does not fit; undefined when they fit. */
export type ArgumentCheck = (args: JsonObject) => string | undefined;

/** A schema's patterns run in linear time; one that RE2 does not know rules nothing out. */
function linearRegExp(source: string): RegExp {
  try {
    const compiled = RE2JS.compile(source);
    return { test: (text: string) => compiled.matcher(text).find() } as RegExp;
  } catch {
    return { test: () => true } as unknown as RegExp;
  }
}
linearRegExp.code = "";

const OPTIONS: Options = {
  strict: false,
  allErrors: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
  ownProperties: true,
  code: { regExp: linearRegExp },
};
const KEPT = 2000;
const checks = new Map<string, ArgumentCheck>();

function message(error: ErrorObject | undefined): string {
  if (!error) return "the arguments do not fit the tool's schema";
  const where = error.instancePath === "" ? "arguments" : error.instancePath.slice(1).replaceAll("/", ".");
  const extra =
    error.keyword === "additionalProperties" ? `: ${String(error.params.additionalProperty).slice(0, 60)}` : "";
  const allowed = error.keyword === "enum" ? `: ${JSON.stringify(error.params.allowedValues).slice(0, 300)}` : "";
  return `${where} ${error.message ?? "does not fit"}${extra}${allowed}`;
}

function compile(schema: Record<string, unknown>): ArgumentCheck {
  const { $schema, $id: _, ...body } = schema;
  let validate: ValidateFunction;
  try {
    const draft = typeof $schema === "string" && /draft-0[4-7]/.test($schema) ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
    validate = draft.compile(body);
  } catch {
    return () => undefined;
  }
  return (args) => (validate(args) ? undefined : message(validate.errors?.[0]));
}

/** The check of a tool's input schema, compiled once per schema text. A schema that cannot be compiled rules nothing out. */
export function argumentCheck(schema: Record<string, unknown>): ArgumentCheck {
  const text = JSON.stringify(schema);
  const known = checks.get(text);
  if (known) return known;
  const check = compile(schema);
  if (checks.size >= KEPT) checks.delete(checks.keys().next().value as string);
  checks.set(text, check);
  return check;
}

/** The arguments that a tool's input schema requires, in its order. */
export function requiredArguments({ required }: Record<string, unknown>): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}
