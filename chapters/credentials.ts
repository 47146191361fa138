import { randomBytes } from "node:crypto";
import { sha256 } from "../worlds/digest.ts";

/** Prefixes tell a reader, and a secret scanner, what a token opens. */
export const TOKEN_PREFIX = {
  operator: "svc_op_",
  org: "svc_org_",
  world: "svc_world_",
  door: "svc_door_",
  share: "svc_share_",
  invite: "svc_invite_",
  session: "svc_session_",
} as const;

/** A new token of 256 random bits with what may be kept of it: the SHA-256 hash and leading characters. */
export function mintToken(kind: keyof typeof TOKEN_PREFIX): { raw: string; hash: string; prefix: string } {
  const raw = TOKEN_PREFIX[kind] + randomBytes(32).toString("base64url");
  return { raw, hash: hashToken(raw), prefix: raw.slice(0, TOKEN_PREFIX[kind].length + 4) };
}

/** The hash a token is stored and looked up by: SHA-256, hex. */
export function hashToken(raw: string): string {
  return sha256(raw);
}
