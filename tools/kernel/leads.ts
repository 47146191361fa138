import { z } from "zod";
import { AppError } from "../../chapters/errors.ts";
import type { InputGuide } from "../../chapters/invalid-input.ts";
import type { AnyOperation } from "./operation.ts";
import { didYouMean } from "./suggest.ts";

/** Which tool tells the things of a kind, by the words that refusals have for it. */
const LISTED_BY: Readonly<Record<string, string>> = {
  agent: "agents_list",
  "agent environment value": "agent_env_list",
  "agent version": "agents_get",
  bundle: "bundles_list",
  "calibration set": "calibration_list",
  check: "environment_task_checks",
  connector: "connectors_get",
  dimension: "dimensions_get",
  "dimension value": "dimensions_get",
  "dimensions axis": "dimensions_get",
  door: "sandbox_door_get",
  environment: "surfaces_list",
  evidence: "evidence_list",
  "facet space": "facets_list",
  "failure mode": "failure_modes",
  "feedback note": "failure_mode_proposals",
  "grading of this group": "run_group_regrades",
  "held set": "run_groups_list",
  "installation of the app": "vcs_installation_get",
  job: "jobs_list",
  "kind of member": "mirror_get",
  "kind of record": "org_records",
  member: "members_list",
  node: "ontology_get",
  org: "orgs_list",
  page: "evidence_list",
  "parent value": "dimensions_get",
  "parked report": "failure_mode_proposals",
  persona: "dimensions_personas_get",
  pin: "evidence_extraction_get",
  proposal: "failure_mode_proposals_list",
  "provider comparison": "comparisons_list",
  record: "org_records",
  report: "reports_list",
  revision: "environment_revisions",
  run: "runs_list",
  "run group": "run_groups_list",
  sandbox: "sandboxes_list",
  schedule: "schedules_list",
  "served repository": "served_repo_list",
  source: "sources_list",
  statement: "statements_list",
  surface: "surfaces_list",
  "surface version": "bundles_list",
  table: "sandbox_get",
  task: "environment_tasks",
  thread: "root_get",
  token: "org_tokens_list",
  "tool listing": "evidence_list",
  trace: "evidence_match",
  "trace of this evidence": "evidence_match",
  trial: "run_trace",
  "use case": "dimensions_get",
  "use case of this persona": "dimensions_personas_get",
  world: "worlds_list",
  worldplan: "worldplans_list",
};

/** Kinds whose word means another thing in some operations. */
const LISTED_ELSEWHERE: readonly { readonly what: string; readonly of: RegExp; readonly by: string }[] = [
  { what: "proposal", of: /^after_ingest/, by: "after_ingest_get" },
  { what: "token", of: /^world_/, by: "connections" },
  { what: "pin", of: /^ontology/, by: "ontology_pins" },
  { what: "revision", of: /^ontology/, by: "org_changes_get" },
  { what: "door", of: /^apidoor/, by: "apidoor_get" },
  { what: "table", of: /^world_/, by: "world_peek" },
];

/** The tool that tells the things of a kind to somebody who calls an operation; undefined when none does. */
export function listedBy(op: Pick<AnyOperation, "name">, what: string): string | undefined {
  const plain = what.replaceAll("_", " ").replace(/,? (whose|that|to|of which) .*$/, "");
  return LISTED_ELSEWHERE.find((row) => row.what === plain && row.of.test(op.name))?.by ?? LISTED_BY[plain];
}

/** A refusal with the tool that tells or does what is missing; any other error as it is. */
export function leadingOn(op: AnyOperation, error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { missing, by } = error.details;
  const tool = by ?? (missing === undefined ? undefined : listedBy(op, missing));
  return tool === undefined ? error : new AppError(error.code, `${error.reason} See ${tool}.`, error.details);
}

/** What a refusal of an operation's input can tell: the fields there are, and what each is. */
export function inputGuide(op: AnyOperation): InputGuide {
  return {
    nearest: (path, field) => nearest(field, fieldsAt(op.input, path)),
    field(path) {
      const [name] = path;
      if (path.length !== 1 || typeof name !== "string") return "";
      const { description = "" } = (op.input.shape[name] ?? {}) as { description?: string };
      const text = description.replace(/\.$/, "");
      const tool = listedBy(op, /^The (?:id of the )?([a-z ]+?)(?:'s (?:name or )?id)?$/.exec(text)?.[1] ?? "");
      const what = text === "" ? `${name} is needed` : `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
      return tool === undefined ? what : `${what}; see ${tool}`;
    },
  };
}

/** How many fields are named beside one that there is not. */
const NAMED = 12;

function nearest(key: string, known: readonly string[] | undefined): string {
  if (known === undefined) return "";
  if (known.length === 0) return "; it takes none";
  const near = didYouMean(key, known);
  if (near !== "") return `.${near}`;
  const more = known.length > NAMED ? ` and ${known.length - NAMED} more` : "";
  return `; there are: ${known.slice(0, NAMED).join(", ")}${more}`;
}

/** The names that an input takes at a path; undefined where it takes any, or is no object. */
function fieldsAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fieldsAt(schema.unwrap() as z.core.$ZodType, path);
  if (schema instanceof z.ZodUnion) {
    const all = schema.options.flatMap((option: z.core.$ZodType) => fieldsAt(option, path) ?? []);
    return all.length === 0 ? undefined : [...new Set<string>(all)];
  }
  const [head, ...rest] = path;
  if (schema instanceof z.ZodArray) return fieldsAt(schema.element as z.core.$ZodType, rest);
  if (schema instanceof z.ZodRecord) return fieldsAt(schema.valueType as z.core.$ZodType, rest);
  if (!(schema instanceof z.ZodObject)) return undefined;
  if (head === undefined) return Object.keys(schema.shape);
  const field = schema.shape[String(head)] as z.core.$ZodType | undefined;
  return field === undefined ? undefined : fieldsAt(field, rest);
}
