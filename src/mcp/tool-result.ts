import { Readable } from "node:stream";
import { tooLarge } from "../../chapters/errors.ts";
import type { FileAnswer } from "../../chapters/reply.ts";
import type { Outcome } from "../../tools/kernel/call.ts";
import type { AnyOperation } from "../../tools/kernel/operation.ts";
import { headLines, shape } from "../../tools/kernel/shaped.ts";
import type { PublicError } from "../http/public-error.ts";
import { fillRoute, routeParams } from "../http/routes.ts";
import { fittedAnswer, type Telling } from "./answer.ts";
import { lengthOf } from "./fit.ts";
import type { Content, ToolResult } from "./tool-content.ts";

/** Files up to this size travel inside the answer. */
const EMBED_BYTES = 256 * 1024;
/** Without an address to link to (over stdio) larger files travel inside too, up to here. */
const EMBED_UNLINKED_BYTES = 16 * 1024 * 1024;

/** How an answer is told: whole to a program that asked for output schemas, else in what a model affords. */
export type Manner = "whole" | Telling;

/** How many characters an answer for a model has at most: 4,000 tokens once the text is escaped as JSON. */
const MOST_CHARS = 13_600;
/** What is kept of them for the frame and for what was cut. */
const FRAME_CHARS = 1_000;
/** A text file of more characters is linked to, or cut where there is no address. */
const FILE_CHARS = 6_000;

/** The answer of a call as a tool's answer. `base` is where the service is reached, absent over stdio. */
export async function toolResult(
  op: AnyOperation,
  args: Readonly<Record<string, unknown>>,
  outcome: Outcome,
  base: string | undefined,
  manner: Manner = "whole",
): Promise<ToolResult> {
  if (outcome.kind === "json") return answer(op, outcome.status, outcome.body, manner, MOST_CHARS);
  const file = await fileContent(op, args, outcome.file, base, manner);
  const data = outcome.file.data;
  if (data === undefined) return { content: [{ type: "text", text: file.note }, file.content] };
  const told = answer(op, outcome.status, data, manner, MOST_CHARS - FILE_CHARS);
  return { ...told, content: [...told.content, file.content] };
}

/** How many rows of its list an answer has room for; undefined where all are told. */
export function roomFor(op: AnyOperation, { kind, ...outcome }: Outcome, telling: Telling): number | undefined {
  if (kind !== "json" || !("body" in outcome)) return undefined;
  return fittedAnswer(telling, outcome.body, roomOf(op, outcome.body, MOST_CHARS)).rows;
}

/** A refusal: the REST body as text only, since clients check structured content against the output schema even then. */
export function refusedResult({ body }: PublicError): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(body) }], isError: true };
}

function answer(op: AnyOperation, status: number, body: unknown, manner: Manner, most: number): ToolResult {
  if (manner === "whole") {
    const structuredContent = op.shape ? { ...shape(op, status, body).structured } : { status, body };
    const text = op.shape ? shape(op, status, body).text : JSON.stringify(structuredContent);
    return { content: [{ type: "text", text }], structuredContent };
  }
  const { list, links, args } = manner;
  const fitted = fittedAnswer(manner, body, roomOf(op, body, most));
  const told = links.withCalls(fitted.body, list);
  const cut = fitted.cut === undefined ? {} : { cut: fitted.cut };
  if (!op.shape) return { content: [{ type: "text", text: JSON.stringify({ status, body: told, ...cut }) }] };
  const { verdict, counts, next } = shape(op, status, body).structured;
  const call = next === undefined ? undefined : links.next(next, list, args);
  const lines = [
    ...headLines(verdict, counts, next),
    ...(call === undefined ? [] : [`Call: ${JSON.stringify(call)}`]),
    ...(fitted.cut === undefined ? [] : [`Cut: ${JSON.stringify(fitted.cut)}`]),
    "",
    JSON.stringify(told),
  ];
  const structuredContent = {
    verdict,
    counts,
    ...(next === undefined ? {} : { next }),
    ...(call === undefined ? {} : { next_call: call }),
    status,
    body: told,
    ...cut,
  };
  return { content: [{ type: "text", text: lines.join("\n") }], structuredContent };
}

/** How many characters the body of an answer may have: a shaped one's stands in the text and in the structure. */
function roomOf(op: AnyOperation, body: unknown, most: number): number {
  if (!op.shape) return most - FRAME_CHARS;
  const { verdict, counts, next } = shape(op, 200, body).structured;
  const head = headLines(verdict, counts, next).join("\n").length + lengthOf(counts);
  return Math.max(FRAME_CHARS, (most - FRAME_CHARS - head) / 2);
}

async function fileContent(
  op: AnyOperation,
  args: Readonly<Record<string, unknown>>,
  file: FileAnswer,
  base: string | undefined,
  manner: Manner,
): Promise<{ content: Content; note: string }> {
  const { path, method } = restPath(op, args);
  const fits = manner === "whole" || manner.args.limit !== undefined ? EMBED_BYTES : FILE_CHARS;
  const bytes = await upTo(file.content, base === undefined ? EMBED_UNLINKED_BYTES : fits);
  if (bytes && isText(file.type) && bytes.byteLength > fits && base === undefined) {
    const text = bytes.toString("utf8").slice(0, FILE_CHARS);
    const note = JSON.stringify({
      name: file.name,
      type: file.type,
      bytes: bytes.byteLength,
      cut: `The first ${FILE_CHARS} characters; limit=1 tells it whole.`,
    });
    return { content: { type: "resource", resource: { uri: `svc:/${path}`, mimeType: file.type, text } }, note };
  }
  if (bytes) {
    const uri = `${base ?? "svc:/"}${path}`;
    const body = isText(file.type) ? { text: bytes.toString("utf8") } : { blob: bytes.toString("base64") };
    const note = JSON.stringify({ name: file.name, type: file.type, bytes: bytes.byteLength });
    return { content: { type: "resource", resource: { uri, mimeType: file.type, ...body } }, note };
  }
  if (base === undefined) {
    throw tooLarge(`The file is too large for a tool's answer. Fetch it over HTTP: ${op.route}.`);
  }
  const description = `${method} this address with the same token to fetch the file.`;
  const note = JSON.stringify({ name: file.name, type: file.type, fetch: description });
  return {
    content: { type: "resource_link", uri: base + path, name: file.name, mimeType: file.type, description },
    note,
  };
}

/** The route's path with what the call gave; arguments that are not in the path stand in the query of a GET. */
function restPath(op: AnyOperation, args: Readonly<Record<string, unknown>>): { path: string; method: string } {
  const method = op.route.split(" ")[0] ?? "GET";
  const path = fillRoute(op.route, args);
  if (method !== "GET") return { path, method };
  const inPath = new Set(routeParams(op.route));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    if (!inPath.has(name) && value !== undefined)
      query.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return { path: query.size > 0 ? `${path}?${query}` : path, method };
}

/** The whole content when it has at most `limit` bytes; reading stops there. */
export async function upTo(content: FileAnswer["content"], limit: number): Promise<Buffer | undefined> {
  if (typeof content === "string" || content instanceof Uint8Array) {
    const bytes = Buffer.from(content as Uint8Array);
    return bytes.byteLength <= limit ? bytes : undefined;
  }
  // Left half-way it ends with an error of its own, which nobody else hears.
  if (content instanceof Readable) content.once("error", () => {});
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of content) {
    total += chunk.byteLength;
    if (total > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isText(type: string): boolean {
  return /^text\/|json|xml|yaml|javascript/.test(type);
}
