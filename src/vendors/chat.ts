import type * as sdk from "@slack/web-api";
import { AppError, unavailable, unprocessable } from "../../chapters/errors.ts";
import type { ChatGrant, ChatIdentity, ChatPost, ChatVendor } from "../../chapters/ports/vendors.ts";
import type { ChatConfig } from "../config.ts";
import { lazy } from "../service/lazy.ts";
import { boundedFetch, SILENT, vendorCall } from "./client.ts";

const TIMEOUT_MS = 15_000;
const asked = vendorCall(refusal);

/** The chat tool over its own Web API client, against the address that the operator set. Loaded at the first call. */
export function chatVendor(config: ChatConfig): ChatVendor {
  const slackApiUrl = config.apiUrl.endsWith("/") ? config.apiUrl : `${config.apiUrl}/`;
  const web = lazy(() => import("@slack/web-api"));
  const client = async (token: string | undefined, signal: AbortSignal) => {
    const { WebClient } = await web.get();
    return new WebClient(token, {
      slackApiUrl,
      // A post that may have arrived is never sent again, and a limit is the caller's to wait out.
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      allowAbsoluteUrls: false,
      logger: LOGGER,
      fetch: (url, init) =>
        boundedFetch(signal, TIMEOUT_MS)(url, { ...init, redirect: "error" }) as ReturnType<sdk.FetchFunction>,
    });
  };
  return {
    client: {
      id: { env: "SVC_CHAT_CLIENT_ID", set: config.clientId !== undefined },
      secret: { env: "SVC_CHAT_CLIENT_SECRET", set: config.clientSecret !== undefined },
    },
    signingSecret: { env: "SVC_CHAT_SIGNING_SECRET", set: config.signingSecret !== undefined },
    deploymentToken: {
      env: "SVC_CHAT_BOT_TOKEN",
      set: config.botToken !== undefined,
      value: () => config.botToken,
    },
    async exchangeCode(code, redirectUri, signal) {
      const { clientId, clientSecret } = config;
      if (clientId === undefined || clientSecret === undefined) {
        throw unprocessable(
          "The operator has set no chat app: SVC_CHAT_CLIENT_ID and SVC_CHAT_CLIENT_SECRET are needed.",
        );
      }
      const anonymous = await client(undefined, signal);
      return granted(
        await asked(signal, () =>
          anonymous.oauth.v2.access({
            client_id: clientId,
            client_secret: clientSecret,
            code,
            redirect_uri: redirectUri,
          }),
        ),
      );
    },
    async identify(token, signal) {
      const own = await client(token, signal);
      return identity(await asked(signal, () => own.auth.test()));
    },
    async post(token, message, signal) {
      const own = await client(token, signal);
      const { channel, ts } = await asked(signal, () => own.chat.postMessage(posted(message)));
      if (channel === undefined || ts === undefined) throw unreadable();
      const permalink = await permalinkOf(own, channel, ts);
      return { channel, ts, ...(permalink === undefined ? {} : { permalink }) };
    },
  };
}

const LOGGER: sdk.Logger = { ...SILENT, setLevel() {}, getLevel: () => "error" as sdk.LogLevel, setName() {} };

function posted({ channel, text, blocks, thread_ts }: ChatPost): sdk.ChatPostMessageArguments {
  const message = {
    channel,
    text,
    blocks: blocks as sdk.KnownBlock[],
    mrkdwn: false,
    link_names: false,
    parse: "none" as const,
    unfurl_links: false,
    unfurl_media: false,
  };
  return thread_ts === undefined ? message : { ...message, thread_ts };
}

/** A message stands whether or not its link can be had. */
async function permalinkOf(client: sdk.WebClient, channel: string, message_ts: string): Promise<string | undefined> {
  try {
    return (await client.chat.getPermalink({ channel, message_ts })).permalink;
  } catch {
    return undefined;
  }
}

function granted(answer: sdk.OauthV2AccessResponse): ChatGrant {
  const { access_token: token, team, app_id, bot_user_id, scope } = answer;
  if (token === undefined || team?.id === undefined) throw unreadable();
  return {
    token,
    team_id: team.id,
    team_name: team.name ?? "",
    app_id: app_id ?? "",
    bot_user: bot_user_id ?? "",
    ...(scope === undefined ? {} : { scopes: scope.split(",") }),
  };
}

function identity(answer: sdk.AuthTestResponse): ChatIdentity {
  const { team_id, team, user_id, response_metadata } = answer;
  if (team_id === undefined) throw unreadable();
  const scopes = response_metadata?.scopes;
  return { team_id, team_name: team ?? "", bot_user: user_id ?? "", ...(scopes === undefined ? {} : { scopes }) };
}

/** What the vendor's error codes mean to the person who called. */
const MEANING: Readonly<Record<string, string>> = {
  ...of("The chat tool refused the bot token: connect the workspace again.", [
    "invalid_auth",
    "not_authed",
    "token_revoked",
    "token_expired",
    "account_inactive",
  ]),
  ...of("The bot lacks a permission at the chat tool: install the app again with the scopes it asks for.", [
    "missing_scope",
    "no_permission",
    "not_allowed_token_type",
  ]),
  ...of("The chat tool knows no such channel, or the bot is not in it: invite it and try again.", [
    "channel_not_found",
    "not_in_channel",
    "is_archived",
    "restricted_action",
    "restricted_action_read_only_channel",
  ]),
  ...of("The chat tool refused the code: it is wrong, used or too old. Begin the connection again.", [
    "invalid_code",
    "code_already_used",
    "bad_redirect_uri",
    "invalid_grant",
  ]),
  ...of("The chat tool does not know the operator's app: its id or secret is wrong.", [
    "invalid_client_id",
    "bad_client_secret",
  ]),
};

function of(meaning: string, codes: readonly string[]): Record<string, string> {
  return Object.fromEntries(codes.map((code) => [code, meaning]));
}

/** Told by the errors' own codes and fields: nothing of the vendor's text reaches a reason. */
function refusal(error: unknown): AppError {
  const { code, data, retryAfter, statusCode } = Object(error) as {
    code?: string;
    data?: { error?: string };
    retryAfter?: number;
    statusCode?: number;
  };
  if (error instanceof AppError) return error;
  if (code === "slack_webapi_rate_limited_error") {
    const wait = retryAfter ?? 30;
    return new AppError("rate_limited", "The chat tool takes no more calls now; try again later.", {
      retryAfter: wait,
    });
  }
  if (code === "slack_webapi_platform_error") {
    const said = data?.error ?? "";
    if (said === "ratelimited") {
      return new AppError("rate_limited", "The chat tool takes no more calls now; try again later.", {
        retryAfter: 30,
      });
    }
    if (said === "internal_error" || said === "fatal_error" || said === "service_unavailable") return unreachable();
    return unprocessable(MEANING[said] ?? "The chat tool refused this; details name its error.", {
      names: [said],
    });
  }
  if (code === "slack_webapi_http_error" && statusCode !== undefined && statusCode < 500) {
    return unprocessable("The chat tool's address answers, but not as the chat tool does.");
  }
  return unreachable();
}

function unreachable(): AppError {
  return unavailable("The chat tool cannot be reached now; try again.", { retryAfter: 5 });
}

function unreadable(): AppError {
  return unavailable("The chat tool gave an answer that cannot be read; try again.", {
    retryAfter: 5,
  });
}
