import { unprocessable } from "../../chapters/errors.ts";
import type { PullTarget, SpanAsk, SpanPage } from "../../chapters/ports/source-vendor.ts";
import { jsonOf, objectOf, type Requester } from "./guarded-request.ts";

const PAGE = 1000;
const FIELDS = "core,basic,io,metadata,model,usage";

/** Where a project's tool is: at the address that names it, else at the one the operator set and is trusted for that, else the maker's. */
export function traceStoreAt(url: string | undefined) {
  return (externalId: string): { readonly base: string; readonly trusted: boolean } => {
    const named = externalId.includes("://");
    const base = named ? externalId : (url ?? "https://cloud.langfuse.com");
    return { base: base.replace(/\/+$/, ""), trusted: !named && url !== undefined };
  };
}

/** A page of observations of the tracing tool's project, by its second read API: the first one's lists are being taken away. */
export async function traceStoreSpans(
  ask: Requester,
  at: ReturnType<typeof traceStoreAt>,
  target: PullTarget,
  { from, to, cursor }: SpanAsk,
  signal: AbortSignal,
): Promise<SpanPage> {
  const { base, trusted } = at(target.external_id);
  const url = new URL(`${base}/api/public/v2/observations`);
  const query = {
    fromStartTime: new Date(from * 1000).toISOString(),
    toStartTime: new Date(to * 1000).toISOString(),
    fields: FIELDS,
    expandMetadata: "attributes,resourceAttributes",
    limit: String(PAGE),
    ...(cursor === undefined ? {} : { cursor }),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { public_key: user, secret_key: password } = target.auth;
  const secret = { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
  const answer = objectOf(jsonOf(await ask({ url, secret, headers: { accept: "application/json" }, trusted }, signal)));
  if (!Array.isArray(answer.data)) throw unprocessable("The tool answered no list of observations.");
  const next = objectOf(answer.meta).cursor;
  const spans = answer.data.flatMap((value: unknown) => {
    const { traceId: trace, startTime, endTime } = objectOf(value);
    const start = Date.parse(String(startTime)) / 1000;
    if (typeof trace !== "string" || Number.isNaN(start)) return [];
    const end = Date.parse(String(endTime)) / 1000;
    return [{ trace, start, end: Number.isNaN(end) ? start : end, value }];
  });
  return { spans, ...(typeof next === "string" && next !== "" ? { next } : {}) };
}
