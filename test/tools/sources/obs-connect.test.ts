import { afterEach, beforeEach, expect } from "vitest";
import { bothSurfaces, FakeClock } from "../../helpers/app.ts";
import { inFiles } from "../../helpers/stores/data-folder.ts";
import { type ObsTool, sessionSpans, startObs } from "../../helpers/vendors/obs.ts";
import { ended, pulled } from "./kit.ts";

const NOW = 1_790_000_000;
let vendor: ObsTool;
let clock: FakeClock;
const obs = { apiUrl: "", appUrl: "https://app.vendor.example", clientId: "", clientSecret: "" };
const options = {
  config: { sources: { obs, vcsApiUrl: undefined, traceStoreUrl: undefined } } as never,
  get clock() {
    clock = new FakeClock(NOW);
    return clock;
  },
};
beforeEach(async () => {
  vendor = await startObs();
  obs.apiUrl = vendor.url;
  obs.clientId = vendor.client.id;
  obs.clientSecret = vendor.client.secret;
  vendor.spans.push(...sessionSpans("t1", NOW - 5000), ...sessionSpans("t2", NOW - 9000, { ml_app: "second-bot" }));
});
afterEach(() => vendor.close());

const KEYS = () => ({ ...vendor.keys, site: "datadoghq.com" });

bothSurfaces(
  "two keys and a site connect the vendor, and connect it anew",
  async (invoke, t) => {
    const listed = await invoke("sources_obs_connect", { ...KEYS(), list: true });
    expect(listed).toMatchObject({ status: 200, body: { source: null, state: "listed", first_sync: null } });
    expect(listed.body.services.sort()).toEqual(["second-bot", "shop-bot"]);
    expect((await invoke("sources_list")).body.sources).toEqual([]);

    const asked = await invoke("sources_obs_connect", { ...KEYS(), ml_app: "shop-bot" });
    expect(asked).toMatchObject({
      status: 201,
      body: { state: "connected", reconnected: false, first_sync: null, ml_app: "shop-bot" },
    });
    expect(asked.body.message).toContain("consented");
    expect(vendor.searches(), "only the list that was asked for read spans").toHaveLength(1);
    const sid = asked.body.source;
    const again = await invoke("sources_obs_connect", {
      ...KEYS(),
      ml_app: "shop-bot",
      consent: "granted",
      anon_key: "chosen-key-0123456789",
      by: "mei",
    });
    expect(again).toMatchObject({ status: 200, body: { source: sid, reconnected: true, state: "connected" } });
    expect(await ended(t, again.body.first_sync.job)).toMatchObject({ status: "landed", result: { traces: 1 } });
    const source = (await invoke("sources_get", { sid })).body;
    expect(source).toMatchObject({
      auth_mode: "keys",
      consent: "granted",
      consent_by: "mei",
      data_access: "anonymized",
      scope: { site: "datadoghq.com", ml_app: "shop-bot" },
    });
    expect(source.key_location).toContain("key of its own");
    const secrets = [...Object.values(vendor.keys), "chosen-key-0123456789"];
    for (const secret of secrets) expect(JSON.stringify([asked, again, source])).not.toContain(secret);
    expect(inFiles(t.app.dataDir, secrets)).toEqual([]);

    const other = await invoke("sources_obs_connect", { ...KEYS(), ml_app: "second-bot" });
    expect(other).toMatchObject({ status: 201, body: { reconnected: false } });
    expect(other.body.source).not.toBe(sid);
  },
  options,
);

bothSurfaces(
  "keys that open nothing, and sites that are not the vendor's, connect nothing",
  async (invoke, { org }) => {
    const wrong = await invoke("sources_obs_connect", { ...KEYS(), api_key: "nope" });
    expect(wrong).toMatchObject({ status: 422, body: { error: "unprocessable" } });
    const half = await invoke("sources_obs_connect", { ...KEYS(), app_key: "nope", consent: "granted" });
    expect(half).toMatchObject({ status: 422 });
    const site = await invoke("sources_obs_connect", { ...KEYS(), site: "evil.example.com" });
    expect(site).toMatchObject({ status: 400, body: { fields: [{ path: "scope.site" }] } });
    expect((await invoke("sources_list")).body.sources).toEqual([]);
    expect((await invoke("sources_obs_connect", KEYS(), org.push)).status).toBe(403);
    vendor.limit(4, 60);
    expect(await invoke("sources_obs_connect", KEYS())).toMatchObject({ status: 429, body: { retry_after: 60 } });
  },
  options,
);

const START = { site: "datadoghq.com", consent: "granted", ml_app: "shop-bot", data_access: "full", by: "mei" };

bothSurfaces(
  "the consent page connects the vendor: PKCE, a state that is good once, tokens that are renewed",
  async (invoke, t) => {
    const started = await invoke("sources_obs_oauth_start", START);
    expect(started.status).toBe(302);
    const { authorize_url, scopes, state } = started.body;
    const url = new URL(authorize_url);
    expect(url.origin + url.pathname).toBe("https://app.vendor.example/oauth2/v1/authorize");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: vendor.client.id,
      response_type: "code",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      scope: scopes.join(" "),
      redirect_uri: `${t.app.url}/console/consent/obs`,
      state,
    });
    const code = vendor.consent(authorize_url);
    const callback = await invoke("sources_obs_oauth_callback", {
      code,
      state,
      domain: "datadoghq.com",
      site: "datadoghq.com",
    });
    expect(callback).toMatchObject({
      status: 200,
      body: { auth: "oauth", reconnected: false, state: "connected", ml_app: "shop-bot", site: "datadoghq.com" },
    });
    expect(await ended(t, callback.body.first_sync.job)).toMatchObject({ result: { traces: 1 } });
    const sid = callback.body.source;
    expect((await invoke("sources_get", { sid })).body).toMatchObject({
      auth_mode: "oauth",
      consent: "granted",
      consent_by: "mei",
      data_access: "full",
    });
    expect(inFiles(t.app.dataDir, ["access-2", "refresh-2", vendor.client.secret])).toEqual([]);

    const used = await invoke("sources_obs_oauth_callback", { code, state });
    expect(used).toMatchObject({ status: 400, body: { fields: [{ path: "state" }] } });

    clock.advance(3600);
    vendor.spans.push(...sessionSpans("t3", NOW + 600));
    expect(await pulled(invoke, t, sid)).toMatchObject({ status: "landed", result: { traces: 1 } });
    const grants = vendor.seen
      .filter(({ path }) => path === "/oauth2/v1/token")
      .map(({ body }) => new URLSearchParams(body).get("grant_type"));
    expect(grants).toEqual(["authorization_code", "refresh_token"]);

    const anew = (await invoke("sources_obs_oauth_start", START)).body;
    const next = await invoke("sources_obs_oauth_callback", {
      code: vendor.consent(anew.authorize_url),
      state: anew.state,
    });
    expect(next.body).toMatchObject({ reconnected: true, source: sid });
  },
  options,
);

bothSurfaces(
  "a consent that was refused, forged, late or sent elsewhere connects nothing",
  async (invoke, { org, app }) => {
    const start = async () => (await invoke("sources_obs_oauth_start", START)).body;
    const refused = await start();
    const answer = await invoke("sources_obs_oauth_callback", { error: "access_denied", state: refused.state });
    expect(answer).toMatchObject({
      status: 200,
      body: { auth: null, source: null, first_sync: null, state: "refused" },
    });

    const late = await start();
    const code = vendor.consent(late.authorize_url);
    clock.advance(601);
    expect((await invoke("sources_obs_oauth_callback", { code, state: late.state })).status).toBe(400);
    expect((await invoke("sources_obs_oauth_callback", { code, state: "x".repeat(43) })).status).toBe(400);

    const elsewhere = await start();
    const before = vendor.seen.length;
    const sent = await invoke("sources_obs_oauth_callback", {
      code: vendor.consent(elsewhere.authorize_url),
      state: elsewhere.state,
      domain: "evil.example.com",
    });
    expect(sent).toMatchObject({ status: 400, body: { fields: [{ path: "scope.site" }] } });
    expect(vendor.seen.length, "no code was sent anywhere").toBe(before);

    const forged = await start();
    expect((await invoke("sources_obs_oauth_callback", { code: "guessed", state: forged.state })).status).toBe(422);
    const mine = await start();
    const other = await app.org("other");
    const theirs = await invoke(
      "sources_obs_oauth_callback",
      { orgtag: other.tag, code: vendor.consent(mine.authorize_url), state: mine.state },
      other.admin,
    );
    expect(theirs.status, "another org cannot end it").toBe(400);

    expect((await invoke("sources_obs_oauth_callback", { state: (await start()).state })).body.fields[0].path).toBe(
      "code",
    );
    expect((await invoke("sources_obs_oauth_start", { ...START, consent: "unset" })).body.fields[0].path).toBe(
      "consent",
    );
    expect((await invoke("sources_obs_oauth_start", { ...START, site: "evil.example.com" })).body.fields[0].path).toBe(
      "scope.site",
    );
    expect((await invoke("sources_obs_oauth_start", START, org.push)).status).toBe(403);
    expect((await invoke("sources_list")).body.sources).toEqual([]);
  },
  options,
);

bothSurfaces(
  "without a client of the operator's the consent page cannot be opened, and the keys are named",
  async (invoke) => {
    const answer = await invoke("sources_obs_oauth_start", START);
    expect(answer).toMatchObject({ status: 503, body: { error: "unavailable" } });
    expect(answer.body.reason).toContain("sources_obs_connect");
  },
  {
    config: {
      sources: {
        obs: { apiUrl: undefined, appUrl: undefined, clientId: undefined, clientSecret: undefined },
        vcsApiUrl: undefined,
      },
    } as never,
  },
);
