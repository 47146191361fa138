import { createHash, randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { type Seen, startVendor, type VendorAnswer, type VendorServer } from "./server.ts";

/** Claims of a token: beside the standard ones, or in their place; null leaves one out. */
export type Claims = Readonly<Record<string, unknown>>;

/** An authorization server that speaks OAuth 2.1 for public clients: everybody who asks for a code is the same person. */
export interface TestIssuer extends VendorServer {
  /** A token for an audience. Without `sign` it is signed by the key that the issuer publishes. */
  token(audience: string, claims?: Claims, sign?: { readonly key: CryptoKey }): Promise<string>;
  /** What the last token was asked for. */
  readonly last: { resource?: string; scope?: string };
  /** Publishes another key and signs with it, as issuers do from time to time. */
  rotate(): Promise<void>;
}

interface Code {
  readonly challenge: string;
  readonly redirect: string;
  readonly resource: string;
  readonly scope: string;
}

/** Starts an issuer on loopback whose tokens hold these claims beside the standard ones. */
export async function startIssuer(person: Claims): Promise<TestIssuer> {
  let key = await newKey();
  const codes = new Map<string, Code>();
  const last: { resource?: string; scope?: string } = {};
  let url = "";

  const token: TestIssuer["token"] = async (audience, claims = {}, sign) => {
    const now = Math.floor(Date.now() / 1000);
    const base = { iss: url, aud: audience, iat: now, exp: now + 300, sub: "person-1", client_id: "client-1" };
    const all = { ...base, scope: "admin", ...person, ...claims };
    const payload: JWTPayload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
    return new SignJWT(payload)
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: key.kid })
      .sign(sign?.key ?? key.privateKey);
  };

  const authorize = ({ query }: Seen): VendorAnswer => {
    const redirect = query.get("redirect_uri") ?? "";
    const [code, state] = [randomUUID(), query.get("state")];
    const asked = (name: string) => query.get(name) ?? "";
    codes.set(code, {
      challenge: asked("code_challenge"),
      redirect,
      resource: asked("resource"),
      scope: asked("scope"),
    });
    const back = new URL(redirect);
    for (const [name, value] of Object.entries({ code, iss: url, ...(state === null ? {} : { state }) }))
      back.searchParams.set(name, value);
    return { status: 302, headers: { location: back.href } };
  };

  const exchange = async ({ body }: Seen): Promise<VendorAnswer> => {
    const form = new URLSearchParams(body);
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verifier = createHash("sha256").update(form.get("code_verifier") ?? "");
    if (!code || code.challenge !== verifier.digest("base64url") || code.redirect !== form.get("redirect_uri"))
      return { status: 400, body: { error: "invalid_grant" } };
    const { scope } = code;
    const resource = form.get("resource") ?? code.resource;
    Object.assign(last, { resource, scope });
    const granted = { access_token: await token(resource, { scope }), token_type: "Bearer", expires_in: 300, scope };
    return { headers: { "cache-control": "no-store" }, body: granted };
  };

  const vendor = await startVendor((seen) => {
    switch (`${seen.method} ${seen.path}`) {
      case "GET /.well-known/oauth-authorization-server":
        return { body: metadataOf(url) };
      case "GET /keys":
        return { body: { keys: [key.jwk] } };
      case "POST /register":
        return { status: 201, body: { ...JSON.parse(seen.body), client_id: "client-1" } };
      case "GET /authorize":
        return authorize(seen);
      case "POST /token":
        return exchange(seen);
      default:
        return { status: 404, body: {} };
    }
  });
  url = vendor.url;
  const rotate = async () => {
    key = await newKey();
  };
  return { ...vendor, token, last, rotate };
}

function metadataOf(url: string) {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    jwks_uri: `${url}/keys`,
    scopes_supported: ["read", "push", "admin"],
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}

async function newKey() {
  const kid = randomUUID();
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" } };
}
