import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { z } from "zod";
import { type Caller, Scope } from "../../chapters/caller.ts";
import { type AppError, forbidden, unauthenticated, unavailable } from "../../chapters/errors.ts";
import { memberWithEmail } from "../../chapters/organization/members.ts";
import type { ServiceStore } from "../../chapters/ports/store.ts";
import type { MemberRole } from "../../chapters/records/organization/organization.ts";

/** Signatures that only the holder of a private key makes: a key that is published must not be able to sign. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
/** How far the issuer's clock may be from ours, seconds. */
const CLOCKS_APART_S = 30;
/** How long the issuer may take to answer, and how long what it published is held, milliseconds. */
const ANSWERS_WITHIN_MS = 5_000;
const HELD_MS = 3_600_000;
/** The refusals of the library that say that the issuer did not answer as it should; all others are about the token. */
const UNREACHED = new Set(["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"]);

const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) });

/** An authorization server of the operator's choice. */
export interface OAuthConfig {
  /** As its tokens and its metadata name it, to the letter. */
  readonly issuer: string;
  /** An audience of its tokens beside this service's own address. */
  readonly audience: string | undefined;
  /** The tag of the one org that its tokens open; absent where each names its own. */
  readonly org: string | undefined;
}

/** What an access token of the issuer opens here. */
interface Grant {
  readonly org: string | undefined;
  readonly email: string | undefined;
  readonly scope: Scope | undefined;
  /** The client that holds it. */
  readonly client: string;
}

/** Takes access tokens of an authorization server that the operator named, each for one member of one org. */
export class OAuthResource {
  readonly #config: OAuthConfig;
  readonly #store: ServiceStore;
  readonly #address: () => string | undefined;
  #keys: { readonly keys: Promise<JWTVerifyGetKey>; readonly until: number } | undefined;

  /** `address` is where callers reach this service: its tokens are bound to it. */
  constructor(config: OAuthConfig, store: ServiceStore, address: () => string | undefined) {
    this.#config = config;
    this.#store = store;
    this.#address = address;
  }

  /** The tool server's canonical address, which tokens are asked for. */
  get resource(): string {
    return `${this.#address() ?? ""}/mcp`;
  }

  /** Where the metadata of the protected resource is. */
  get metadataUrl(): string {
    return `${this.#address() ?? ""}${METADATA_PATH}/mcp`;
  }

  /** The metadata of the protected resource (RFC 9728). */
  get metadata() {
    return {
      resource: this.resource,
      resource_name: "proving-ground",
      authorization_servers: [this.#config.issuer],
      scopes_supported: Scope.options,
      bearer_methods_supported: ["header"],
    };
  }

  /** Whether a bearer token has the form of one that an issuer signs. */
  isOne(bearer: string): boolean {
    return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(bearer);
  }

  /**
   * Who holds an access token: a member, at the scope that both the token and the member's role have. Throws
   * `unauthenticated` for a token that is not for here, `forbidden` for one of nobody here, `unavailable` where the
   * issuer's keys cannot be had. Membership is read each time: who is removed is refused from the next request on.
   */
  async caller(token: string): Promise<Caller> {
    const { org: named, email, scope, client } = grantOf(await this.#verified(token));
    const tag = this.#config.org ?? named;
    const org = tag !== undefined && (named ?? tag) === tag ? await this.#store.orgByTag(tag) : undefined;
    const member = org && email && (await memberWithEmail(this.#store.forOrg(org.id).records, email));
    if (!org || !member)
      throw forbidden(
        "This access token is for nobody here: it has to name an org and the verified email address of one of its members.",
      );
    if (scope === undefined)
      throw forbidden("This access token holds none of the scopes read, push and admin.", {
        scope: "read",
      });
    return {
      kind: "org",
      name: member.name,
      scope: scopeOf(member, scope),
      token: `oauth:${member.id}:${client}`,
      member: member.id,
      org: { id: org.id, tag: org.tag },
    };
  }

  async #verified(token: string): Promise<JWTPayload> {
    const { jwtVerify } = await import("jose");
    const { issuer, audience } = this.#config;
    const address = this.#address() ?? "";
    const keys = await this.#issuerKeys();
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience: [this.resource, address, `${address}/`, ...(audience === undefined ? [] : [audience])],
        algorithms: ALGORITHMS,
        requiredClaims: ["exp", "sub"],
        clockTolerance: CLOCKS_APART_S,
      });
      return payload;
    } catch (error) {
      const { code, claim } = Object(error) as { code?: unknown; claim?: unknown };
      if (typeof code !== "string" || UNREACHED.has(code)) throw unreached();
      throw refusedToken(code, claim);
    }
  }

  #issuerKeys(): Promise<JWTVerifyGetKey> {
    const known = this.#keys;
    if (known && Date.now() < known.until) return known.keys;
    const keys = this.#found();
    const entry = { keys, until: Date.now() + HELD_MS };
    this.#keys = entry;
    // What failed is asked for again by the next token.
    keys.catch(() => {
      if (this.#keys === entry) this.#keys = undefined;
    });
    return keys;
  }

  async #found(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet } = await import("jose");
    for (const url of metadataUrls(this.#config.issuer)) {
      const metadata = Metadata.safeParse(await published(url));
      // Another issuer's metadata at this address would let it speak for this one.
      if (!metadata.success || metadata.data.issuer !== this.#config.issuer) continue;
      return createRemoteJWKSet(new URL(metadata.data.jwks_uri), { timeoutDuration: ANSWERS_WITHIN_MS });
    }
    throw unreached();
  }
}

/** What a member may do with a credential of theirs: what it says, and no more than their role. */
export function scopeOf({ role }: { readonly role: MemberRole }, said: Scope): Scope {
  if (role === "viewer") return "read";
  return said === "admin" && role !== "admin" ? "push" : said;
}

/** Where the metadata of protected resources is, in front of a resource's own path. */
export const METADATA_PATH = "/.well-known/oauth-protected-resource";

/** Where an issuer's metadata may be: RFC 8414, then OpenID Connect in both of its ways. */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  return [...new Set(urls)];
}

async function published(url: string): Promise<unknown> {
  try {
    const res = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) });
    return res.ok ? await res.json() : undefined;
  } catch {
    return undefined;
  }
}

function grantOf(payload: JWTPayload): Grant {
  const text = (name: string) => {
    const value = claimOf(payload, name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const verified = claimOf(payload, "email_verified");
  const granted = [payload.scope, payload.scp].flatMap((given) =>
    typeof given === "string" ? given.split(" ") : Array.isArray(given) ? given : [],
  );
  return {
    org: text("org"),
    // An address that the issuer did not check is what its holder says of themself.
    email: verified === true || verified === "true" ? text("email") : undefined,
    scope: (["admin", "push", "read"] as const).find((scope) => granted.includes(scope)),
    client: text("client_id") ?? text("azp") ?? "",
  };
}

/** A claim by its name, or by an address that ends in it, as issuers that keep plain names for themselves write their own. */
function claimOf(payload: JWTPayload, name: string): unknown {
  if (payload[name] !== undefined) return payload[name];
  const long = Object.keys(payload).find((key) => /^https?:\/\//.test(key) && key.endsWith(`/${name}`));
  return long === undefined ? undefined : payload[long];
}

function refusedToken(code: string, claim: unknown): AppError {
  const reason =
    code === "ERR_JWT_EXPIRED"
      ? "This access token has expired."
      : claim === "aud"
        ? "This access token was issued for another service."
        : "This access token is not one that the issuer of this service signed for it.";
  return unauthenticated(reason);
}

function unreached(): AppError {
  const reason = "The issuer of access tokens does not answer as it should, so this one cannot be checked now.";
  return unavailable(reason, { retryAfter: 5 });
}
