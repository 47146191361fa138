import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** What a member may do in the console: a `viewer` only looks, an `admin` also manages members, tokens and settings. */
export const MemberRole = z.enum(["viewer", "member", "admin"]);
export type MemberRole = z.infer<typeof MemberRole>;

/** A person of the org. Their email is unique in it and never changes. */
export const Member = recordKind({
  kind: "member",
  prefix: "mb",
  schema: z.object({
    ...recordBase,
    email: z.string(),
    name: z.string(),
    role: MemberRole,
    title: z.string().optional(),
    email_opt_out: z.boolean(),
    updated_at: z.number().optional(),
  }),
  scope: "admin",
});

/** Which member has an email address. Its id is made of the address, so that two writers cannot both add it. */
export const MemberEmail = recordKind({
  kind: "member_email",
  prefix: "me",
  schema: z.object({ ...recordBase, member: z.string() }),
  scope: "admin",
});

/** A secret that the org left with the service, sealed. Its id is made of its name: an org has one of each. */
export const OrgSecret = recordKind({
  kind: "org_secret",
  prefix: "sec",
  schema: z.object({ ...recordBase, name: z.string(), sealed: z.string() }),
  copy: { staysBehind: "a secret; it is given anew where it is needed" },
  scope: "admin",
});

/** The chat workspace that the org is connected to: names and ids. Its bot token is a secret, or the deployment's own. */
export const ChatInstall = recordKind({
  kind: "chat_install",
  prefix: "ci",
  schema: z.object({
    ...recordBase,
    team_id: z.string(),
    team_name: z.string().optional(),
    app_id: z.string().optional(),
    bot_user: z.string().optional(),
    /** What the chat tool lets the bot do, where it said so. */
    scopes: z.array(z.string()).optional(),
    /** Where the bot token lives: the org's secret of that name, or an environment variable of the deployment. */
    token: z.object({ place: z.enum(["secret", "environment"]), name: z.string() }),
    /** What the chat tool said of the token when it was given; absent when it could not be asked. */
    token_check: z.enum(["accepted", "refused"]).optional(),
    via: z.enum(["oauth", "token"]),
    updated_at: z.number(),
  }),
  copy: { staysBehind: "a connection of this workspace; its bot token does not travel" },
  scope: "admin",
});

/** Leave for one member to send one group's finding over one channel, once. Its id is the hash of what was answered. */
export const DeliveryConfirm = recordKind({
  kind: "delivery_confirm",
  prefix: "dc",
  schema: z.object({
    ...recordBase,
    member: z.string(),
    channel: z.string(),
    group: z.string(),
    target: z.string().optional(),
    expires_at: z.number(),
  }),
  copy: { staysBehind: "it ends within ten minutes" },
  scope: "admin",
});

/** An event of the chat tool that was taken. Its id is made of the tool's own, so that one it sends again is known. */
export const ChatEvent = recordKind({
  kind: "chat_event",
  prefix: "ce",
  schema: z.object({ ...recordBase, note: z.string().optional() }),
  copy: { staysBehind: "what the chat tool sent here" },
  scope: "admin",
});

/** The label that one version at most has: the one that others are compared with. */
export const MAIN_LABEL = "main";
