import { createHash } from "node:crypto";
import { type Seen, startVendor, type VendorAnswer, type VendorServer } from "./server.ts";

/** A span as the vendor's search answers it. */
export interface ObsSpan {
  readonly trace: string;
  readonly span: string;
  readonly parent?: string;
  readonly kind: "agent" | "llm" | "tool" | "workflow";
  readonly name: string;
  /** Unix seconds. */
  readonly start: number;
  /** Seconds. */
  readonly duration?: number;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly ml_app?: string;
  readonly service?: string;
}

/** The observability vendor on loopback: its span search, its key check and its OAuth, as the vendor has them. */
export interface ObsTool extends VendorServer {
  readonly keys: { readonly api_key: string; readonly app_key: string };
  readonly client: { readonly id: string; readonly secret: string };
  /** Spans that it holds; more can be added at any time. */
  readonly spans: ObsSpan[];
  /** How many spans a page has at most, whatever is asked; how long access tokens live, seconds. */
  readonly settings: { pageSize: number; tokenLife: number };
  /** A person consents to what the address asks; answers the code. */
  consent(authorizeUrl: string): string;
  /** Searches so far. */
  searches(): Seen[];
}

const SEARCH = "/api/v2/llm-obs/v1/spans/events/search";

/** Starts the vendor on a free loopback port. */
export async function startObs(): Promise<ObsTool> {
  const keys = { api_key: "dd-api-key-5f3a", app_key: "dd-app-key-77c1" };
  const client = { id: "oauth-client-1", secret: "oauth-client-secret-9d" };
  const spans: ObsSpan[] = [];
  const codes = new Map<string, { challenge: string; redirect: string }>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  let issued = 0;
  const settings = { pageSize: 1000, tokenLife: 3600 };

  const token = (form: URLSearchParams): VendorAnswer => {
    if (form.get("client_id") !== client.id || form.get("client_secret") !== client.secret)
      return { status: 401, body: { error: "invalid_client" } };
    if (form.get("grant_type") === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const challenge = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (!code || code.challenge !== challenge || code.redirect !== form.get("redirect_uri"))
        return { status: 400, body: { error: "invalid_grant" } };
    } else if (!refresh.delete(form.get("refresh_token") ?? ""))
      return { status: 400, body: { error: "invalid_grant" } };
    issued++;
    access.clear();
    access.add(`access-${issued}`);
    refresh.add(`refresh-${issued}`);
    const body = {
      access_token: `access-${issued}`,
      refresh_token: `refresh-${issued}`,
      expires_in: settings.tokenLife,
    };
    return { body: { ...body, token_type: "Bearer", scope: "llm_observability_read" } };
  };

  const allowed = ({ headers }: Seen) =>
    (headers["dd-api-key"] === keys.api_key && headers["dd-application-key"] === keys.app_key) ||
    access.has(String(headers.authorization ?? "").replace(/^Bearer /, ""));

  const search = (seen: Seen): VendorAnswer => {
    if (!allowed(seen)) return { status: 403, body: { errors: ["Forbidden"] } };
    if (seen.headers["content-type"] !== "application/vnd.api+json") return { status: 415, body: { errors: ["type"] } };
    const { data } = JSON.parse(seen.body);
    const { filter, page, sort } = data.attributes;
    if (data.type !== "spans" || sort !== "start_ns") return { status: 400, body: { errors: ["Bad Request"] } };
    const from = Date.parse(filter.from) / 1000;
    const to = Date.parse(filter.to) / 1000;
    const services = [...String(filter.query ?? "").matchAll(/"([^"]+)"/g)].map((match) => match[1]);
    const found = spans
      .filter((span) => span.start >= from && span.start < to)
      .filter((span) => filter.trace_id === undefined || span.trace === filter.trace_id)
      .filter((span) => filter.ml_app === undefined || (span.ml_app ?? "shop-bot") === filter.ml_app)
      .filter((span) => services.length === 0 || services.includes(span.service ?? "shop"))
      .sort((a, b) => a.start - b.start);
    const begin = page.cursor === undefined ? 0 : Number(Buffer.from(page.cursor, "base64").toString());
    const size = Math.min(page.limit ?? 10, settings.pageSize);
    const end = begin + size;
    const after = end < found.length ? { after: Buffer.from(String(end)).toString("base64") } : {};
    return {
      headers: { "content-type": "application/vnd.api+json" },
      body: { data: found.slice(begin, end).map(asEvent), meta: { elapsed: 3, page: after, status: "done" } },
    };
  };

  const server = await startVendor((seen) => {
    if (seen.path === SEARCH && seen.method === "POST") return search(seen);
    if (seen.path === "/oauth2/v1/token" && seen.method === "POST") return token(new URLSearchParams(seen.body));
    if (seen.path === "/api/v1/validate")
      return seen.headers["dd-api-key"] === keys.api_key
        ? { body: { valid: true } }
        : { status: 403, body: { errors: ["Forbidden"] } };
    return { status: 404, body: { errors: ["Not found"] } };
  });
  return {
    ...server,
    keys,
    client,
    spans,
    settings,
    searches: () => server.seen.filter(({ path }) => path === SEARCH),
    consent(authorizeUrl) {
      const query = new URL(authorizeUrl).searchParams;
      if (query.get("client_id") !== client.id || query.get("code_challenge_method") !== "S256")
        throw new Error("the vendor refuses this consent page");
      issued++;
      const code = `code-${issued}`;
      codes.set(code, { challenge: query.get("code_challenge") ?? "", redirect: query.get("redirect_uri") ?? "" });
      return code;
    },
  };
}

function asEvent(span: ObsSpan): object {
  return {
    id: `AZ${span.span}`,
    type: "span",
    attributes: {
      trace_id: span.trace,
      span_id: span.span,
      parent_id: span.parent ?? "undefined",
      name: span.name,
      span_kind: span.kind,
      ml_app: span.ml_app ?? "shop-bot",
      status: "ok",
      start_ns: Math.round(span.start * 1e9),
      duration: Math.round((span.duration ?? 1) * 1e9),
      input: span.input ?? {},
      output: span.output ?? {},
      metrics: {},
      metadata: {},
      tags: [`service:${span.service ?? "shop"}`, "env:prod"],
    },
  };
}

/** The spans of one session: an agent with one tool call and an answer. */
export function sessionSpans(
  trace: string,
  start: number,
  over: Partial<ObsSpan> & { user?: string; result?: unknown } = {},
): ObsSpan[] {
  const { user = "Where is my order?", result = { status: "sent" }, ...rest } = over;
  const agent = `${trace}-a`;
  const say = (role: string, content: string) => ({ messages: [{ role, content }] });
  return [
    {
      trace,
      span: agent,
      kind: "agent",
      name: "agent",
      start,
      duration: 9,
      input: say("user", user),
      output: say("assistant", "It was sent."),
      ...rest,
    },
    {
      trace,
      span: `${trace}-t`,
      parent: agent,
      kind: "tool",
      name: "get_order",
      start: start + 2,
      input: { value: '{"order_id":"W1"}' },
      output: { value: JSON.stringify(result) },
      ...rest,
    },
    {
      trace,
      span: `${trace}-l`,
      parent: agent,
      kind: "llm",
      name: "chat",
      start: start + 4,
      input: say("user", user),
      output: say("assistant", "It was sent."),
      ...rest,
    },
  ];
}
