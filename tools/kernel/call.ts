import { z } from "zod";
import { allows, type Caller } from "../../chapters/caller.ts";
import type { Ctx, RequestBody, ServiceCtx } from "../../chapters/context.ts";
import { badField, forbidden, orNotFound } from "../../chapters/errors.ts";
import { invalidInput } from "../../chapters/invalid-input.ts";
import { type JobHandle, Started } from "../../chapters/job.ts";
import { idOfLabel, labelledKinds } from "../../chapters/labels.ts";
import { FileAnswer, Reply } from "../../chapters/reply.ts";
import { inputGuide, leadingOn } from "./leads.ts";
import { type AnyOperation, orgResolutionOf, statusesOf, strictInput } from "./operation.ts";

/** One call, whichever surface it came over. */
export interface CallRequest {
  /** The bearer token, or the caller a trusted local transport vouches for. */
  readonly credential: { readonly bearer: string | undefined } | { readonly caller: Caller };
  /** Path, query and body in one object. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly body?: RequestBody;
  readonly signal: AbortSignal;
  /** Given where the caller would rather poll than wait: starts the call as a job, where its operation is `deferrable`. */
  readonly defer?: (ctx: Ctx) => Promise<JobHandle>;
  readonly progress?: (done: number, total: number | undefined, message: string) => void;
}

/** What came of a call. */
export type Outcome =
  | {
      readonly kind: "json";
      readonly status: number;
      readonly body: unknown;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly kind: "file"; readonly status: number; readonly file: FileAnswer };

/** What the host gives the kernel. */
export interface Host {
  /** Who holds this bearer token. Throws `unauthenticated`, saying whether it is unknown, revoked or expired. */
  authenticate(bearer: string | undefined): Promise<Caller>;
  orgByTag(tag: string): Promise<{ id: string; tag: string } | undefined>;
  /** The org that holds a record; undefined when none does. */
  orgOf(kind: string, id: string): Promise<{ id: string; tag: string } | undefined>;
  orgCtx(caller: Caller, org: { id: string; tag: string }, request: CallRequest): Ctx;
  serviceCtx(caller: Caller, request: CallRequest): ServiceCtx;
}

/**
 * The only path to a handler: authenticate, scope, org, strict parse, work, parse the answer. Throws AppError for
 * every refusal; anything else that is thrown is a fault of ours.
 */
export async function call(host: Host, op: AnyOperation, request: CallRequest): Promise<Outcome> {
  try {
    return await carryOut(host, op, request);
  } catch (error) {
    throw leadingOn(op, error);
  }
}

async function carryOut(host: Host, op: AnyOperation, request: CallRequest): Promise<Outcome> {
  const caller =
    "caller" in request.credential ? request.credential.caller : await host.authenticate(request.credential.bearer);
  if (!allows(caller.scope, op.scope)) {
    const wayOut = `whoami tells what a token may do; one of scope admin mints another by org_tokens_post with scope ${op.scope}.`;
    const reason = `This needs a token of scope ${op.scope}; the one sent holds ${caller.scope}. ${wayOut}`;
    throw forbidden(reason, { scope: op.scope });
  }
  const org = await orgFor(host, op, caller, request.args);
  const input = parseInput(op, request.args);
  if (org === undefined) return outcome(op, await op.handle(host.serviceCtx(caller, request), input));
  const ctx = host.orgCtx(caller, org, request);
  if (op.deferrable && request.defer) return begun(await request.defer(ctx));
  return outcome(op, await op.handle(ctx, await withIds(ctx, op, input)));
}

/** Fields that name a record of a kind, where they do not say so as `recordId` does. */
const NAMED: Readonly<Record<string, string>> = {
  author_member: "member",
  bucket: "environment",
  environment: "environment",
  member: "member",
};

/** What a field of an operation is the id of, where such records have labels too. */
export function labelledBy(op: AnyOperation, field: string): string | undefined {
  const said = describedAs(op.input.shape[field]);
  return labelledKinds.find((kind) => said.startsWith(`The id of the ${kind}`)) ?? NAMED[field];
}

/** What is said of a field, or of what it is where it may be left out. */
function describedAs(field: z.core.$ZodType | undefined): string {
  if (field === undefined) return "";
  const inner = field instanceof z.ZodOptional || field instanceof z.ZodNullable ? field.unwrap() : undefined;
  return z.globalRegistry.get(field)?.description ?? describedAs(inner);
}

/** The input with ids in the place of labels: handlers know records by id alone. */
export async function withIds(ctx: Ctx, op: AnyOperation, input: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(input).map(async ([field, text]) => {
    const what = typeof text === "string" ? labelledBy(op, field) : undefined;
    return [field, what === undefined ? text : await idOfLabel(ctx, what, { field, text: String(text) })] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The org a call works in. A token's own org always; the operator must name one, or a record that one holds. */
async function orgFor(host: Host, op: AnyOperation, caller: Caller, args: CallRequest["args"]) {
  const reach = orgResolutionOf(op);
  if (reach.from === "service") return undefined;
  if (caller.org) {
    const named =
      reach.from === "path" ? args.orgtag : reach.from === "field" && op.effect !== "read" ? args.org : undefined;
    if (typeof named === "string" && named !== caller.org.tag) {
      throw forbidden("This token belongs to another org than the one the call names.");
    }
    return caller.org;
  }
  if (reach.from === "record") {
    const id = args[reach.param];
    const kind = typeof reach.kind === "string" ? reach.kind : reach.kind.kind;
    return orNotFound(typeof id === "string" ? await host.orgOf(kind, id) : undefined, kind);
  }
  const field = reach.from === "path" ? "orgtag" : "org";
  const tag = args[field];
  if (typeof tag !== "string") throw badField(field, "name the org: the service-wide token belongs to none");
  return orNotFound(await host.orgByTag(tag), "org");
}

/** The input, checked strictly: unknown fields are refused too. Values never stand in the refusal. */
function parseInput(op: AnyOperation, args: CallRequest["args"]): Record<string, unknown> {
  const parsed = strictInput(op).safeParse(args);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error, inputGuide(op));
}

/** The answer of RFC 7240 to a call that goes on as a job. */
function begun(handle: JobHandle): Outcome {
  const headers = { "preference-applied": "respond-async", location: handle.poll };
  return { kind: "json", status: 202, body: Started.parse(handle), headers };
}

function outcome(op: AnyOperation, answer: unknown): Outcome {
  const statuses = statusesOf(op);
  const status = answer instanceof Reply ? answer.status : statuses[0];
  if (!statuses.includes(status)) throw new Error(`${op.name} answered ${status}, which it does not declare`);
  const body = answer instanceof Reply ? answer.body : answer;
  if (body instanceof FileAnswer) {
    if (body.data === undefined) return { kind: "file", status, file: body };
    return {
      kind: "file",
      status,
      file: new FileAnswer(body.name, body.type, body.content, op.output.parse(body.data)),
    };
  }
  return { kind: "json", status, body: op.output.parse(body), headers: answer instanceof Reply ? answer.headers : {} };
}
