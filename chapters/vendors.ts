import type { SourceVendor } from "./sources/vendor.ts";

/** Outside services that this process may speak to, each behind its port; all of them refuse with AppErrors. */
export interface Vendors {
  readonly chat: ChatVendor;
  readonly mail: MailVendor;
  readonly mirror: MirrorVendor;
  readonly sources: SourceVendor;
}

/** An operator's setting that a vendor needs: the environment variable's name, and whether it holds something. */
export interface VendorSetting {
  readonly env: string;
  readonly set: boolean;
}

/** Who a chat token speaks as. `scopes` is absent where the vendor did not say. */
export interface ChatIdentity {
  readonly team_id: string;
  readonly team_name: string;
  readonly bot_user: string;
  readonly scopes?: readonly string[];
}

/** What an OAuth code was exchanged for. The token is a secret. */
export interface ChatGrant extends ChatIdentity {
  readonly token: string;
  readonly app_id: string;
}

/** A message to a channel, as the chat tool takes it. */
export interface ChatPost {
  readonly channel: string;
  readonly text: string;
  readonly blocks: readonly object[];
  readonly thread_ts?: string | undefined;
}

/**
 * The team chat tool. Refusals: `rate_limited` with the seconds the vendor asks for, `unavailable` when it cannot be
 * reached or fails, `unprocessable` when it refuses the token, the code, the channel or the message.
 */
export interface ChatVendor {
  readonly client: { readonly id: VendorSetting; readonly secret: VendorSetting };
  readonly signingSecret: VendorSetting;
  /** A bot token of the whole deployment, for the one org that claims it. */
  readonly deploymentToken: VendorSetting & { value(): string | undefined };
  exchange(code: string, redirectUri: string, signal: AbortSignal): Promise<ChatGrant>;
  identify(token: string, signal: AbortSignal): Promise<ChatIdentity>;
  /** Posts once, never again by itself. `permalink` is absent where the vendor gives none. */
  post(
    token: string,
    message: ChatPost,
    signal: AbortSignal,
  ): Promise<{ readonly channel: string; readonly ts: string; readonly permalink?: string }>;
}

/** One mail to one person. */
export interface MailPost {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The mail provider. `unavailable` when it cannot be reached or defers, `unprocessable` when it refuses the mail. */
export interface MailVendor {
  readonly provider: VendorSetting;
  /** Hands the mail over; the provider's id of it comes back. */
  send(mail: MailPost, signal: AbortSignal): Promise<{ readonly id: string }>;
}

/** One member of an org as it is sent to another workspace. */
export interface SentMember {
  readonly kind: string;
  readonly id: string;
  readonly sha256: string;
  readonly replace: boolean;
  readonly bytes: Uint8Array;
}

/**
 * The workspace that this one mirrors into. `unavailable` when it cannot be reached or fails, `unprocessable` when it
 * refuses this workspace or the org.
 */
export interface MirrorVendor {
  readonly target: VendorSetting;
  /** What the org holds there, `<kind>/<id>` to SHA-256, and what was refused at which digest. */
  held(
    orgtag: string,
    signal: AbortSignal,
  ): Promise<{
    readonly held: ReadonlyMap<string, string>;
    readonly refused: ReadonlyMap<string, { readonly sha256: string; readonly reason: string }>;
  }>;
  admit(
    orgtag: string,
    member: SentMember,
    signal: AbortSignal,
  ): Promise<
    { readonly result: "stored" | "same" | "replaced" } | { readonly result: "refused"; readonly reason: string }
  >;
}
