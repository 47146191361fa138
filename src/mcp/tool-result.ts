import { AppError } from "../../chapters/errors.ts";
import type { FileAnswer } from "../../chapters/reply.ts";
import type { Outcome } from "../../tools/kernel/call.ts";
import type { AnyOperation } from "../../tools/kernel/operation.ts";
import { shape } from "../../tools/kernel/shaped.ts";
import type { PublicError } from "../http/public-error.ts";
import { fillRoute, routeParams } from "../http/routes.ts";

/** Files up to this size travel inside the answer. */
const EMBED_BYTES = 256 * 1024;
/** Without an address to link to (over stdio) larger files travel inside too, up to here. */
const EMBED_UNLINKED_BYTES = 16 * 1024 * 1024;

type Resource = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);
type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "resource"; readonly resource: Resource }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly mimeType: string;
      readonly description: string;
    };

/** A tool's answer. Text and structure carry the same data, since clients hand their model the one or the other. */
export interface ToolResult {
  [key: string]: unknown;
  readonly content: Content[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

/** The answer of a call as a tool's answer. `base` is where the service is reached, absent over stdio. */
export async function toolResult(
  op: AnyOperation,
  args: Readonly<Record<string, unknown>>,
  outcome: Outcome,
  base: string | undefined,
): Promise<ToolResult> {
  if (outcome.kind === "json") return answer(op, outcome.status, outcome.body);
  const file = await fileContent(op, args, outcome.file, base);
  const data = outcome.file.data;
  if (data === undefined) return { content: [{ type: "text", text: file.note }, file.content] };
  const { content, structuredContent } = answer(op, outcome.status, data);
  return { content: [...content, file.content], ...(structuredContent ? { structuredContent } : {}) };
}

/** A refusal: the REST body as text only, since clients check structured content against the output schema even then. */
export function refusedResult({ body }: PublicError): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify(body) }], isError: true };
}

function answer(op: AnyOperation, status: number, body: unknown): ToolResult {
  if (op.shape) {
    const { structured, text } = shape(op, status, body);
    return { content: [{ type: "text", text }], structuredContent: { ...structured } };
  }
  const structuredContent = { status, body };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

async function fileContent(
  op: AnyOperation,
  args: Readonly<Record<string, unknown>>,
  file: FileAnswer,
  base: string | undefined,
): Promise<{ content: Content; note: string }> {
  const { path, method } = restPath(op, args);
  const bytes = await upTo(file.content, base === undefined ? EMBED_UNLINKED_BYTES : EMBED_BYTES);
  if (bytes) {
    const uri = `${base ?? "svc:/"}${path}`;
    const body = isText(file.type) ? { text: bytes.toString("utf8") } : { blob: bytes.toString("base64") };
    const note = JSON.stringify({ name: file.name, type: file.type, bytes: bytes.byteLength });
    return { content: { type: "resource", resource: { uri, mimeType: file.type, ...body } }, note };
  }
  if (base === undefined) {
    throw new AppError("too_large", `The file is too large for a tool's answer. Fetch it over HTTP: ${op.route}.`);
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
