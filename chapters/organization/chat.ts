import { z } from "zod";
import { auditAct } from "../audit.ts";
import { actor, type Ctx } from "../context.ts";
import { AppError, badField, conflict } from "../errors.ts";
import { byField, orgRef } from "../fields.ts";
import type { ChatIdentity, VendorSetting } from "../ports/vendors.ts";
import type { Doc } from "../record.ts";
import { ChatInstall } from "../records/organization/organization.ts";
import { changePreferences, readPreferences } from "./preferences.ts";
import { dropSecret, putSecret, readSecret, secretFacts } from "./secrets.ts";

type InstallDoc = Doc<typeof ChatInstall>;

/** A chat connection as answered: names and ids, and where its bot token lives. Never a token. */
export const ChatInstallView = z.object({
  team_id: z.string(),
  team_name: z.string().optional(),
  app_id: z.string().optional(),
  bot_user: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  token: z.object({
    place: z.enum(["secret", "environment"]),
    name: z.string().describe("The secret's name, or the environment variable's."),
    held: z.boolean().describe("Whether a token is there now."),
  }),
  token_check: z.enum(["accepted", "refused"]).optional().describe("What the chat tool said of the token when asked."),
  via: z.enum(["oauth", "token"]),
  by: z.string(),
  created_at: z.number(),
  updated_at: z.number(),
});

/** What the bot has to be allowed for messages to be posted. */
export const CHAT_SCOPES = ["chat:write"] as const;

/** Where the chat tool sends what people say to the bot; served once the signing secret is set. */
export const CHAT_EVENTS_PATH = "/v0/chat/events";

const ID = "ci_org";
const SECRET = "chat_bot_token";

/** The org's chat connection; undefined when it has none. */
export async function chatInstall(ctx: Ctx): Promise<InstallDoc | undefined> {
  return ctx.store.records.get(ChatInstall, ID);
}

/** Whether the org has shown that a chat workspace is its own: the chat tool said of the bot token that it is of that workspace. */
export async function answersFor(ctx: Ctx, team: string): Promise<boolean> {
  const install = await chatInstall(ctx);
  return install?.team_id === team && install.token_check === "accepted";
}

/** The bot token of a connection, from where it lives; undefined when none is there now. */
export async function chatToken(ctx: Ctx, install: InstallDoc): Promise<string | undefined> {
  return install.token.place === "secret" ? readSecret(ctx, SECRET) : ctx.vendors.chat.deploymentToken.value();
}

/** The connection, what the operator set for connecting, and whether messages could be sent. */
export async function getChat(ctx: Ctx) {
  const { client, signingSecret, deploymentToken } = ctx.vendors.chat;
  const install = await chatInstall(ctx);
  const view = install && (await viewOf(ctx, install));
  return {
    org: ctx.org.tag,
    configured: view?.token.held === true,
    install: view ?? null,
    oauth: {
      ready: client.id.set && client.secret.set,
      client_id: setting(client.id),
      client_secret: setting(client.secret),
      scopes: [...CHAT_SCOPES],
    },
    signing_secret: setting(signingSecret),
    deployment_token: setting(deploymentToken),
    events_path: signingSecret.set ? CHAT_EVENTS_PATH : null,
  };
}

/** What `chat_post` takes. */
export const PostInput = z.object({
  ...orgRef,
  team_id: z
    .string()
    .regex(/^[A-Z][A-Z0-9]{1,30}$/, "the chat tool's team id, such as T0123ABCD")
    .describe("The workspace's id at the chat tool, such as T0123ABCD."),
  team_name: z.string().min(1).max(200).optional(),
  bot_token: z
    .string()
    .regex(/^[\w.-]{1,500}$/)
    .optional()
    .describe("The bot token; sealed, never answered."),
  ...byField,
});
export type PostInput = z.output<typeof PostInput>;

/**
 * Connects a chat workspace, in place of the one before. With a bot token, that is sealed as the org's secret; without,
 * the connection names the deployment's own token, which one org alone may use.
 */
export async function postChat(ctx: Ctx, input: PostInput) {
  const { team_id, team_name, bot_token } = input;
  const token = bot_token ?? ctx.vendors.chat.deploymentToken.value();
  const known = token === undefined ? undefined : await identityOf(ctx, token);
  if (known?.team_id !== undefined && known.team_id !== team_id) {
    throw badField("team_id", "the bot token belongs to another chat workspace");
  }
  const name = team_name ?? known?.team_name;
  return install(
    ctx,
    {
      team_id,
      ...(name === undefined ? {} : { team_name: name }),
      ...(known?.bot_user === undefined ? {} : { bot_user: known.bot_user }),
      ...(known?.scopes === undefined ? {} : { scopes: [...known.scopes] }),
      ...(known === undefined ? {} : { token_check: known.check }),
      via: "token",
    },
    bot_token,
    actor(ctx, input.by),
  );
}

/** Exchanges an OAuth code for the workspace's bot token, seals it and connects. Nothing of a refused exchange is kept. */
export async function chatOauth(
  ctx: Ctx,
  input: { readonly code: string; readonly redirect_uri: string; readonly by?: string | undefined },
) {
  const grant = await ctx.vendors.chat.exchangeCode(input.code, input.redirect_uri, ctx.signal);
  return install(
    ctx,
    {
      team_id: grant.team_id,
      team_name: grant.team_name,
      app_id: grant.app_id,
      bot_user: grant.bot_user,
      ...(grant.scopes === undefined ? {} : { scopes: [...grant.scopes] }),
      token_check: "accepted",
      via: "oauth",
    },
    grant.token,
    actor(ctx, input.by),
  );
}

/** What was turned on was meant for the workspace that goes: a channel of the next one is turned on by somebody anew. */
async function turnOff(ctx: Ctx, by: string): Promise<void> {
  const off = { on: false, by, at: ctx.now() };
  const { delivery, weekly } = await readPreferences(ctx);
  if (delivery?.chat === undefined && weekly?.chat === undefined) return;
  await changePreferences(ctx, (doc) => ({
    ...doc,
    ...(doc.delivery?.chat === undefined ? {} : { delivery: { ...doc.delivery, chat: off } }),
    ...(doc.weekly?.chat === undefined ? {} : { weekly: { ...doc.weekly, chat: off } }),
  }));
}

/** Ends the connection and forgets its bot token; what it brought stays. False when there was none. */
export async function deleteChat(ctx: Ctx) {
  const known = await chatInstall(ctx);
  await dropSecret(ctx, SECRET);
  const deleted = await ctx.store.records.delete(ChatInstall, ID);
  if (known) {
    await ctx.store.claims.release(teamClaim(known.team_id));
    await ctx.store.claims.release(DEPLOYMENT_CLAIM);
    await turnOff(ctx, actor(ctx, undefined));
    await auditAct(ctx, "chat_removed", { team: known.team_id });
  }
  return { org: ctx.org.tag, deleted };
}

type Facts = Pick<InstallDoc, "team_id" | "via"> &
  Partial<Pick<InstallDoc, "team_name" | "app_id" | "bot_user" | "scopes" | "token_check">>;

/** The claim is taken before anything is kept, so that a refused connection leaves nothing. */
async function install(ctx: Ctx, facts: Facts, token: string | undefined, by: string) {
  const before = await chatInstall(ctx);
  const now = ctx.now();
  await claim(ctx, teamClaim(facts.team_id), "This chat workspace is connected to another org; details name it.");
  if (token === undefined) {
    try {
      await claim(ctx, DEPLOYMENT_CLAIM, "The deployment's bot token answers for another org; details name it.");
    } catch (error) {
      if (before?.team_id !== facts.team_id) await ctx.store.claims.release(teamClaim(facts.team_id));
      throw error;
    }
    await dropSecret(ctx, SECRET);
  } else {
    await putSecret(ctx, SECRET, token, by);
    await ctx.store.claims.release(DEPLOYMENT_CLAIM);
  }
  const doc: InstallDoc = {
    ...facts,
    id: ID,
    created_at: before?.created_at ?? now,
    updated_at: now,
    by,
    token:
      token === undefined
        ? { place: "environment", name: ctx.vendors.chat.deploymentToken.env }
        : { place: "secret", name: SECRET },
  };
  if (before && before.team_id !== facts.team_id) await turnOff(ctx, by);
  await ctx.store.records.put(ChatInstall, doc);
  if (before && before.team_id !== facts.team_id) await ctx.store.claims.release(teamClaim(before.team_id));
  await auditAct(ctx, "chat_connected", { team: facts.team_id, via: facts.via, token: doc.token.place }, by);
  return { org: ctx.org.tag, install: await viewOf(ctx, doc) };
}

async function claim(ctx: Ctx, name: string, refusal: string): Promise<void> {
  const held = await ctx.store.claims.take(name, ctx.now());
  if (held) throw conflict(refusal, { names: [held.claimedBy] });
}

/** What the chat tool says of a token: whose it is, or that it refuses it; undefined when it cannot be asked now. */
async function identityOf(
  ctx: Ctx,
  token: string,
): Promise<(Partial<ChatIdentity> & { readonly check: "accepted" | "refused" }) | undefined> {
  try {
    return { ...(await ctx.vendors.chat.identify(token, ctx.signal)), check: "accepted" };
  } catch (error) {
    ctx.signal.throwIfAborted();
    if (error instanceof AppError) return error.code === "unprocessable" ? { check: "refused" } : undefined;
    throw error;
  }
}

async function viewOf(ctx: Ctx, { id: _id, ...doc }: InstallDoc): Promise<z.infer<typeof ChatInstallView>> {
  const held =
    doc.token.place === "environment"
      ? ctx.vendors.chat.deploymentToken.set
      : ((await secretFacts(ctx, SECRET))?.opens ?? false);
  return { ...doc, token: { ...doc.token, held } };
}

function setting({ env, set }: VendorSetting) {
  return { env, set };
}

const DEPLOYMENT_CLAIM = "chat deployment token";

/** What an org holds while it is connected to a chat workspace. */
export function teamClaim(team: string): string {
  return `chat team ${team}`;
}
