import { z } from "zod";
import { recordId } from "../../../chapters/fields.ts";
import { ofWorld } from "../../../chapters/sandboxes/worlds/fields.ts";
import {
  MintedToken,
  MintInput,
  mintWorldToken,
  revokeWorldToken,
} from "../../../chapters/sandboxes/worlds/world-tokens.ts";
import { operation } from "../../kernel/operation.ts";

/** Mint a connector token; revoke a connector token. */
export const worldTokens = [
  operation({
    name: "world_tokens_post",
    title: "Mint a connector token",
    description:
      "Mints another token for one world's MCP endpoint; it opens nothing else. The answer holds the token; it is shown this once.",
    scope: "push",
    effect: "create",
    route: "POST /v0/tokens",
    orgResolution: ofWorld,
    input: MintInput,
    output: MintedToken,
    handle: mintWorldToken,
  }),
  operation({
    name: "world_tokens_delete",
    title: "Revoke a connector token",
    description: "Revokes a connector token at once: its next request is refused. Revoking twice changes nothing.",
    scope: "push",
    route: "DELETE /v0/tokens/{tid}",
    orgResolution: { from: "record", kind: "token", param: "tid" },
    input: z.object({ tid: recordId("token") }),
    output: z.object({ token_id: z.string(), world: z.string().nullable(), revoked_at: z.number() }),
    handle: revokeWorldToken,
  }),
];
