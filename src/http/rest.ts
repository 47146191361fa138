import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Request, RequestHandler, Response } from "express";
import type { Caller } from "../../chapters/caller.ts";
import { hashToken } from "../../chapters/credentials.ts";
import { AppError, badField, badRequest, forbidden } from "../../chapters/errors.ts";
import type { FileAnswer } from "../../chapters/reply.ts";
import { type CallRequest, call, type Outcome } from "../../tools/kernel/call.ts";
import type { JsonSchema } from "../../tools/kernel/lean.ts";
import type { AnyOperation } from "../../tools/kernel/operation.ts";
import type { Service } from "../service/service.ts";
import { type Access, bearer, sendJson, withinCall } from "./access.ts";
import { coerceQuery, coerceText } from "./query.ts";
import { jsonBody, requestBody } from "./request-body.ts";
import { type Match, Routes } from "./routes.ts";

/** Every operation at its own route: path, query and JSON body merged into one input; the route's own body answered. */
export function restSurface(service: Service, access: Pick<Access, "enter">): RequestHandler {
  const routes = new Routes(service.registry);
  const { maxBodyBytes, maxStreamBytes } = service.config;
  return async (req, res) => {
    const caller = await access.enter(req);
    const { pathname, searchParams } = new URL(req.originalUrl, "http://service");
    const match = routes.match(req.method === "HEAD" ? "GET" : req.method, pathname);
    if (!match || "allowed" in match) throw unknownRoute(caller, match, res);
    const { op, listing } = match.operation;
    res.locals.operation = op.name;
    const outcome = await withinCall(res, async ({ signal }) => {
      const streams = op.body === "stream";
      const body =
        streams || req.method === "GET" || req.method === "HEAD"
          ? undefined
          : await jsonBody(req, Math.min(maxBodyBytes, bodyBytes(listing.inputSchema)));
      const args = merge(
        pathArgs(match.params, listing.inputSchema),
        coerceQuery(searchParams, listing.inputSchema),
        body,
      );
      const request: CallRequest = {
        credential: { caller },
        args,
        signal,
        ...deferral(service, req, caller, op, args),
      };
      return call(service.host, op, streams ? { ...request, body: requestBody(req, maxStreamBytes) } : request);
    });
    await send(res, outcome);
  };
}

/** Starts a call as a job where its caller prefers that (RFC 7240) and the operation can be had so. */
function deferral(
  { deferred }: Service,
  req: Request,
  caller: Caller,
  op: AnyOperation,
  args: CallRequest["args"],
): Pick<CallRequest, "defer"> {
  if (!op.deferrable || !prefersAsync(req)) return {};
  const token = caller.kind === "local" || caller.member !== undefined ? undefined : bearer(req);
  const credential = { caller, ...(token === undefined ? {} : { hash: hashToken(token) }) };
  return { defer: (ctx) => ctx.jobs.start(deferred, { operation: op.name, args: { ...args }, credential }) };
}

/** Whether `respond-async` is among the preferences of a request; the others, and what is said with it, are not applied. */
function prefersAsync({ headers: { prefer } }: Request): boolean {
  const preferences = String(prefer ?? "").split(",");
  return preferences.some((preference) => /^\s*respond-async\s*(?:;|$)/i.test(preference));
}

function pathArgs(params: Readonly<Record<string, string>>, schema: JsonSchema): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Record<string, unknown>>>;
  return Object.fromEntries(Object.entries(params).map(([name, text]) => [name, coerceText(text, properties[name])]));
}

/** Members of a body itself: no operation has nearly as many fields. */
const MOST_FIELDS = 1_000;
/** The body of a route whose fields are few and short, bytes. */
const SMALL_BODY = 256 * 1024;
const SMALL_TYPES = new Set(["boolean", "integer", "number", "null"]);

/** How large the JSON body of a route may be, bytes: as all, unless every field is bounded to a short value. */
function bodyBytes(schema: JsonSchema): number {
  const known = bodies.get(schema) ?? (isSmall(schema) ? SMALL_BODY : Number.POSITIVE_INFINITY);
  bodies.set(schema, known);
  return known;
}

const bodies = new WeakMap<JsonSchema, number>();

/** Whether every value of a schema is a number, a flag, or a text or list of a bounded length. */
function isSmall(schema: unknown): boolean {
  const { type, properties, items, anyOf, maxLength, maxItems, ...rest } = Object(schema) as Record<string, unknown>;
  if ("const" in rest || "enum" in rest) return true;
  if (Array.isArray(anyOf)) return anyOf.every(isSmall);
  if (type === "string") return typeof maxLength === "number" && maxLength <= MOST_SHORT;
  if (type === "array") return typeof maxItems === "number" && maxItems <= MOST_ITEMS && isSmall(items);
  if (type === "object") return rest.additionalProperties === false && Object.values(Object(properties)).every(isSmall);
  return SMALL_TYPES.has(type as string);
}

/** What is short: a text in characters, a list in items. */
const MOST_SHORT = 2_000;
const MOST_ITEMS = 100;

/** One flat input. A field given in two places must say the same in both. */
function merge(...parts: readonly unknown[]): Record<string, unknown> {
  const args: Record<string, unknown> = Object.create(null);
  for (const part of parts) {
    if (part === undefined) continue;
    if (typeof part !== "object" || part === null || Array.isArray(part)) {
      throw badRequest("The body must be a JSON object.");
    }
    const fields = Object.entries(part);
    if (fields.length > MOST_FIELDS)
      throw badRequest(`The body has more than ${MOST_FIELDS} fields, which no operation takes.`);
    for (const [name, value] of fields) {
      if (name in args && args[name] !== value)
        throw badField(name.slice(0, 100), "is given twice, with different values");
      args[name] = value;
    }
  }
  return { ...args };
}

/** Org tokens are told that a route outside the documented set is not theirs; the operator, that it is not there. */
function unknownRoute(caller: Caller, match: Match | undefined, res: Response): AppError {
  const allowed = match && "allowed" in match ? match.allowed : undefined;
  if (allowed) res.set("allow", allowed.join(", "));
  if (caller.kind === "org") {
    return forbidden(
      "This route needs the workspace's service-wide token, which belongs to its operators and is never issued to an org.",
    );
  }
  return allowed
    ? new AppError("method_not_allowed", `This path takes ${allowed.join(", ")}.`)
    : new AppError("not_found", "There is no such route.");
}

async function send(res: Response, outcome: Outcome): Promise<void> {
  if (outcome.kind === "file") return sendFile(res, outcome.status, outcome.file);
  res.set(outcome.headers);
  sendJson(res, outcome.status, outcome.body);
}

async function sendFile(res: Response, status: number, file: FileAnswer): Promise<void> {
  res.status(status).attachment(file.name).set({ "content-type": file.type, "cache-control": "no-store" });
  const { content } = file;
  if (typeof content === "string" || content instanceof Uint8Array) {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    res.set("content-length", String(bytes.byteLength)).end(bytes);
    return;
  }
  await pipeline(Readable.from(content), res);
}
