import type { Answer, Invoke, TestApp, TestOrg } from "../../helpers/app.ts";
import type { ObsTool } from "../../helpers/vendors/obs.ts";

/** Pulls a source and waits for the pull's end; what its job came to. */
export async function pulled(invoke: Invoke, t: { app: TestApp; org: TestOrg }, sid: string) {
  const started = await invoke("sources_sync", { sid }, t.org.push);
  if (started.status >= 300) return { status: started.status, started, result: undefined };
  return { ...(await ended(t, started.body.job)), started };
}

/** Waits for a job's end. */
export async function ended({ app, org }: { app: TestApp; org: TestOrg }, job: string) {
  const store = app.service.store.forOrg(org.id);
  for (;;) {
    const row = await store.jobs.get(job);
    if (row && !["queued", "running"].includes(row.status))
      // biome-ignore lint/suspicious/noExplicitAny: results of many jobs; a wrong name fails the expectation.
      return { status: row.status, note: row.note, result: row.result as any };
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** What makes a source of the vendor's application: consented to, a day back unless told otherwise. */
export function obsSource(vendor: ObsTool, over: object = {}) {
  return {
    kind: "obs",
    external_id: "shop-bot",
    auth: vendor.keys,
    scope: { site: "datadoghq.com" },
    consent: "granted",
    import: { days: 1 },
    ...over,
  };
}

/** Every trace that a source's evidence holds, oldest record first. */
export async function tracesOf({ app, org }: { app: TestApp; org: TestOrg }, answer: Answer) {
  const store = app.service.store.forOrg(org.id);
  const traces = [];
  for await (const { trace } of store.traces.stream(
    answer.body.evidence.map((row: { id: string }) => row.id).reverse(),
  ))
    traces.push(trace);
  return traces;
}
