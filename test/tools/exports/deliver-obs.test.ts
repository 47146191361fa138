import { unzipSync } from "fflate";
import { afterAll, beforeAll, expect } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { bothSurfaces, type SurfaceTest } from "../../helpers/app.ts";
import { inFiles } from "../../helpers/stores/data-folder.ts";
import { type ObsWriteTool, startObsWrite } from "../../helpers/vendors/obs-write.ts";
import { leaveSecret, memberOf, twoGroups } from "./delivery-kit.ts";

let vendor: ObsWriteTool;
beforeAll(async () => {
  vendor = await startObsWrite();
});
afterAll(() => vendor.close());

const withObs = {
  get config() {
    const { sources } = readConfig({});
    return { sources: { ...sources, obs: { ...sources.obs, apiUrl: vendor.url } } };
  },
};

/** Tasks of which so many lost show a difference. */
const ENOUGH = 6;

const counts = () => [vendor.events.length, vendor.notebooks.length, vendor.experiments.length];

async function bytesOf({ app, org }: SurfaceTest, body: object): Promise<Buffer> {
  const answer = await fetch(`${app.url}/v0/orgs/acme/deliveries/obs`, {
    method: "POST",
    headers: { authorization: `Bearer ${org.push}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/zip");
  return Buffer.from(await answer.arrayBuffer());
}

bothSurfaces(
  "a dry run, the default, answers the payloads, and a zip holds the same",
  async (invoke, t) => {
    const { main, group } = await twoGroups(invoke, t, ENOUGH);
    const seen = vendor.seen.length;
    const args = { group, against: main, console: "https://console.example/app" };
    const dry = await invoke("deliver_obs", args, t.org.push);
    expect(dry).toMatchObject({
      status: 200,
      body: { dry_run: true, sent: [], tested: { group, met: 0, valid: ENOUGH } },
    });
    const { event, notebook, experiment } = dry.body.payloads;
    const page = `https://console.example/app/compare?a=${main}&b=${group}&via=obs`;
    expect(experiment.metadata).toMatchObject({ group, against: main, url: page });
    expect(experiment.metadata.trials[0]).toMatch(/^run_\w+\/tk_\w+\/1$/);
    for (const text of [event.text, notebook.data.attributes.cells[0].attributes.definition.text]) {
      expect(text).toContain(page);
      expect(text).toContain(experiment.metadata.trials[0]);
    }
    const named = await invoke("deliver_obs", { ...args, bug: "silent-write", kinds: ["event"] });
    expect(Object.keys(named.body.payloads)).toEqual(["event"]);
    expect(named.body.payloads.event.tags).toContain("bug:silent-write");
    for (const bad of [{ kinds: [] }, { kinds: ["fax"] }, { console: "javascript:alert(1)" }, { bug: "a b" }])
      expect((await invoke("deliver_obs", { ...args, ...bad })).status).toBe(400);

    const zip = unzipSync(await bytesOf(t, { ...args, format: "zip" }));
    expect(Object.keys(zip).sort()).toEqual(["event.json", "experiment.json", "notebook.json"]);
    const read = (name: string) => JSON.parse(Buffer.from(zip[name] ?? []).toString());
    expect(read("notebook.json")).toEqual(notebook);
    expect(read("experiment.json")).toMatchObject({ data: { type: "experiments", attributes: experiment } });
    expect((await invoke("deliver_obs", { ...args, format: "zip" })).status).toBe(200);

    expect(await invoke("deliver_obs", { ...args, dry_run: false })).toMatchObject({
      status: 200,
      body: { sent: [], error: "no_write_credential", reason: expect.stringContaining("obs_write") },
    });
    expect([vendor.seen.length, (await invoke("delivery_log")).body.log]).toEqual([seen, []]);
  },
  withObs,
);

bothSurfaces(
  "a real send writes each kind once, logs each, and goes on where one failed",
  async (invoke, t) => {
    const { main, group } = await twoGroups(invoke, t, ENOUGH);
    const { member, confirm } = await memberOf(invoke, t);
    const args = { group, against: main, dry_run: false };
    await leaveSecret(t, "obs_write", "no json");
    expect((await invoke("deliver_obs", args)).body.reason).toContain("api_key, app_key and site");
    await leaveSecret(t, "obs_write", vendor.credential);
    expect((await invoke("deliver_obs", args)).body.reason).toContain("off");
    expect((await invoke("delivery_put", { channel: "obs", on: true })).status).toBe(200);
    expect((await invoke("deliver_obs", args)).status).toBe(403);
    const before = counts();
    const send = async () => invoke("deliver_obs", { ...args, confirm: await confirm("obs", group) });

    vendor.next("/api/v1/events", { status: 403, body: { errors: ["Forbidden"] } });
    expect(await send()).toMatchObject({ status: 422, body: { reason: expect.stringContaining("credential") } });
    vendor.next("/api/v1/notebooks", { status: 502, body: "bad gateway" });
    const part = await send();
    expect(part).toMatchObject({
      status: 200,
      body: { error: "unavailable", sent: [{ kind: "event", already: false }] },
    });
    // A write whose end is not known is not made a second time by itself.
    expect(counts()).toEqual([(before[0] ?? 0) + 1, before[1], before[2]]);
    vendor.next("/api/v2/llm-obs/v1/experiments", { status: 429, headers: { "retry-after": "30" }, body: {} });
    expect((await send()).body).toMatchObject({
      error: "rate_limited",
      retry_after: 30,
      sent: [
        { kind: "event", already: true },
        { kind: "notebook", already: false },
      ],
    });
    const rest = await send();
    expect(rest.body.error).toBeUndefined();
    expect(rest.body.sent.map(({ already }: { already: boolean }) => already)).toEqual([true, true, false]);
    expect((await send()).body.log).toEqual([]);
    expect(counts()).toEqual(before.map((n) => n + 1));
    expect(vendor.events.at(-1)).toMatchObject({ alert_type: "error", aggregation_key: `finding:acme:${group}` });
    expect(vendor.experiments.at(-1)).toMatchObject({ project_id: expect.stringContaining("project-"), run_count: 1 });
    const { log } = (await invoke("delivery_log")).body;
    expect(log.map((row: { reference: { kind: string } }) => row.reference.kind)).toEqual([
      "experiment",
      "notebook",
      "event",
    ]);
    expect(log[0]).toMatchObject({ by: member, channel: "obs", group, target: "datadoghq.eu" });
    expect(JSON.stringify([log, rest.body])).not.toContain("dd-write");
  },
  withObs,
);

// Finding A30.
bothSurfaces(
  "an org's admin leaves its own keys for writing and takes them away, and nobody else does",
  async (invoke, { org, app }) => {
    const channel = async () => {
      const { channels } = (await invoke("delivery_get")).body;
      return channels.find((row: { channel: string }) => row.channel === "obs");
    };
    expect(await channel()).toMatchObject({
      reason: "No observability vendor is connected.",
      remedy: "delivery_put",
    });
    const off = await invoke("delivery_put", { channel: "obs", on: true });
    expect(off.body.reason).toMatch(/No observability vendor is connected\. .*delivery_put\.$/);
    const credential = JSON.parse(vendor.credential);
    const put = { channel: "obs", on: true, credential };
    expect((await invoke("delivery_put", put, org.push)).status).toBe(403);
    expect((await invoke("delivery_put", { ...put, channel: "download" })).body.fields[0].path).toBe("credential");
    const elsewhere = { ...credential, site: "evil.example" };
    expect((await invoke("delivery_put", { ...put, credential: elsewhere })).body.fields[0].path).toBe(
      "credential.site",
    );
    const nothing = { ...credential, api_key: "nope" };
    expect((await invoke("delivery_put", { ...put, credential: nothing })).status).toBe(422);
    expect((await channel()).state).toBe("not_connected");

    const left = await invoke("delivery_put", { ...put, by: "mei" });
    expect(left).toMatchObject({ status: 200, body: { channel: { channel: "obs", on: true, state: "ready" } } });
    for (const secret of [credential.api_key, credential.app_key])
      expect(JSON.stringify([left.body, await channel()])).not.toContain(secret);
    expect(inFiles(app.dataDir, [credential.api_key, credential.app_key])).toEqual([]);

    expect((await invoke("delivery_put", { channel: "obs", on: true, credential: null })).status).toBe(400);
    expect((await invoke("delivery_put", { channel: "obs", on: false, credential: null }, org.push)).status).toBe(403);
    const taken = await invoke("delivery_put", { channel: "obs", on: false, credential: null });
    expect(taken.body.channel).toMatchObject({ on: false, state: "not_connected" });
  },
  withObs,
);
