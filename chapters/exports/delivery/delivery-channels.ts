import { z } from "zod";
import { vcsInstallation } from "../../code-host/vcs-installation.ts";
import type { Ctx } from "../../context.ts";
import { CHAT_SCOPES, chatInstall, chatToken } from "../../organization/chat.ts";
import { readPreferences } from "../../organization/preferences.ts";
import { secretFacts } from "../../organization/secrets.ts";
import { everyRow } from "../../page.ts";
import { Member } from "../../records/organization/organization.ts";
import { Source, type SourceKind } from "../../records/sources/sources.ts";

/** Ways a finding reaches people, in the order they are listed: chat message, pull-request comment, observability, email, download. */
export const Channel = z.enum(["chat", "pr_comment", "obs", "email", "download"]);
export type Channel = z.infer<typeof Channel>;

/** Whether a channel could send now, as computed from what is installed. */
export const ChannelState = z.enum(["ready", "not_connected", "read_only", "no_key", "unknown"]);
type ChannelState = z.infer<typeof ChannelState>;

/** The last line of the delivery log for a channel. */
const LastSend = z.object({
  at: z.number(),
  by: z.string(),
  group: z.string(),
  reference: z.record(z.string(), z.string()),
});

/** The operation that connects a channel which is not ready. */
const Remedy = z.enum(["chat_post", "delivery_put", "members_patch"]);
type Remedy = z.infer<typeof Remedy>;

/** A channel as answered. `on` is what people chose, `state` what is installed: a channel that is on can lose its state. */
export const ChannelRow = z.object({
  channel: Channel,
  on: z.boolean(),
  state: ChannelState,
  reason: z.string(),
  remedy: Remedy.nullable().describe(
    "The operation by which an admin makes it ready; null where it is, or where that is done outside of this service.",
  ),
  target: z.string().nullable(),
  recommended: z.boolean(),
  last_send: LastSend.nullable(),
  by: z.string().optional().describe("Who turned it on or off."),
  at: z.number().optional(),
});
export type ChannelRow = z.infer<typeof ChannelRow>;

interface Found {
  readonly state: ChannelState;
  readonly reason: string;
  readonly remedy?: Remedy;
}

/** Why a channel cannot be used now, and the operation that mends it, where one does. */
export function whyNotReady({ reason, remedy }: ChannelRow): string {
  return remedy === null ? reason : `${reason} An admin mends that with ${remedy}.`;
}

/** Every channel as it stands now. The recommended one is the first that is ready. */
export async function channelRows(ctx: Ctx): Promise<ChannelRow[]> {
  const { delivery = {} } = await readPreferences(ctx);
  const found = await Promise.all(Channel.options.map((channel) => STATES[channel](ctx)));
  const recommended = Channel.options.find((_, i) => found[i]?.state === "ready");
  return Promise.all(
    Channel.options.map(async (channel, i) => {
      const chosen = delivery[channel];
      const last = await ctx.store.deliveries.last(channel);
      return {
        channel,
        on: chosen?.on ?? false,
        remedy: null,
        ...(found[i] as Found),
        target: chosen?.target ?? null,
        recommended: channel === recommended,
        last_send: last ? { at: last.at, by: last.by, group: last.group, reference: { ...last.reference } } : null,
        ...(chosen === undefined ? {} : { by: chosen.by, at: chosen.at }),
      };
    }),
  );
}

const STATES: Readonly<Record<Channel, (ctx: Ctx) => Promise<Found>>> = {
  chat: chatState,
  pr_comment: codeHostState,
  obs: obsState,
  email: mailState,
  download: async () => ({ state: "ready", reason: "A file needs no connection." }),
};

async function chatState(ctx: Ctx): Promise<Found> {
  const found = await chatFound(ctx);
  return found.state === "ready" ? found : { ...found, remedy: "chat_post" };
}

async function chatFound(ctx: Ctx): Promise<Found> {
  const install = await chatInstall(ctx);
  if (!install) return { state: "not_connected", reason: "No chat workspace is connected." };
  let token: string | undefined;
  try {
    token = await chatToken(ctx, install);
  } catch {
    return { state: "unknown", reason: "The stored bot token cannot be opened with the key this workspace has now." };
  }
  if (token === undefined) return { state: "no_key", reason: "The connection names a bot token that is not there." };
  if (install.token_check === "refused") {
    return { state: "no_key", reason: "The chat tool refused the bot token when it was given; connect again." };
  }
  if (install.scopes && !CHAT_SCOPES.every((scope) => install.scopes?.includes(scope))) {
    return { state: "read_only", reason: `The bot may not post: it lacks ${CHAT_SCOPES.join(", ")}.` };
  }
  return { state: "ready", reason: "A chat workspace is connected and its bot token is here." };
}

async function codeHostState(ctx: Ctx): Promise<Found> {
  if (await vcsInstallation(ctx)) {
    const { app } = ctx.vendors.vcs;
    return app.set
      ? { state: "ready", reason: "The code host's app is installed and may comment." }
      : { state: "no_key", reason: `The operator has set no app of the code host (${app.env}).` };
  }
  return (await hasSource(ctx, "vcs"))
    ? { state: "read_only", reason: "A repository is connected as a source: what opens it reads and does not comment." }
    : { state: "not_connected", reason: "No code host is connected." };
}

async function obsState(ctx: Ctx): Promise<Found> {
  const write = await secretFacts(ctx, "obs_write");
  if (write) {
    return write.opens
      ? { state: "ready", reason: "The org's credential for writing is here." }
      : {
          state: "unknown",
          reason: "The credential for writing cannot be opened with the key this workspace has now.",
          remedy: "delivery_put",
        };
  }
  const source = await hasSource(ctx, "obs");
  return {
    state: source ? "read_only" : "not_connected",
    reason: source
      ? "The vendor is connected for reading; a credential for writing (obs_write) is not here."
      : "No observability vendor is connected.",
    remedy: "delivery_put",
  };
}

async function mailState(ctx: Ctx): Promise<Found> {
  const { provider } = ctx.vendors.mail;
  if (!provider.set) return { state: "no_key", reason: `The operator has set no mail provider (${provider.env}).` };
  for await (const member of everyRow((page) => ctx.store.records.list(Member, page)))
    if (!member.email_opt_out) return { state: "ready", reason: "A mail provider is set and members take mail." };
  return { state: "not_connected", reason: "No member of the org takes mail.", remedy: "members_patch" };
}

async function hasSource(ctx: Ctx, kind: SourceKind): Promise<boolean> {
  return (await ctx.store.records.count(Source, { kind })) > 0;
}
