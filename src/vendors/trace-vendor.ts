import type { DatasetTool, TraceVendor } from "../../chapters/ports/vendors.ts";
import type { Config } from "../config.ts";
import type { Ask, Requester } from "./guarded-request.ts";
import { traceStoreAt } from "./trace-store.ts";

const WHO = "The tracing tool";

/** The tracing tool over its OTLP and scores endpoints: its older batch endpoint is being taken away. */
export function traceVendor(ask: Requester, config: Config["sources"]): TraceVendor {
  const at = traceStoreAt(config.traceStoreUrl);
  const { public: public_key, secret: secret_key } = config.traceStoreKeys ?? {};
  const post = async (tool: DatasetTool, path: string, body: object, signal: AbortSignal) => {
    const { base, trusted } = at(tool.project);
    const authorization = `Basic ${Buffer.from(`${tool.public_key}:${tool.secret_key}`).toString("base64")}`;
    const headers = { accept: "application/json", "content-type": "application/json" };
    const request: Ask = { url: new URL(`${base}${path}`), secret: { authorization }, headers, trusted, who: WHO };
    await ask({ ...request, method: "POST", body: JSON.stringify(body) }, signal);
  };
  return {
    settings: [
      { env: "SVC_TRACE_STORE_PUBLIC_KEY", set: public_key !== undefined },
      { env: "SVC_TRACE_STORE_SECRET_KEY", set: secret_key !== undefined },
    ],
    tool: () =>
      public_key === undefined || secret_key === undefined ? undefined : { project: "", public_key, secret_key },
    spans: (tool, resourceSpans, signal) => post(tool, "/api/public/otel/v1/traces", { resourceSpans }, signal),
    score: (tool, { value, ...score }, signal) =>
      post(tool, "/api/public/scores", { ...score, value: value ? 1 : 0, dataType: "BOOLEAN" }, signal),
  };
}
