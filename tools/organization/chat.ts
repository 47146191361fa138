import { z } from "zod";
import { byField, orgRef } from "../../chapters/fields.ts";
import {
  ChatInstallView,
  chatOauth,
  deleteChat,
  getChat,
  PostInput,
  postChat,
} from "../../chapters/organization/chat.ts";
import { operation } from "../kernel/operation.ts";

const Setting = z.object({
  env: z.string().describe("The environment variable that the operator sets."),
  set: z.boolean(),
});

/** The org's connection to its team chat. */
export const chat = [
  operation({
    name: "chat_get",
    title: "Read the chat connection",
    description:
      "Tells which chat workspace the org is connected to, where its bot token lives, and what the operator has set for connecting. Names and ids, never a token.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/chat",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      configured: z.boolean().describe("Whether a connection and a token for it are there."),
      install: ChatInstallView.nullable(),
      oauth: z.object({
        ready: z.boolean(),
        client_id: Setting,
        client_secret: Setting,
        scopes: z.array(z.string()).describe("What the bot has to be allowed."),
      }),
      signing_secret: Setting,
      deployment_token: Setting,
      events_path: z.string().nullable().describe("Where the chat tool may send events; null where none are taken."),
    }),
    handle: getChat,
  }),
  operation({
    name: "chat_post",
    title: "Connect a chat workspace",
    description:
      "Connects the org to a chat workspace by its team id, in place of the one before. A bot token goes in once and is sealed; without one the deployment's own token is used, which one org alone may.",
    scope: "admin",
    effect: "update",
    hints: { openWorld: true },
    route: "POST /v0/orgs/{orgtag}/chat",
    input: PostInput,
    output: z.object({ org: z.string(), install: ChatInstallView }),
    handle: postChat,
  }),
  operation({
    name: "chat_delete",
    title: "Disconnect the chat workspace",
    description: "Ends the org's chat connection and forgets its bot token. Notes that it brought stay.",
    scope: "admin",
    route: "DELETE /v0/orgs/{orgtag}/chat",
    input: z.object(orgRef),
    output: z.object({ org: z.string(), deleted: z.boolean() }),
    handle: deleteChat,
  }),
  operation({
    name: "chat_oauth",
    title: "Connect a chat workspace by OAuth",
    description:
      "Exchanges the code that the chat tool gave after consent for the workspace's bot token, seals it and records the connection. A workspace that answers for another org is refused, and the new token is not kept.",
    scope: "admin",
    effect: "update",
    hints: { openWorld: true, idempotent: false },
    route: "POST /v0/orgs/{orgtag}/chat/oauth",
    input: z.object({
      ...orgRef,
      code: z.string().min(1).max(500).describe("As the chat tool sent it."),
      redirect_uri: z.url().max(500).describe("The address the code was sent to, as it was given to the chat tool."),
      ...byField,
    }),
    output: z.object({ org: z.string(), install: ChatInstallView }),
    handle: chatOauth,
  }),
];
