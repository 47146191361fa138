import { z } from "zod";
import { AppError, badField } from "../../chapters/errors.ts";
import { invalidInput } from "../../chapters/invalid-input.ts";
import { type JsonSchema, type LeanListing, leanListing } from "../../tools/kernel/lean.ts";
import { annotationsOf } from "../../tools/kernel/operation.ts";
import { type RegisteredOperation, Registry } from "../../tools/kernel/registry.ts";
import { type OperationSearch, searchOf } from "../../tools/kernel/search.ts";
import { operatorChapter } from "../operator/operations.ts";
import type { ToolResult } from "./tool-content.ts";

/** The operations that `?toolset=core` lists by themselves: the way from traces to a verdict, in its order. */
export const CORE: readonly string[] = [
  "org_status",
  "evidence_post",
  "pipeline_post",
  "job_status",
  "surfaces_list",
  "environment_tasks",
  "environment_fidelity",
  "agents_list",
  "agents_post",
  "start_run",
  "watch_job",
  "run_groups_list",
  "run_group",
  "run_trace",
  "compare_runs",
  "coverage_matrix",
  "failure_modes",
  "investigate_failure",
  "reports_post",
];

const Find = z.strictObject({
  query: z.string().min(1).max(400).describe("What you want to do or know, in plain words; or an operation's name."),
  limit: z.number().int().min(1).max(20).optional().describe("How many at most; 5 when absent."),
});
const Read = z.strictObject({
  name: z.string().min(1).max(100).describe("The operation's name."),
  arguments: z.looseObject({}).optional().describe("As its inputSchema says."),
});
const Call = Read.extend({
  confirm: z
    .string()
    .max(100)
    .optional()
    .describe("The name once more, of a destructive operation your user agreed to."),
});

/** How many characters of definitions one search answers whole; what is found past that is named alone. */
const MOST_CHARS = 12_000;

/** How many of what is asked for in such words come first, and how many of those whose own words fit come next. */
const [QUESTIONS_FIRST, WORDS_NEXT] = [3, 2] as const;

/** The three tools that reach every operation where a list shows few of them. They are no operations themselves. */
export const GATEWAY_TOOLS = {
  find: gatewayTool(
    "find_operations",
    "Find operations",
    "Use it whenever no listed tool does what you want: searches all operations by plain words and answers the best with their whole definitions, to be called with read_operation or call_operation.",
    Find,
    { readOnlyHint: true, openWorldHint: false },
  ),
  read: gatewayTool(
    "read_operation",
    "Read by any operation",
    "Calls any operation that only reads, by its name with its arguments, as find_operations answers them.",
    Read,
    { readOnlyHint: true, openWorldHint: false },
  ),
  call: gatewayTool(
    "call_operation",
    "Call any operation",
    "Calls any operation by its name with its arguments, as find_operations answers them; a destructive one needs `confirm` too: ask your user first.",
    Call,
    {},
  ),
} as const;

function gatewayTool(
  name: string,
  title: string,
  description: string,
  input: z.ZodType,
  annotations: Readonly<Record<string, boolean>>,
): LeanListing {
  const { $schema: _dialect, additionalProperties: _closed, ...schema } = z.toJSONSchema(input, { io: "input" });
  const listing = { name, title, description, inputSchema: schema as JsonSchema };
  return Object.keys(annotations).length === 0 ? listing : { ...listing, annotations };
}

/** An operation that one of the three tools was asked to call. */
export interface ReachedCall {
  readonly registered: RegisteredOperation;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What the three tools reach for one list: the operations that its URL leaves, and the search over them. */
export class Gateway {
  readonly #operations: ReadonlyMap<string, RegisteredOperation>;
  readonly #search: OperationSearch;
  readonly #operationsFor: (words: string) => readonly RegisteredOperation[];
  readonly #ownOrg: boolean;

  constructor(
    operations: ReadonlyMap<string, RegisteredOperation>,
    {
      search,
      operationsFor,
    }: { readonly search: OperationSearch; readonly operationsFor: (words: string) => readonly RegisteredOperation[] },
    ownOrg: boolean,
  ) {
    this.#operations = operations;
    this.#search = search;
    this.#operationsFor = operationsFor;
    this.#ownOrg = ownOrg;
  }

  /** The operations that fit, the best first: whole definitions as far as they fit into an answer, then names alone. */
  find(args: Readonly<Record<string, unknown>>): ToolResult {
    const { query, limit = 5 } = parsed(Find, args);
    const found = this.#ranked(query);
    const operations: object[] = [];
    const more: object[] = [];
    let left = MOST_CHARS;
    for (const registered of found.slice(0, limit)) {
      const { op } = registered;
      const { annotations: _hints, ...definition } = leanListing(op, this.#ownOrg);
      const call = op.effect === "read" ? GATEWAY_TOOLS.read.name : GATEWAY_TOOLS.call.name;
      const shown = {
        ...definition,
        effect: op.effect,
        scope: op.scope,
        call,
        ...(isDestructive(registered) ? { confirm: op.name } : {}),
      };
      const length = JSON.stringify(shown).length;
      if (length <= left || operations.length === 0) operations.push(shown);
      else more.push({ name: op.name, title: op.title });
      left -= length;
    }
    const by_operator = operatorCommands(query).map(({ run, does }) => ({ run, does }));
    const by_operator_note = "No tool does these: whoever runs the service does, at its command line.";
    const byOperator = by_operator.length === 0 ? {} : { by_operator, by_operator_note };
    const note =
      operations.length === 0
        ? { note: "Nothing fits these words. Say it in others, or call org_status for what to do next." }
        : {};
    const body = { operations, ...(more.length > 0 ? { more } : {}), found: found.length, ...byOperator, ...note };
    return { content: [{ type: "text", text: JSON.stringify(body) }] };
  }

  /** By the questions that people ask and by the operations' own words, the first of both among the first few. */
  #ranked(query: string): RegisteredOperation[] {
    const has = ({ op }: RegisteredOperation) => this.#operations.has(op.name);
    const worded = this.#search.find(query, has).map(({ registered }) => registered);
    if (worded[0]?.op.name === query.trim().toLowerCase()) return worded;
    const known = this.#operationsFor(query).filter(has);
    return [...new Set([...known.slice(0, QUESTIONS_FIRST), ...worded.slice(0, WORDS_NEXT), ...known, ...worded])];
  }

  /** The call that `read_operation` was asked for. Throws where the operation changes something. */
  read(args: Readonly<Record<string, unknown>>): ReachedCall {
    const { name, arguments: given = {} } = parsed(Read, args);
    const registered = this.#named(name);
    if (registered.op.effect !== "read")
      throw badField("name", `${registered.op.name} changes something: call it with ${GATEWAY_TOOLS.call.name}`);
    return { registered, arguments: given };
  }

  /** The call that `call_operation` was asked for. Throws where a destructive one is not confirmed. */
  call(args: Readonly<Record<string, unknown>>): ReachedCall {
    const { name, arguments: given = {}, confirm } = parsed(Call, args);
    const registered = this.#named(name);
    const { op } = registered;
    if (isDestructive(registered) && confirm !== op.name)
      throw badField(
        "confirm",
        `${op.name} discards what cannot be had back. Ask your user, then call again with "confirm": "${op.name}"`,
      );
    return { registered, arguments: given };
  }

  #named(name: string): RegisteredOperation {
    const registered = this.#operations.get(name);
    if (registered) return registered;
    const near = this.#search.find(name.replaceAll("_", " "), ({ op }) => this.#operations.has(op.name)).slice(0, 3);
    const names = near.map(({ registered: { op } }) => op.name);
    const hint = names.length === 0 ? "" : ` Nearest: ${names.join(", ")}.`;
    throw new AppError("not_found", `No operation has this name.${hint} ${GATEWAY_TOOLS.find.name} searches them all.`);
  }
}

const operatorActs = searchOf(new Registry([operatorChapter]));
/** An act of the operator is named where it knows at least this much of what is asked. */
const KNOWN = 0.5;

/** The operator's commands that do what a query asks for, the best first; `known` is how much of the query each knows (0 to 1). */
export function operatorCommands(query: string): { run: string; does: string; known: number }[] {
  return operatorActs()
    .find(query)
    .filter(({ known }) => known >= KNOWN)
    .slice(0, 2)
    .map(({ known, registered: { op } }) => ({
      known,
      run: ["svc operator", op.name, ...Object.keys(op.input.shape).map((name) => `${name}=…`)].join(" "),
      does: op.description,
    }));
}

/** Whether a call discards what cannot be had back. */
export function isDestructive({ op }: RegisteredOperation): boolean {
  const { readOnlyHint, destructiveHint } = annotationsOf(op);
  return destructiveHint && !readOnlyHint;
}

function parsed<S extends z.ZodType>(schema: S, args: Readonly<Record<string, unknown>>): z.output<S> {
  const result = schema.safeParse(args);
  if (result.success) return result.data;
  throw invalidInput(result.error);
}
