import { startVendor, type VendorServer } from "./server.ts";

/** An item of a dataset as the tool holds it. */
export interface HeldItem {
  readonly id: string;
  readonly datasetName: string;
  readonly input: Record<string, unknown> | null;
  readonly expectedOutput: unknown;
  readonly metadata: Record<string, unknown> | null;
  readonly status: "ACTIVE" | "ARCHIVED";
}

/** The dataset tool on loopback: datasets by name, items upserted by id, paged lists, opened by the project's two keys. */
export interface DatasetToolServer extends VendorServer {
  readonly keys: { readonly public_key: string; readonly secret_key: string };
  readonly datasets: Map<string, { readonly description: string }>;
  readonly items: Map<string, HeldItem>;
  /** Items of these ids are refused with 400. */
  readonly refused: Set<string>;
  /** Item posts that are still taken before every later one is refused with 429; none when absent. */
  taken: { left: number; retryAfter: number } | undefined;
}

/** Starts it on a free loopback port. */
export async function startDatasetTool(): Promise<DatasetToolServer> {
  const keys = { public_key: "pk-lf-ds", secret_key: "sk-lf-ds" };
  const datasets = new Map<string, { description: string }>();
  const items = new Map<string, HeldItem>();
  const refused = new Set<string>();
  const basic = `Basic ${Buffer.from(`${keys.public_key}:${keys.secret_key}`).toString("base64")}`;
  const tool: { taken: DatasetToolServer["taken"] } = { taken: undefined };
  const server = await startVendor(({ method, path, query, headers, body }) => {
    if (headers.authorization !== basic) return { status: 401, body: { message: "Invalid credentials" } };
    if (path === "/api/public/v2/datasets" && method === "POST") {
      const { name, description = "" } = JSON.parse(body);
      if (!name) return { status: 400, body: { message: "Invalid request data" } };
      datasets.set(name, { description });
      return { body: { id: `ds-${name}`, name, description } };
    }
    if (path !== "/api/public/dataset-items") return { status: 404, body: { message: "Not found" } };
    if (method === "GET") {
      const page = Number(query.get("page"));
      const limit = Number(query.get("limit"));
      if (!datasets.has(query.get("datasetName") ?? "")) return { status: 404, body: { message: "Dataset not found" } };
      if (limit > 100 || page < 1) return { status: 400, body: { message: "Invalid request data" } };
      const all = [...items.values()].filter((item) => item.datasetName === query.get("datasetName"));
      const meta = { page, limit, totalItems: all.length, totalPages: Math.ceil(all.length / limit) };
      return { body: { data: all.slice((page - 1) * limit, page * limit), meta } };
    }
    const { id, datasetName, input, expectedOutput, metadata, status = "ACTIVE" } = JSON.parse(body);
    if (!datasets.has(datasetName)) return { status: 404, body: { message: "Dataset not found" } };
    if (tool.taken && tool.taken.left-- <= 0)
      return {
        status: 429,
        headers: { "retry-after": String(tool.taken.retryAfter) },
        body: { message: "Rate limit" },
      };
    const known = items.get(id);
    if (refused.has(id) || (known && known.datasetName !== datasetName))
      return { status: 400, body: { message: "Invalid request data" } };
    const item = {
      id,
      datasetName,
      input: input ?? known?.input ?? null,
      expectedOutput: expectedOutput ?? known?.expectedOutput ?? null,
      metadata: metadata ?? known?.metadata ?? null,
      status,
    };
    items.set(id, item);
    return { body: item };
  });
  return Object.assign(tool, { ...server, keys, datasets, items, refused });
}
