import { z } from "zod";
import { orgRef, recordId } from "../../chapters/fields.ts";
import {
  listTokens,
  MintInput,
  mintOrgToken,
  revokeOrgToken,
  TokenList,
  TokenView,
} from "../../chapters/organization/tokens.ts";
import { pageInput } from "../../chapters/page.ts";
import { operation } from "../kernel/operation.ts";

/** Org tokens: list, mint, revoke. */
export const tokens = [
  operation({
    name: "org_tokens_list",
    title: "List org tokens",
    description:
      "Lists the org's API tokens with scope, expiry and last use, newest first. Never shows a token or its hash.",
    scope: "admin",
    route: "GET /v0/orgs/{orgtag}/tokens",
    input: z.object({ ...orgRef, ...pageInput }),
    output: TokenList,
    handle: listTokens,
  }),
  operation({
    name: "org_tokens_post",
    title: "Mint an org token",
    description:
      "Mints an API token for this org with one scope (read, push or admin). The answer holds the token; it is shown this once.",
    scope: "admin",
    effect: "create",
    route: "POST /v0/orgs/{orgtag}/tokens",
    input: MintInput,
    output: TokenView.extend({ token: z.string(), note: z.string() }),
    handle: mintOrgToken,
  }),
  operation({
    name: "org_tokens_delete",
    title: "Revoke an org token",
    description: "Revokes a token at once: its next request is refused. Revoking twice changes nothing.",
    scope: "admin",
    route: "DELETE /v0/orgs/{orgtag}/tokens/{tid}",
    input: z.object({ ...orgRef, tid: recordId("token") }),
    output: TokenView,
    handle: revokeOrgToken,
  }),
];
