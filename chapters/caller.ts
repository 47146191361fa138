import { z } from "zod";

/** What a token may do: read; push evidence and start work; or administer. */
export const Scope = z.enum(["read", "push", "admin"]);
export type Scope = z.infer<typeof Scope>;

const RANK: Record<Scope, number> = { read: 0, push: 1, admin: 2 };

/** Whether a caller that holds `held` may do what needs `needed`: each scope includes the one below. */
export function allows(held: Scope, needed: Scope): boolean {
  return RANK[held] >= RANK[needed];
}

/**
 * Who is calling. `operator`: the service-wide credential, every org. `org`: an org token, or a member in the
 * console. `local`: the person at this machine over stdio or the local socket, admin of the workspace's one org.
 * `job`: a job acting for who started it.
 */
export interface Caller {
  readonly kind: "operator" | "org" | "local";
  /** Recorded as `by` when the caller names nobody else. */
  readonly name: string;
  readonly scope: Scope;
  /** The id of the org token that was shown; absent for all else. */
  readonly token?: string;
  /** The id of the member who is signed in, in the console alone; absent for all else. */
  readonly member?: string;
  /** The one org the credential opens; absent for the operator. */
  readonly org?: { readonly id: string; readonly tag: string };
}
