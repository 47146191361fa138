import { unprocessable } from "../../chapters/errors.ts";
import type { ObsWriteKey, ObsWriteVendor } from "../../chapters/ports/vendors.ts";
import type { SourcesConfig } from "../config.ts";
import { type Ask, jsonOf, objectOf, type Requester } from "./guarded-request.ts";
import { obsApi } from "./obs.ts";

const WHO = "The observability vendor";

/** The observability vendor, written to over its public API: events, notebooks, and experiments with their project and dataset. */
export function obsWriteVendor(config: SourcesConfig["obs"], ask: Requester): ObsWriteVendor {
  const { api, trusted } = obsApi(config);
  const call = async (key: ObsWriteKey, path: string, signal: AbortSignal, body?: object, once = true) => {
    const secret = { "dd-api-key": key.api_key, "dd-application-key": key.app_key };
    const headers = { accept: "application/json", ...(body ? { "content-type": "application/json" } : {}) };
    const request: Ask = { url: api(key.site, path), secret, headers, trusted, once, who: WHO };
    const got = await ask(body ? { ...request, method: "POST", body: JSON.stringify(body) } : request, signal);
    return objectOf(jsonOf(got));
  };
  return {
    async event(key, event, signal) {
      const answer = objectOf((await call(key, "/api/v1/events", signal, event)).event);
      const id = answer.id_str ?? answer.id;
      return { id: idOf(id), ...(typeof answer.url === "string" ? { url: answer.url } : {}) };
    },
    async notebook(key, notebook, signal) {
      const { data } = await call(key, "/api/v1/notebooks", signal, notebook);
      return { id: idOf(objectOf(data).id) };
    },
    async experiment(key, { project, dataset, ...attributes }, signal) {
      const base = "/api/v2/llm-obs/v1";
      // A project of a known name is answered as it is; making one twice is harmless, and so is asking again.
      const ofProject = { data: { type: "projects", attributes: { name: project, description: "" } } };
      const project_id = recordId(await call(key, `${base}/projects`, signal, ofProject, false));
      const datasets = `${base}/${encodeURIComponent(project_id)}/datasets`;
      const known = (await call(key, `${datasets}?filter[name]=${encodeURIComponent(dataset)}`, signal)).data;
      const first = (Array.isArray(known) ? known.map(objectOf) : []).find(
        (row) => objectOf(row.attributes).name === dataset,
      );
      const ofDataset = { data: { type: "datasets", attributes: { name: dataset } } };
      const dataset_id = first ? idOf(first.id) : recordId(await call(key, datasets, signal, ofDataset));
      const record = { ...attributes, project_id, dataset_id, config: {}, ensure_unique: true, run_count: 1 };
      const made = await call(key, `${base}/experiments`, signal, {
        data: { type: "experiments", attributes: record },
      });
      return { id: recordId(made) };
    },
  };
}

function recordId(answer: Readonly<Record<string, unknown>>): string {
  return idOf(objectOf(answer.data).id);
}

function idOf(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number") return String(value);
  throw unprocessable(`${WHO} answered without saying what it made.`);
}
