import { timingSafeEqual } from "node:crypto";
import type { Caller } from "../../chapters/caller.ts";
import type { Log } from "../../chapters/context.ts";
import { hashToken, TOKEN_PREFIX } from "../../chapters/credentials.ts";
import { forbidden, unauthenticated } from "../../chapters/errors.ts";
import type { OrgRow, ServiceStore, TokenRow } from "../../chapters/ports/store.ts";
import { Member } from "../../chapters/records/organization/organization.ts";
import type { KeptCredential } from "../jobs/call-job.ts";
import { type OAuthResource, scopeOf } from "./oauth.ts";

/** Last use is written at most this often per token, in seconds: it tells a person whether a token is alive, no more. */
const TOUCH_EVERY = 60;

/** How many last uses are remembered before those of past minutes are let go. */
const REMEMBERED = 10_000;

/** The setting of the workspace that holds the hash of the service-wide token made here. */
export const OPERATOR_HASH = "operator_token_hash";

/** Tells who holds a token. Every check reads the store, so a revocation holds from the next request on. */
export class Authenticator {
  readonly #service: ServiceStore;
  readonly #operator: string | undefined;
  readonly #now: () => number;
  readonly #log: Log;
  readonly #touched = new Map<string, number>();

  /** Takes access tokens of the operator's authorization server; undefined where none is named. */
  readonly oauth: OAuthResource | undefined;

  /** `operatorToken` is the service-wide token of the environment; one that was made here is read from the store. */
  constructor(
    service: ServiceStore,
    operatorToken: string | undefined,
    now: () => number,
    log: Log,
    oauth?: OAuthResource,
  ) {
    this.#service = service;
    this.oauth = oauth;
    this.#operator = operatorToken === undefined ? undefined : hashToken(operatorToken);
    this.#now = now;
    this.#log = log;
  }

  /** The caller of the service's own surfaces. Throws `unauthenticated`, or `forbidden` for a world's connector token. */
  async caller(bearer: string | undefined): Promise<Caller> {
    if (bearer === undefined || bearer === "") {
      throw unauthenticated("Send a token in the header: Authorization: Bearer <token>.");
    }
    if (this.oauth?.isOne(bearer)) return this.oauth.caller(bearer);
    const hash = hashToken(bearer);
    if (bearer.startsWith(TOKEN_PREFIX.operator) && (await this.#isOperator(hash))) {
      return { kind: "operator", name: "operator", scope: "admin" };
    }
    return this.#ofOrg(await this.#live(hash, bearer));
  }

  /**
   * Who holds a credential now that was shown earlier, in the org that it was shown for: what the token opens today, or
   * its member's role. Throws as `caller` does where it no longer opens anything.
   */
  async again({ caller, hash }: KeptCredential, org: Pick<OrgRow, "id">): Promise<Caller> {
    if (caller.kind === "operator") {
      if (hash !== undefined && (await this.#isOperator(hash))) return caller;
      throw unauthenticated("The service-wide token that asked for this is no longer the service's.");
    }
    if (hash !== undefined) return this.#ofOrg(await this.#live(hash));
    if (caller.member === undefined) return caller;
    const member = await this.#service.forOrg(org.id).records.get(Member, caller.member);
    if (!member) throw forbidden("The member who asked for this is no longer one of the org.");
    return { ...caller, scope: scopeOf(member, caller.scope) };
  }

  #ofOrg({ org, token }: { org: OrgRow; token: TokenRow }): Caller {
    if (token.kind === "world") {
      throw forbidden("A connector token opens its world's MCP endpoint and nothing else.");
    }
    if (token.kind === "door") {
      throw forbidden("A door's secret opens its HTTP door and nothing else.");
    }
    return { kind: "org", name: token.name, token: token.id, scope: token.scope, org: { id: org.id, tag: org.tag } };
  }

  /** The org whose world a connector token opens, and the token's id. Any other credential is refused, whatever its scope. */
  async connector(
    bearer: string | undefined,
    world: string,
  ): Promise<{ readonly org: string; readonly token: string }> {
    if (bearer === undefined || bearer === "") {
      throw unauthenticated("Send this world's connector token in the header: Authorization: Bearer <token>.");
    }
    if (!bearer.startsWith(TOKEN_PREFIX.world)) {
      throw forbidden("A world is opened by its own connector token (svc_world_…) only.");
    }
    const { org, token } = await this.#live(hashToken(bearer), bearer);
    if (token.kind !== "world" || token.world !== world) {
      throw forbidden("This connector token belongs to another world.");
    }
    return { org: org.id, token: token.id };
  }

  /** The org and the token of a door's secret; undefined where it is unknown, revoked, expired or no door's. */
  async door(secret: string): Promise<{ org: OrgRow; token: TokenRow } | undefined> {
    if (!secret.startsWith(TOKEN_PREFIX.door)) return undefined;
    const found = await this.#service.tokenByHash(hashToken(secret));
    if (found?.token.kind !== "door" || found.token.revoked_at !== null) return undefined;
    const now = this.#now();
    if (found.token.expires_at !== null && found.token.expires_at <= now) return undefined;
    await this.#touch(found.org.id, found.token, now);
    return found;
  }

  async #isOperator(hash: string): Promise<boolean> {
    const made = await this.#service.setting(OPERATOR_HASH);
    return [this.#operator, made].some(
      (known) => known !== undefined && timingSafeEqual(Buffer.from(known, "hex"), Buffer.from(hash, "hex")),
    );
  }

  async #live(hash: string, bearer?: string): Promise<{ org: OrgRow; token: TokenRow }> {
    const found = await this.#service.tokenByHash(hash);
    if (!found && bearer !== undefined) {
      throw unauthenticated("This token is unknown here; see details for its leading characters.", {
        names: [bearer.slice(0, 12)],
      });
    }
    if (!found) throw unauthenticated("The token that asked for this is unknown here by now.");
    const { token } = found;
    const now = this.#now();
    if (token.revoked_at !== null) {
      throw unauthenticated("This token was revoked; details name it.", { names: [token.name] });
    }
    if (token.expires_at !== null && token.expires_at <= now) {
      throw unauthenticated("This token has expired; details name it.", { names: [token.name] });
    }
    await this.#touch(found.org.id, token, now);
    return found;
  }

  /** Keeps the time of a token's last use; that of the first before the call is answered, as it tells whether there was any. */
  async #touch(org: string, token: TokenRow, now: number): Promise<void> {
    const last = this.#touched.get(token.id) ?? token.last_used_at ?? Number.NEGATIVE_INFINITY;
    if (now - last < TOUCH_EVERY) return;
    this.#touched.set(token.id, now);
    // A trial has a token of its own: what is due to be written again anyway need not be remembered.
    if (this.#touched.size > REMEMBERED)
      for (const [id, at] of this.#touched) if (now - at >= TOUCH_EVERY) this.#touched.delete(id);
    const kept = this.#service
      .forOrg(org)
      .tokens.touch(token.id, now)
      .catch((err: unknown) => this.#log.warn({ err, token: token.id }, "could not record a token's last use"));
    if (token.last_used_at === null) await kept;
  }
}
