import type { SourceVendor } from "../../chapters/ports/source-vendor.ts";
import type { SourcesConfig } from "../config.ts";
import { guardedRequester, type Requester } from "./guarded-request.ts";
import { httpJsonBodies } from "./http-json.ts";
import { mcpBodies } from "./mcp-source.ts";
import { obsVendor } from "./obs.ts";
import { traceStoreAt, traceStoreSpans } from "./trace-store.ts";
import { vcsBodies } from "./vcs-source.ts";

/** The outside systems that sources are, by wire format; `ask` asks their addresses, `close` lets go of their connections. */
export function sourceVendor(
  config: SourcesConfig,
  options: { readonly privateAllowed: boolean; readonly now: () => number },
): SourceVendor & { readonly ask: Requester; close(): Promise<void> } {
  const ask = guardedRequester(options.privateAllowed);
  const obs = obsVendor(config.obs, ask, options.now);
  const store = traceStoreAt(config.traceStoreUrl);
  const vcs = { url: config.vcsApiUrl ?? "https://api.github.com", trusted: config.vcsApiUrl !== undefined };
  return {
    ask,
    obs,
    spans: (target, span, signal) =>
      target.kind === "obs" ? obs.spans(target, span, signal) : traceStoreSpans(ask, store, target, span, signal),
    bodies: async (target, seen, signal) => {
      if (target.kind === "mcp_server") return mcpBodies(ask, target, signal);
      return target.kind === "vcs"
        ? vcsBodies(ask, vcs, target, seen, signal)
        : httpJsonBodies(ask, target, seen, { signal, now: options.now });
    },
    close: () => ask.close(),
  };
}
