import { startVendor, type VendorServer } from "./server.ts";

/** An observation as the tracing tool's second read API answers it. */
export interface Observation {
  readonly id: string;
  readonly traceId: string;
  readonly parentObservationId?: string | null;
  readonly type: "AGENT" | "GENERATION" | "TOOL" | "SPAN";
  readonly name: string;
  readonly startTime: string;
  readonly endTime?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly providedModelName?: string;
  readonly sessionId?: string;
}

/** The tracing tool on loopback: its list of observations, paged by cursor, opened by the project's two keys. */
export interface TraceStoreTool extends VendorServer {
  readonly keys: { readonly public_key: string; readonly secret_key: string };
  readonly observations: Observation[];
  readonly settings: { pageSize: number };
}

/** Starts the tracing tool on a free loopback port. */
export async function startTraceStore(): Promise<TraceStoreTool> {
  const keys = { public_key: "pk-lf-5d", secret_key: "sk-lf-77" };
  const observations: Observation[] = [];
  const settings = { pageSize: 1000 };
  const basic = `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString("base64")}`;
  const server = await startVendor(({ method, path, query, headers }) => {
    if (headers.authorization !== basic) return { status: 401, body: { message: "Invalid credentials" } };
    if (path !== "/api/public/v2/observations" || method !== "GET")
      return { status: 404, body: { message: "This endpoint was removed on November 16, 2026" } };
    const fields = (query.get("fields") ?? "core").split(",");
    const limit = Number(query.get("limit") ?? 50);
    if (limit > 1000 || !fields.includes("io")) return { status: 400, body: { message: "Invalid request data" } };
    const from = Date.parse(query.get("fromStartTime") ?? "");
    const to = Date.parse(query.get("toStartTime") ?? "");
    // Newest first, as the tool lists them.
    const found = observations
      .filter(({ startTime }) => Date.parse(startTime) >= from && Date.parse(startTime) < to)
      .sort((a, b) => Date.parse(b.startTime) - Date.parse(a.startTime));
    const begin = Number(Buffer.from(query.get("cursor") ?? "", "base64").toString());
    const end = begin + Math.min(limit, settings.pageSize);
    const meta = end < found.length ? { cursor: Buffer.from(String(end)).toString("base64") } : {};
    return { body: { data: found.slice(begin, end), meta } };
  });
  return { ...server, keys, observations, settings };
}

/** The observations of one session: an agent, a tool call, a generation. Values are JSON texts, as the tool has them. */
export function sessionObservations(traceId: string, start: number, user = "Where is my order?"): Observation[] {
  const at = (seconds: number) => new Date((start + seconds) * 1000).toISOString();
  const messages = [{ role: "user", content: user }];
  const answer = { role: "assistant", content: "It was sent." };
  const agent = `${traceId}-a`;
  return [
    {
      id: agent,
      traceId,
      parentObservationId: null,
      type: "AGENT",
      name: "agent",
      startTime: at(0),
      endTime: at(9),
      input: JSON.stringify(messages),
      output: JSON.stringify(answer),
    },
    {
      id: `${traceId}-t`,
      traceId,
      parentObservationId: agent,
      type: "TOOL",
      name: "get_order",
      startTime: at(2),
      endTime: at(3),
      input: '{"order_id":"W1"}',
      output: '{"status":"sent"}',
    },
    {
      id: `${traceId}-g`,
      traceId,
      parentObservationId: agent,
      type: "GENERATION",
      name: "chat",
      providedModelName: "gpt-4o",
      startTime: at(4),
      endTime: at(6),
      input: JSON.stringify(messages),
      output: JSON.stringify(answer),
    },
  ];
}
