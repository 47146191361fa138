import { unprocessable } from "../../chapters/errors.ts";
import type { PulledBodies, PullTarget } from "../../chapters/ports/source-vendor.ts";
import { version } from "../version.ts";
import { type HttpResponse, objectOf, type Requester } from "./guarded-request.ts";

/** The newest protocol with a handshake, and the one without. */
const WITH_HANDSHAKE = "2025-11-25";
const STATELESS = "2026-07-28";
const CLIENT = { name: "svc", version };
/** Pages of one list at most. */
const PAGES = 200;

interface Session {
  readonly url: URL;
  readonly secret: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Protocol facts that go with every request of a server without handshake. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

type Result = Readonly<Record<string, unknown>>;

/** A tool server's list of tools over streamable HTTP, all pages as one listing. No tool is called. */
export async function mcpBodies(ask: Requester, target: PullTarget, signal: AbortSignal): Promise<PulledBodies> {
  const { auth } = target;
  const secret = auth.headers ?? (auth.token === undefined ? {} : { authorization: `Bearer ${auth.token}` });
  const session = await open(ask, new URL(target.external_id), secret, signal);
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= PAGES; page++) {
    const result = await call(ask, session, "tools/list", cursor === undefined ? {} : { cursor }, signal);
    if (!Array.isArray(result?.tools)) throw unprocessable("The tool server answered no list of tools.");
    tools.push(...result.tools);
    const next = result.nextCursor;
    if (typeof next !== "string" || next === "" || next === cursor) break;
    if (page === PAGES) throw unprocessable(`The tool server's list has more than ${PAGES} pages, so it was not read.`);
    cursor = next;
  }
  if (tools.length === 0) throw unprocessable("The tool server lists no tools.");
  async function* bodies() {
    yield { name: "tools/list", kind: "tool_listing", format: "mcp", bytes: Buffer.from(JSON.stringify({ tools })) };
  }
  return { bodies: bodies(), seen: () => undefined };
}

/** A session, by the handshake that most servers want; a server that has none is spoken to without. */
async function open(ask: Requester, url: URL, secret: Session["secret"], signal: AbortSignal): Promise<Session> {
  const plain: Session = { url, secret, headers: {} };
  const params = { protocolVersion: WITH_HANDSHAKE, capabilities: {}, clientInfo: CLIENT };
  const httpResponse = await post(ask, plain, request("initialize", params), signal, [400, 404, 405]);
  const result = httpResponse.status < 300 ? answered(httpResponse) : undefined;
  if (typeof result?.protocolVersion !== "string") {
    const meta = {
      "io.modelcontextprotocol/protocolVersion": STATELESS,
      "io.modelcontextprotocol/clientInfo": CLIENT,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    return { ...plain, headers: { "mcp-protocol-version": STATELESS }, meta };
  }
  const id = httpResponse.headers["mcp-session-id"];
  const headers = {
    "mcp-protocol-version": result.protocolVersion,
    ...(typeof id === "string" ? { "mcp-session-id": id } : {}),
  };
  const session = { ...plain, headers };
  await post(ask, session, { jsonrpc: "2.0", method: "notifications/initialized" }, signal, []);
  return session;
}

async function call(ask: Requester, session: Session, method: string, params: Result, signal: AbortSignal) {
  const given = session.meta === undefined ? params : { ...params, _meta: session.meta };
  const own = { ...session, headers: { ...session.headers, ...(session.meta ? { "mcp-method": method } : {}) } };
  return answered(await post(ask, own, request(method, given), signal, []));
}

function post(ask: Requester, session: Session, body: object, signal: AbortSignal, also: readonly number[]) {
  const { url, secret } = session;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...session.headers,
  };
  return ask({ method: "POST", url, secret, headers, body: JSON.stringify(body), also }, signal);
}

function request(method: string, params: Result): object {
  return { jsonrpc: "2.0", id: 1, method, params };
}

/** The result of an answer, plain or as the last event of a stream; undefined where it is an error or none. */
function answered({ headers, text }: HttpResponse): Result | undefined {
  const events = String(headers["content-type"] ?? "").startsWith("text/event-stream");
  const messages = events
    ? text.split(/\r?\n\r?\n/).map((event) =>
        event
          .split(/\r?\n/)
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).trimStart())
          .join("\n"),
      )
    : [text];
  for (const message of messages.reverse()) {
    try {
      const { id, result } = objectOf(JSON.parse(message));
      if (id === 1) return result === undefined ? undefined : objectOf(result);
    } catch {
      // An event that is no message: a comment, a ping.
    }
  }
  return undefined;
}
