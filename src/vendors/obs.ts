import { type AppError, unavailable, unprocessable } from "../../chapters/errors.ts";
import type { ObsGrant, ObsVendor, PullTarget, SpanAsk, SpanPage } from "../../chapters/ports/source-vendor.ts";
import type { SourcesConfig } from "../config.ts";
import { type Ask, jsonOf, objectOf, type Requester } from "./guarded-request.ts";

/** The vendor's sites. A credential is sent to none but these, or to the address that the operator set in their place. */
const SITES = [
  "datadoghq.com",
  "us3.datadoghq.com",
  "us5.datadoghq.com",
  "datadoghq.eu",
  "ap1.datadoghq.com",
  "ap2.datadoghq.com",
  "ddog-gov.com",
] as const;
const SCOPES = ["llm_observability_read"];
const PAGE = 1000;

/** The observability vendor: its span search and its consent. */
export interface Obs extends ObsVendor {
  spans(target: PullTarget, ask: SpanAsk, signal: AbortSignal): Promise<SpanPage>;
}

/** Where the vendor's API is: at a site of its own, or at the address that the operator set and is trusted for that. */
export function obsApi({ apiUrl }: Pick<SourcesConfig["obs"], "apiUrl">) {
  return {
    // What stands in the address before the path stays: a gateway may serve the vendor under one.
    api: (site: string, path: string) =>
      new URL(`${(apiUrl ?? `https://api.${known(site)}`).replace(/\/+$/, "")}${path}`),
    trusted: apiUrl !== undefined,
  };
}

/** The vendor over HTTP, at its sites or at the address that the operator set. */
export function obsVendor(config: SourcesConfig["obs"], ask: Requester, now: () => number): Obs {
  const { api, trusted } = obsApi(config);
  const token = async (site: string, form: Record<string, string>, signal: AbortSignal): Promise<ObsGrant> => {
    const { clientId, clientSecret } = config;
    if (clientId === undefined || clientSecret === undefined) throw noClient();
    const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
    const post: Ask = { method: "POST", url: api(site, "/oauth2/v1/token"), secret: {}, headers, body, trusted };
    const got = await ask({ ...post, also: [400, 401] }, signal);
    if (got.status >= 400) throw unprocessable("The vendor refused the consent's code or grant.");
    return grantOf(jsonOf(got), now());
  };
  return {
    sites: SITES,
    scopes: SCOPES,
    client: { id: config.clientId, settings: ["SVC_OBS_CLIENT_ID", "SVC_OBS_CLIENT_SECRET"] },
    authorizeUrl({ site, state, challenge, redirectUri }) {
      if (config.clientId === undefined || config.clientSecret === undefined) throw noClient();
      const url = new URL(`${(config.appUrl ?? `https://app.${known(site)}`).replace(/\/+$/, "")}/oauth2/v1/authorize`);
      const query = {
        redirect_uri: redirectUri,
        client_id: config.clientId,
        response_type: "code",
        code_challenge: challenge,
        code_challenge_method: "S256",
        scope: SCOPES.join(" "),
        state,
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },
    exchangeCode: ({ site, code, verifier, redirectUri }, signal) =>
      token(
        site,
        { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: redirectUri },
        signal,
      ),
    refresh: ({ site, refreshToken }, signal) =>
      token(site, { grant_type: "refresh_token", refresh_token: refreshToken }, signal),
    async validate({ site, apiKey }, signal) {
      const secret = { "dd-api-key": apiKey };
      const got = await ask({ url: api(site, "/api/v1/validate"), secret, headers: JSON_ONLY, trusted }, signal);
      if (objectOf(jsonOf(got)).valid !== true)
        throw unprocessable("The vendor does not know this API key at this site.");
    },
    async spans(target, { from, to, of, cursor, trace }, signal) {
      const { scope, services, auth } = target;
      const body = {
        data: {
          type: "spans",
          attributes: {
            filter: {
              from: iso(from),
              to: iso(to),
              ...filterOf(target, of, services),
              ...(trace === undefined ? {} : { trace_id: trace }),
            },
            page: { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
            sort: "start_ns",
          },
        },
      };
      const secret: Record<string, string> =
        auth.grant === undefined
          ? { "dd-api-key": auth.api_key ?? "", "dd-application-key": auth.app_key ?? "" }
          : { authorization: `Bearer ${auth.grant.access_token}` };
      const post: Ask = {
        method: "POST",
        url: api(scope.site ?? "", "/api/v2/llm-obs/v1/spans/events/search"),
        secret,
        headers: { "content-type": "application/vnd.api+json", accept: "application/vnd.api+json" },
        body: JSON.stringify(body),
        trusted,
      };
      return pageOf(jsonOf(await ask(post, signal)));
    },
  };
}

const JSON_ONLY = { accept: "application/json" };

function known(site: string): string {
  if (!(SITES as readonly string[]).includes(site)) throw unprocessable("The observability vendor has no such site.");
  return site;
}

function filterOf({ scope }: PullTarget, of: SpanAsk["of"], services: readonly string[]): Record<string, string> {
  const app = of === "requests" ? scope.requests_ml_app : scope.ml_app;
  const only = of === "requests" ? scope.requests_select : scope.query;
  const service = of === "spans" && services.length > 0 ? `service:(${services.map(quoted).join(" OR ")})` : undefined;
  const query = [only, service].filter((each) => each !== undefined && each !== "").join(" ");
  return { ...(app === undefined ? {} : { ml_app: app }), ...(query === "" ? {} : { query }) };
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
}

function pageOf(answer: unknown): SpanPage {
  const { data, meta } = objectOf(answer);
  if (!Array.isArray(data)) throw unprocessable("The vendor answered no list of spans.");
  const after = objectOf(objectOf(meta).page).after;
  const spans = data.flatMap((value: unknown) => {
    const { trace_id: trace, start_ns: ns, duration } = objectOf(objectOf(value).attributes);
    if (typeof trace !== "string" || typeof ns !== "number") return [];
    const start = ns / 1e9;
    return [{ trace, start, end: start + (typeof duration === "number" ? duration / 1e9 : 0), value }];
  });
  return { spans, ...(typeof after === "string" && after !== "" ? { next: after } : {}) };
}

function grantOf(answer: unknown, now: number): ObsGrant {
  const { access_token: access, refresh_token: refresh, expires_in: life } = objectOf(answer);
  if (typeof access !== "string") throw unprocessable("The vendor answered no access token.");
  return {
    access_token: access,
    ...(typeof refresh === "string" ? { refresh_token: refresh } : {}),
    expires_at: now + (typeof life === "number" ? life : 3600),
  };
}

function iso(second: number): string {
  return new Date(second * 1000).toISOString();
}

function noClient(): AppError {
  return unavailable(
    "The operator has registered no OAuth client (SVC_OBS_CLIENT_ID, SVC_OBS_CLIENT_SECRET). Connect with two keys: sources_obs_connect.",
  );
}
