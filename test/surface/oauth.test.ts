import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { generateKeyPair, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hashToken } from "../../chapters/credentials.ts";
import { Member } from "../../chapters/records/organization/organization.ts";
import { readConfig } from "../../src/config.ts";
import { startApp, type TestApp, type TestOrg } from "../helpers/app.ts";
import { type Claims, startIssuer, type TestIssuer } from "../helpers/vendors/oauth-issuer.ts";

const EMAIL = "ann@example.org";
let issuer: TestIssuer;
let app: TestApp;
let org: TestOrg;

beforeAll(async () => {
  issuer = await startIssuer({ org: "acme", email: EMAIL, email_verified: true });
  app = await startApp({ jobs: false, config: { oauth: { issuer: issuer.url, audience: undefined, org: undefined } } });
  org = await app.org("acme");
  await app.org("other");
  for (const [email, role] of [
    [EMAIL, "admin"],
    ["bob@example.org", "member"],
  ])
    expect(
      (await app.rest("POST", "/v0/orgs/acme/members", { email, name: email?.split("@")[0], role }, org.admin)).status,
    ).toBe(201);
});
afterAll(async () => {
  await app.close();
  await issuer.close();
});

const whoami = (token: string) => app.rest("GET", "/v0/whoami", undefined, token);
const asked = async (claims: Claims, audience = `${app.url}/mcp`) => whoami(await issuer.token(audience, claims));

// Finding S19.
describe("access tokens of the operator's issuer", () => {
  it("open one member's org at the scope that token and role both have", async () => {
    expect((await asked({})).body).toEqual({ kind: "org", name: "ann", scope: "admin", org: "acme", global: false });
    expect((await asked({ scope: "openid read" })).body.scope).toBe("read");
    expect((await asked({ scope: null, scp: ["push", "read"] })).body.scope).toBe("push");
    expect((await asked({ email: "BOB@example.org" })).body).toMatchObject({ name: "bob", scope: "push" });
    expect((await asked({}, app.url)).status).toBe(200);
    const named = { org: null, "https://example.org/claims/org": "acme" };
    expect((await asked(named)).body).toMatchObject({ org: "acme" });
    const other = await issuer.token(`${app.url}/mcp`);
    expect((await app.rest("GET", "/v0/orgs/other/tokens", undefined, other)).status).toBe(403);
  });

  it("leave the member's id in the audit chain, and the member's name on what they make", async () => {
    const token = await issuer.token(`${app.url}/mcp`);
    const made = await app.rest("POST", "/v0/orgs/acme/tokens", { name: "t", scope: "read" }, token);
    expect(made.body.created_by).toBe("ann");
    const lines = await app.service.store.forOrg(org.id).audit.list({ limit: 5 });
    expect(lines.items.find((line) => line.act === "token_minted")?.by).toMatch(/^member:/);
  });

  it.each<[string, Claims]>([
    ["that ran out", { exp: Math.floor(Date.now() / 1000) - 120 }],
    ["without an end", { exp: null }],
    ["that are not valid yet", { nbf: Math.floor(Date.now() / 1000) + 600 }],
    ["for another service", { aud: "https://example.org/mcp" }],
    ["for an address that only begins like ours", { aud: "http://127.0.0.1/mcp" }],
    ["of another issuer", { iss: "https://example.org" }],
    ["without an audience", { aud: null }],
  ])("are refused %s, with the way to a good one", async (_, claims) => {
    const refused = await asked(claims);
    expect(refused).toMatchObject({ status: 401, body: { error: "unauthenticated" } });
    const challenge = refused.headers.get("www-authenticate");
    expect(challenge).toContain('error="invalid_token"');
    expect(challenge).toContain(`resource_metadata="${app.url}/.well-known/oauth-protected-resource/mcp"`);
  });

  it.each<[string, Claims]>([
    ["of nobody here", { email: "eve@example.org" }],
    ["whose address nobody verified", { email_verified: false }],
    ["that do not say whether it is verified", { email_verified: null }],
    ["of an org that is not here", { org: "nowhere" }],
    ["of an org that the person is no member of", { org: "other" }],
    ["without an org", { org: null }],
    ["whose claims are no texts", { org: ["acme"], email: { a: 1 } }],
  ])("are refused %s, in the same words", async (_, claims) => {
    const refused = await asked(claims);
    expect(refused).toMatchObject({ status: 403, body: { error: "forbidden" } });
    expect(refused.text).toBe((await asked({ email: "nobody@example.org" })).text);
  });

  it("are refused without a scope of ours, and told which is missing", async () => {
    const none = await asked({ scope: "openid profile" });
    expect(none.status).toBe(403);
    const read = await issuer.token(`${app.url}/mcp`, { scope: "read" });
    const refused = await app.rest("GET", "/v0/orgs/acme/tokens", undefined, read);
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain('error="insufficient_scope", scope="admin"');
  });

  it("are refused unsigned, signed by another key, and changed", async () => {
    const { privateKey } = await generateKeyPair("ES256");
    const good = await issuer.token(`${app.url}/mcp`);
    const [head, body, signature] = good.split(".") as [string, string, string];
    const claims = JSON.parse(Buffer.from(body, "base64url").toString());
    const changed = Buffer.from(JSON.stringify({ ...claims, email: "bob@example.org" })).toString("base64url");
    const unsigned = new UnsecuredJWT(claims).encode();
    for (const token of [
      await issuer.token(`${app.url}/mcp`, {}, { key: privateKey }),
      [head, changed, signature].join("."),
      `${unsigned}x`,
      unsigned,
      "a.b.c",
    ])
      expect((await whoami(token)).status).toBe(401);
  });

  it("end with the membership", async () => {
    const { body } = await app.rest(
      "POST",
      "/v0/orgs/acme/members",
      { email: "cy@example.org", name: "cy", role: "member" },
      org.admin,
    );
    const token = await issuer.token(`${app.url}/mcp`, { email: "cy@example.org" });
    expect((await whoami(token)).status).toBe(200);
    await app.rest("DELETE", `/v0/members/${body.id}`, undefined, org.admin);
    expect((await whoami(token)).status).toBe(403);
  });

  it("hold later, for a job, as far as the member's role goes then", async () => {
    const { auth, store } = app.service;
    const member = { email: "di@example.org", name: "di", role: "admin" };
    const { body } = await app.rest("POST", "/v0/orgs/acme/members", member, org.admin);
    const caller = await auth.caller(await issuer.token(`${app.url}/mcp`, { email: member.email }));
    const acme = { id: org.id };
    expect(await auth.again({ caller }, acme)).toEqual(caller);
    await store.forOrg(org.id).records.update(Member, body.id, (row) => ({ ...row, role: "member" as const }));
    expect(await auth.again({ caller }, acme)).toEqual({ ...caller, scope: "push" });
    await app.rest("DELETE", `/v0/members/${body.id}`, undefined, org.admin);
    await expect(auth.again({ caller }, acme)).rejects.toMatchObject({ code: "forbidden" });
  });

  it("open no world, and leave our own tokens as they are", async () => {
    const token = await issuer.token(`${app.url}/mcp`);
    expect((await app.rest("POST", "/worlds/b/w/mcp", {}, token)).status).toBe(403);
    expect((await whoami(org.read)).body).toMatchObject({ kind: "org", scope: "read" });
    expect((await whoami(app.operator)).body).toMatchObject({ kind: "operator" });
  });
});

it("a credential holds later, for a job, only while the service knows it", async () => {
  const { auth } = app.service;
  const acme = { id: org.id };
  const operator = await auth.caller(app.operator);
  expect(await auth.again({ caller: operator, hash: hashToken(app.operator) }, acme)).toEqual(operator);
  for (const hash of [hashToken("svc_op_another"), undefined])
    await expect(auth.again({ caller: operator, ...(hash === undefined ? {} : { hash }) }, acme)).rejects.toMatchObject(
      { code: "unauthenticated" },
    );
  const pusher = await auth.caller(org.push);
  expect(await auth.again({ caller: pusher, hash: hashToken(org.push) }, acme)).toEqual(pusher);
  await expect(auth.again({ caller: pusher, hash: hashToken("svc_org_gone") }, acme)).rejects.toMatchObject({
    code: "unauthenticated",
    reason: "The token that asked for this is unknown here by now.",
  });
  const local = { kind: "local", name: "local", scope: "admin", org: { id: org.id, tag: "acme" } } as const;
  expect(await auth.again({ caller: local }, acme)).toEqual(local);
});

it("the metadata of the protected resource names the issuer and our scopes", async () => {
  const expected = {
    resource: `${app.url}/mcp`,
    authorization_servers: [issuer.url],
    scopes_supported: ["read", "push", "admin"],
    bearer_methods_supported: ["header"],
  };
  for (const path of ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"])
    expect((await app.rest("GET", path)).body).toMatchObject(expected);
  const without = await startApp({ jobs: false });
  try {
    expect((await without.rest("GET", "/.well-known/oauth-protected-resource/mcp")).status).toBe(404);
    const refused = await without.rest("GET", "/v0/whoami", undefined, await issuer.token(`${without.url}/mcp`));
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).not.toContain("resource_metadata");
  } finally {
    await without.close();
  }
});

it("an issuer that does not answer, or says that it is another, stops no token of ours", async () => {
  const silent = await startIssuer({ org: "acme", email: EMAIL, email_verified: true });
  const config = { oauth: { issuer: `${silent.url}/`, audience: "proving", org: "acme" } };
  const second = await startApp({ jobs: false, config });
  try {
    const token = await silent.token("proving", { iss: `${silent.url}/`, org: null });
    const ask = (bearer: string) => second.rest("GET", "/v0/whoami", undefined, bearer);
    // Its metadata names it without the slash at the end: to the letter that is another issuer.
    expect(await ask(token)).toMatchObject({ status: 503, body: { error: "unavailable", retry_after: 5 } });
    silent.fail(100, 500);
    expect((await ask(token)).status).toBe(503);
    expect((await ask((await second.org("acme")).read)).status).toBe(200);
  } finally {
    await second.close();
    await silent.close();
  }
});

it("the issuer is reached over TLS, or on this machine", () => {
  const read = (SVC_OAUTH_ISSUER: string) => readConfig({ SVC_OAUTH_ISSUER }).oauth?.issuer;
  expect(read("https://id.example.org/tenant/")).toBe("https://id.example.org/tenant/");
  expect(read("http://127.0.0.1:8080")).toBe("http://127.0.0.1:8080");
  expect(() => read("http://id.example.org")).toThrow("SVC_OAUTH_ISSUER must be an https:// address");
  expect(readConfig({}).oauth).toBeUndefined();
});

/** A client's side of the flow: what it stores, and where it would have sent the person. */
function provider() {
  const kept: Record<string, unknown> = {};
  let sentTo: URL | undefined;
  return {
    redirectUrl: "http://127.0.0.1:1/back",
    clientMetadata: {
      client_name: "test",
      redirect_uris: ["http://127.0.0.1:1/back"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.client as never,
    saveClientInformation: (client: unknown) => {
      kept.client = client;
    },
    tokens: () => kept.tokens as never,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier as string,
    redirectToAuthorization: (url: URL) => {
      sentTo = url;
    },
    /** Signs in as the person and comes back, as a browser would. */
    async signIn(): Promise<URLSearchParams> {
      const answer = await fetch(sentTo as URL, { redirect: "manual" });
      return new URL(answer.headers.get("location") ?? "").searchParams;
    },
  };
}

interface Connection {
  connect(): Promise<unknown>;
  finish(params: URLSearchParams): Promise<unknown>;
  again(): Promise<{ name: string }[]>;
  close(): Promise<void>;
}

const clients: Record<string, (url: URL, auth: ReturnType<typeof provider>) => Connection> = {
  "SDK 1.x": (url, authProvider) => {
    const transport = () => new HttpV1(url, { authProvider: authProvider as never });
    const [first, client] = [transport(), new ClientV1({ name: "v1", version: "1" })];
    return {
      connect: () => new ClientV1({ name: "v1", version: "1" }).connect(first as never),
      finish: (params) => first.finishAuth(params.get("code") ?? ""),
      again: async () => {
        await client.connect(transport() as never);
        return (await client.listTools()).tools;
      },
      close: () => client.close(),
    };
  },
  "SDK 2.x": (url, authProvider) => {
    const transport = () => new HttpV2(url, { authProvider: authProvider as never });
    const options = { versionNegotiation: { mode: "auto" as const } };
    const [first, client] = [transport(), new ClientV2({ name: "v2", version: "1" }, options)];
    return {
      connect: () => new ClientV2({ name: "v2", version: "1" }, options).connect(first),
      finish: (params) => first.finishAuth(params),
      again: async () => {
        await client.connect(transport());
        return (await client.listTools()).tools;
      },
      close: () => client.close(),
    };
  },
};

describe.each(Object.entries(clients))("%s", (_, connection) => {
  it("finds the issuer by itself, signs in and works", async () => {
    const auth = provider();
    const made = connection(new URL(`${app.url}/mcp?scope=read`), auth);
    await expect(made.connect()).rejects.toThrow(/unauthorized/i);
    await made.finish(await auth.signIn());
    expect(issuer.last).toEqual({ resource: `${app.url}/mcp`, scope: "push" });
    try {
      expect((await made.again()).map(({ name }) => name)).toContain("whoami");
    } finally {
      await made.close();
    }
  });
});

it("an issuer for one org needs no claim of it, and takes none of another", async () => {
  const config = { oauth: { issuer: issuer.url, audience: "proving", org: "acme" } };
  const second = await startApp({ jobs: false, config });
  try {
    const { admin } = await second.org("acme");
    await second.rest("POST", "/v0/orgs/acme/members", { email: EMAIL, name: "ann", role: "admin" }, admin);
    const ask = async (claims: Claims) =>
      second.rest("GET", "/v0/whoami", undefined, await issuer.token("proving", claims));
    expect((await ask({ org: null })).body).toMatchObject({ org: "acme", scope: "admin" });
    expect((await ask({ org: "other" })).status).toBe(403);
    await issuer.rotate();
    expect((await ask({ org: null })).status).toBe(401);
    // The issuer is not asked for its keys by every token that names an unknown one.
    const keysAsked = () => issuer.seen.filter(({ path }) => path === "/keys").length;
    const before = keysAsked();
    for (let n = 0; n < 5; n++) await ask({ org: null });
    expect(keysAsked()).toBe(before);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 31_000 });
    expect((await ask({ org: null })).status).toBe(200);
  } finally {
    vi.useRealTimers();
    await second.close();
  }
});
