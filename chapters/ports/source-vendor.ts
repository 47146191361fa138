import type { z } from "zod";
import type { SourceKind, SourceScope } from "../records/sources/sources.ts";

/** What opens a source, in the open: it is sealed before it is stored, and named only as a mode in answers. */
export interface SourceAuth {
  readonly api_key?: string | undefined;
  readonly app_key?: string | undefined;
  readonly public_key?: string | undefined;
  readonly secret_key?: string | undefined;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly grant?: ObsGrant | undefined;
}

/** What an OAuth code was exchanged for at the observability vendor. Times are unix seconds. */
export interface ObsGrant {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_at: number;
}

/** A source as a vendor is asked for it. */
export interface PullTarget {
  readonly kind: SourceKind;
  readonly external_id: string;
  readonly scope: z.infer<typeof SourceScope>;
  readonly services: readonly string[];
  readonly auth: SourceAuth;
}

/** Which spans are asked for: those that began from `from` on and before `to`, unix seconds. */
export interface SpanAsk {
  readonly from: number;
  readonly to: number;
  /** Of the application itself, or of the one that holds the users' requests. */
  readonly of: "spans" | "requests";
  readonly cursor?: string | undefined;
  /** Only those of this trace, by the vendor's id of it. */
  readonly trace?: string | undefined;
}

/** Spans as the vendor has them, with the trace each belongs to and when it ran, unix seconds. */
export interface SpanPage {
  readonly spans: readonly {
    readonly trace: string;
    readonly start: number;
    readonly end: number;
    readonly value: unknown;
  }[];
  /** Where the page after it begins; absent on the last. */
  readonly next?: string | undefined;
}

/** One body of evidence as a source holds it now. */
export interface PulledBody {
  /** What stands in the place of an older body of the same name. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly kind?: string | undefined;
  readonly format?: string | undefined;
}

/** What a source holds; `seen` is what this state is known by, to ask again only for another. */
export interface PulledBodies {
  readonly bodies: AsyncIterable<PulledBody>;
  /** Told once all bodies are read. */
  seen(): string | undefined;
}

/**
 * The outside systems that sources are. Refusals: `rate_limited` and `unavailable` with the seconds to wait where short
 * waits did not help, `unprocessable` when the source refuses the credential or answers what cannot be read,
 * `forbidden` when its address is one that this workspace does not call.
 */
export interface SourceVendor {
  /** A page of spans of an `obs` or `trace_store` source. */
  spans(target: PullTarget, ask: SpanAsk, signal: AbortSignal): Promise<SpanPage>;
  /** What an `mcp_server`, `http_json` or `vcs` source holds; undefined while it is as it was `seen`. */
  bodies(target: PullTarget, seen: string | undefined, signal: AbortSignal): Promise<PulledBodies | undefined>;
  readonly obs: ObsVendor;
}

/** The observability vendor's side of connecting. */
export interface ObsVendor {
  /** The sites that an org may name. Nothing is sent anywhere else. */
  readonly sites: readonly string[];
  /** The OAuth client that the operator registered; undefined where there is none, with the settings it needs. */
  readonly client: { readonly id: string | undefined; readonly settings: readonly string[] };
  /** Scopes that the consent page asks for. */
  readonly scopes: readonly string[];
  /** The consent page, for a state and the challenge of a PKCE verifier. */
  authorizeUrl(ask: { site: string; state: string; challenge: string; redirectUri: string }): string;
  exchangeCode(
    ask: { site: string; code: string; verifier: string; redirectUri: string },
    signal: AbortSignal,
  ): Promise<ObsGrant>;
  refresh(ask: { site: string; refreshToken: string }, signal: AbortSignal): Promise<ObsGrant>;
  /** Throws `unprocessable` for an API key that the site does not know. */
  validate(ask: { site: string; apiKey: string }, signal: AbortSignal): Promise<void>;
}
