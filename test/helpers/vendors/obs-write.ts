import { startVendor, type VendorAnswer, type VendorServer } from "./server.ts";

/** The observability vendor on loopback, for writing: events, notebooks, projects, datasets and experiments, as the vendor takes them. */
export interface ObsWriteTool extends VendorServer {
  /** The credential as an org leaves it. */
  readonly credential: string;
  readonly events: Record<string, unknown>[];
  readonly notebooks: Record<string, unknown>[];
  readonly experiments: Record<string, unknown>[];
  /** What the next request for this path is answered with. */
  next(path: string, answer: VendorAnswer): void;
}

const KEYS = { api_key: "dd-write-api-1", app_key: "dd-write-app-1" };
const OBS = "/api/v2/llm-obs/v1";

/** Starts it on a free loopback port. */
export async function startObsWrite(): Promise<ObsWriteTool> {
  const events: Record<string, unknown>[] = [];
  const notebooks: Record<string, unknown>[] = [];
  const experiments: Record<string, unknown>[] = [];
  const projects = new Map<string, string>();
  const datasets = new Map<string, string>();
  const planned = new Map<string, VendorAnswer>();
  const json = { "content-type": "application/vnd.api+json" };
  const server = await startVendor(({ method, path, query, headers, body }) => {
    if (path === "/api/v1/validate")
      return headers["dd-api-key"] === KEYS.api_key
        ? { body: { valid: true } }
        : { status: 403, body: { errors: ["Forbidden"] } };
    if (headers["dd-api-key"] !== KEYS.api_key || headers["dd-application-key"] !== KEYS.app_key)
      return { status: 403, body: { errors: ["Forbidden"] } };
    if (method === "POST" && headers["content-type"] !== "application/json")
      return { status: 415, body: { errors: ["Unsupported Media Type"] } };
    const refusal = planned.get(path);
    if (refusal) {
      planned.delete(path);
      return refusal;
    }
    const sent = body === "" ? {} : JSON.parse(body);
    if (path === "/api/v1/events" && method === "POST") {
      const { title, text, tags } = sent;
      if (typeof title !== "string" || title.length > 100 || typeof text !== "string" || text.length > 4000)
        return { status: 400, body: { errors: ["title and text are needed, of 100 and 4000 characters"] } };
      events.push(sent);
      const id = 8_407_723_285_051_133_000 + events.length;
      const event = { id, id_str: `840772328505113300${events.length}`, title, text, tags };
      return {
        status: 202,
        body: { status: "ok", event: { ...event, url: `https://app.vendor.example/event/${id}` } },
      };
    }
    if (path === "/api/v1/notebooks" && method === "POST") {
      const { type, attributes } = sent.data ?? {};
      if (type !== "notebooks" || !attributes?.name || attributes.name.length > 80 || attributes.cells?.length === 0)
        return { status: 400, body: { errors: ["Invalid notebook"] } };
      notebooks.push(attributes);
      return { body: { data: { type: "notebooks", id: 13_244_448 + notebooks.length, attributes } } };
    }
    if (path === `${OBS}/projects` && method === "POST") {
      const { name } = sent.data.attributes;
      if (sent.data.type !== "projects" || !name) return { status: 400, body: { errors: [{ detail: "name" }] } };
      projects.set(name, projects.get(name) ?? `project-${projects.size + 1}`);
      return { headers: json, body: { data: { id: projects.get(name), type: "projects", attributes: { name } } } };
    }
    const inProject = /^\/api\/v2\/llm-obs\/v1\/(project-\d+)\/datasets$/.exec(path)?.[1];
    if (inProject && method === "GET") {
      const name = query.get("filter[name]") ?? "";
      const id = datasets.get(`${inProject} ${name}`);
      const data = id === undefined ? [] : [{ id, type: "datasets", attributes: { name, project_id: inProject } }];
      return { headers: json, body: { data, meta: { after: "" } } };
    }
    if (inProject && method === "POST") {
      const { name } = sent.data.attributes;
      if (datasets.has(`${inProject} ${name}`)) return { status: 409, body: { errors: [{ detail: "exists" }] } };
      const id = `dataset-${datasets.size + 1}`;
      datasets.set(`${inProject} ${name}`, id);
      return { headers: json, body: { data: { id, type: "datasets", attributes: { name, current_version: 0 } } } };
    }
    if (path === `${OBS}/experiments` && method === "POST") {
      const { attributes, type } = sent.data;
      const known = [...projects.values()].includes(attributes.project_id);
      if (type !== "experiments" || !known || ![...datasets.values()].includes(attributes.dataset_id))
        return { status: 400, body: { errors: [{ title: "Generic Error", detail: "project_id, dataset_id" }] } };
      experiments.push(attributes);
      const id = `9d015796-0000-4000-8000-00000000000${experiments.length}`;
      return { headers: json, body: { data: { id, type: "experiments", attributes } } };
    }
    return { status: 404, body: { errors: ["Not found"] } };
  });
  const credential = JSON.stringify({ ...KEYS, site: "datadoghq.eu" });
  return { ...server, credential, events, notebooks, experiments, next: (path, answer) => planned.set(path, answer) };
}
