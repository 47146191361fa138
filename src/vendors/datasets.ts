import { unprocessable } from "../../chapters/errors.ts";
import type { DatasetTool, DatasetVendor } from "../../chapters/ports/vendors.ts";
import { type Ask, jsonOf, objectOf, type Requester } from "./guarded-request.ts";
import type { traceStoreAt } from "./trace-store.ts";

const WHO = "The dataset tool";
const PAGE = 100;
const MOST_PAGES = 10_000;

/** The external dataset tool over its public API. Every write puts a whole thing under its own id or name, so asking again is harmless. */
export function datasetVendor(ask: Requester, at: ReturnType<typeof traceStoreAt>): DatasetVendor {
  const call = async (tool: DatasetTool, path: string, signal: AbortSignal, body?: object) => {
    const secret = {
      authorization: `Basic ${Buffer.from(`${tool.public_key}:${tool.secret_key}`).toString("base64")}`,
    };
    const headers = { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) };
    const { base, trusted } = at(tool.project);
    const request: Ask = { url: new URL(`${base}${path}`), secret, headers, trusted, who: WHO };
    return objectOf(
      jsonOf(await ask(body ? { ...request, method: "POST", body: JSON.stringify(body) } : request, signal)),
    );
  };
  const putItem = async (tool: DatasetTool, body: object, signal: AbortSignal) => {
    await call(tool, "/api/public/dataset-items", signal, body);
  };
  return {
    async put(tool, dataset, signal) {
      await call(tool, "/api/public/v2/datasets", signal, dataset);
    },
    async items(tool, name, signal) {
      const ids: string[] = [];
      for (let page = 1; page <= MOST_PAGES; page++) {
        const query = new URLSearchParams({ datasetName: name, page: String(page), limit: String(PAGE) });
        const { data, meta } = await call(tool, `/api/public/dataset-items?${query}`, signal);
        if (!Array.isArray(data)) throw unprocessable(`${WHO} answered no list of items.`);
        for (const { id, status } of data.map(objectOf))
          if (typeof id === "string" && status !== "ARCHIVED") ids.push(id);
        if (page >= Number(objectOf(meta).totalPages ?? 0)) break;
      }
      return ids;
    },
    putItem: (tool, datasetName, { id, input, expected_output, metadata }, signal) =>
      putItem(tool, { id, datasetName, input, expectedOutput: expected_output, metadata, status: "ACTIVE" }, signal),
    archive: (tool, datasetName, id, signal) => putItem(tool, { id, datasetName, status: "ARCHIVED" }, signal),
  };
}
