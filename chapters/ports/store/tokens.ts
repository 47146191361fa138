import type { Scope } from "../../caller.ts";
import type { Page, PageInput } from "../../page.ts";

/** A credential as stored: never the token. `world` tokens open one world's MCP endpoint, `door` tokens the HTTP door of one. */
export interface TokenRow {
  readonly id: string;
  readonly kind: "org" | "world" | "door";
  /** SHA-256 of the token, hex. */
  readonly hash: string;
  readonly prefix: string;
  readonly name: string;
  readonly scope: Scope;
  readonly world: string | null;
  readonly created_by: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

/** A token's id and the token that takes its place. */
export interface Replacement {
  readonly old: string;
  readonly row: TokenRow;
}

/** The tokens of an org; of each only the hash is kept. */
export interface Tokens {
  insert(row: TokenRow): Promise<void>;
  get(id: string): Promise<TokenRow | undefined>;
  list(kind: TokenRow["kind"], page?: PageInput): Promise<Page<TokenRow>>;
  /** Like `list`, of those that are neither revoked nor expired at `now`. */
  live(kind: TokenRow["kind"], now: number, page?: PageInput): Promise<Page<TokenRow>>;
  /**
   * In one transaction: revokes each `old` that is not revoked yet and puts its successor in its place. Answers the ids of
   * those it revoked; a token that somebody else revoked first gets no successor.
   */
  replace(pairs: readonly Replacement[], at: number): Promise<string[]>;
  /** Keeps the first mark. Undefined: no such id. */
  revoke(id: string, at: number): Promise<TokenRow | undefined>;
  touch(id: string, at: number): Promise<void>;
  /** Removes it with its mark: for tokens that nobody holds any more. Whether there was one. */
  delete(id: string): Promise<boolean>;
}

/** What one org alone may hold in the workspace, by name. */
export interface Claims {
  /** Undefined when the org holds it now; else the tag of the org that does. */
  take(name: string, at: number): Promise<{ readonly claimedBy: string } | undefined>;
  release(name: string): Promise<boolean>;
}
