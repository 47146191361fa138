import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import type { ChannelRow } from "../../../chapters/exports/delivery/delivery-channels.ts";
import { choice, folded, postForm, textField } from "../forms.ts";
import { type ConsoleRoute, does } from "../route.ts";
import { needed, type Visit } from "../visit.ts";

const BACK = { to: "/console/delivery" };

/** Connecting a channel that is not ready, from the page that says so. */
export const connectPages: readonly ConsoleRoute[] = [
  does("/delivery/chat/connect", async (visit) => {
    const [team_id, bot_token] = [needed(visit, "team_id"), needed(visit, "bot_token")];
    await visit.call("chat_post", { team_id, bot_token, by: visit.member.name });
    return BACK;
  }),
  does("/delivery/obs/connect", async (visit) => {
    const [api_key, app_key, site] = [needed(visit, "api_key"), needed(visit, "app_key"), needed(visit, "site")];
    // A credential alone turns nothing on.
    await visit.call("delivery_put", { channel: "obs", on: false, credential: { api_key, app_key, site } });
    return BACK;
  }),
];

/** Where what makes a channel ready stands. */
const REMEDIES: Readonly<Record<NonNullable<ChannelRow["remedy"]>, readonly [href: string, text: string]>> = {
  chat_post: ["#connect-chat", "Connect it"],
  delivery_put: ["#connect-obs", "Leave the keys"],
  members_patch: ["/console/you", "Take it yourself"],
};

/** The way to what makes a channel ready; nothing where it is, or where no page here does. */
export function remedyLink({ channel, state, remedy }: ChannelRow): ComponentChildren {
  const told = remedy !== null || !(channel === "pr_comment" || channel === "email") || state === "ready";
  if (remedy === null && told) return null;
  const [href, text] = remedy === null ? [`#connect-${channel}`, "What it takes"] : REMEDIES[remedy];
  return html` <a href=${href.startsWith("#") ? `/console/delivery${href}` : href}>${text}</a>`;
}

/** What makes each channel that is not ready one that is; the forms are an admin's. */
export function connectForms(visit: Visit, rows: readonly ChannelRow[]): ComponentChildren {
  const missing = (channel: ChannelRow["channel"]) =>
    rows.some((row) => row.channel === channel && row.state !== "ready");
  const admin = visit.member.role === "admin";
  const ask = html`<p>An admin of this workspace connects it here.</p>`;
  const { sites } = visit.ctx.vendors.sources.obs;
  return [
    missing("chat") &&
      folded(
        "Connect a chat workspace",
        html`<p id="connect-chat">Make an app at the chat tool that may post messages, install it, and give its bot token. It is sealed and never shown again.</p>`,
        admin
          ? postForm(visit, "/delivery/chat/connect", "Connect", [
              textField("team_id", "Team id, such as T0123ABCD", { required: true, size: 16 }),
              textField("bot_token", "Bot token", { required: true }),
            ])
          : ask,
      ),
    missing("obs") &&
      folded(
        "Connect an observability vendor",
        html`<p id="connect-obs">Keys that may write events and notebooks there. They are tried once, then sealed and never shown again.</p>`,
        admin
          ? postForm(visit, "/delivery/obs/connect", "Connect", [
              choice(
                "site",
                "Site",
                sites.map((value) => ({ value, text: value })),
              ),
              textField("api_key", "API key", { required: true }),
              textField("app_key", "Application key", { required: true }),
            ])
          : ask,
      ),
    missing("pr_comment") &&
      folded(
        "Connect a code host",
        html`<p id="connect-pr_comment">The operator sets the code host's app for this service, and an admin installs it on the repositories: comments are written in its name. A repository connected as a source is read alone.</p>`,
      ),
    missing("email") &&
      folded(
        "Send mail",
        html`<p id="connect-email">The operator sets a mail provider for this service (<code>SVC_MAIL_URL</code>, <code>SVC_MAIL_FROM</code>); members who take mail get the weekly page.</p>`,
      ),
  ];
}
