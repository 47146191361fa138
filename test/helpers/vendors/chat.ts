import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the chat tool saw it; the body's form or JSON fields as text. */
export interface ChatRequestSeen {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

/** A message that was posted. */
export interface ChatPosted {
  readonly channel: string;
  readonly text: string;
  readonly blocks: readonly { readonly type: string }[];
  readonly thread_ts?: string;
  readonly ts: string;
}

/** A workspace of the chat tool: its bot token, its channels that the bot is in, and the scopes it granted. */
export interface ChatTeam {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly channels: readonly string[];
  readonly scopes?: readonly string[];
}

/** The chat tool's Web API on loopback: paths, headers, bodies and answers as the vendor has them. */
export interface ChatTool {
  /** The API's address, with the slash at its end. */
  readonly apiUrl: string;
  readonly client: { readonly id: string; readonly secret: string };
  readonly seen: ChatRequestSeen[];
  readonly posted: ChatPosted[];
  /** Adds a workspace; answers a code that grants its token once. */
  grant(team: ChatTeam, redirectUri: string): string;
  /** The next `n` calls are refused with 429 and this many seconds to wait. */
  limit(n: number, retryAfter: number): void;
  /** The next `n` calls are answered with this HTTP status and no JSON. */
  fail(n: number, status: number): void;
  revoke(token: string): void;
  close(): Promise<void>;
}

const TEXT_MOST = 40_000;
const BLOCKS_MOST = 50;

/** Starts the chat tool on a free loopback port. */
export async function startChatTool(): Promise<ChatTool> {
  const client = { id: "1234.5678", secret: "chat-client-secret-0f" };
  const seen: ChatRequestSeen[] = [];
  const posted: ChatPosted[] = [];
  const teams = new Map<string, ChatTeam>();
  const codes = new Map<string, { team: ChatTeam; redirectUri: string; used: boolean }>();
  let limited = { n: 0, retryAfter: 0 };
  let failing = { n: 0, status: 500 };
  let next = 0;

  const methods: Record<string, (call: ChatRequestSeen) => Record<string, unknown>> = {
    "oauth.v2.access": ({ form }) => {
      if (form.client_id !== client.id) return refused("invalid_client_id");
      if (form.client_secret !== client.secret) return refused("bad_client_secret");
      const code = codes.get(form.code ?? "");
      if (!code) return refused("invalid_code");
      if (code.redirectUri !== form.redirect_uri) return refused("bad_redirect_uri");
      if (code.used) return refused("code_already_used");
      code.used = true;
      const { id, name, token, scopes = ["chat:write"] } = code.team;
      return {
        ok: true,
        access_token: token,
        token_type: "bot",
        scope: scopes.join(","),
        bot_user_id: "U0BOT",
        app_id: "A0APP",
        team: { id, name },
        enterprise: null,
        is_enterprise_install: false,
        authed_user: { id: "U0PERSON" },
      };
    },
    "auth.test": (call) =>
      authorized(call, (team) => ({
        ok: true,
        url: `https://${team.name}.example/`,
        team: team.name,
        user: "bot",
        team_id: team.id,
        user_id: "U0BOT",
        bot_id: "B0BOT",
        is_enterprise_install: false,
      })),
    "chat.postMessage": (call) =>
      authorized(call, (team) => {
        if (!(team.scopes ?? ["chat:write"]).includes("chat:write")) {
          return { ...refused("missing_scope"), needed: "chat:write", provided: (team.scopes ?? []).join(",") };
        }
        const { channel = "", text = "", thread_ts } = call.form;
        if (!team.channels.includes(channel)) return refused("channel_not_found");
        const blocks = JSON.parse(call.form.blocks ?? "[]") as ChatPosted["blocks"];
        const wrong = wrongBlocks(blocks);
        if (wrong !== undefined) return { ...refused("invalid_blocks"), response_metadata: { messages: [wrong] } };
        if (text === "" && blocks.length === 0) return refused("no_text");
        if (text.length > TEXT_MOST) return refused("msg_too_long");
        next += 1;
        const ts = `1790000000.${String(next).padStart(6, "0")}`;
        const message = { channel, text, blocks, ...(thread_ts === undefined ? {} : { thread_ts }), ts };
        posted.push(message);
        return { ok: true, channel, ts, message: { type: "message", subtype: "bot_message", ...message } };
      }),
    "chat.getPermalink": (call) =>
      authorized(call, (team) => {
        const { channel = "", message_ts = "" } = call.form;
        if (!posted.some((one) => one.channel === channel && one.ts === message_ts))
          return refused("message_not_found");
        const permalink = `https://${team.name}.example/archives/${channel}/p${message_ts.replace(".", "")}`;
        return { ok: true, channel, permalink };
      }),
  };

  function authorized(call: ChatRequestSeen, work: (team: ChatTeam) => Record<string, unknown>) {
    if (call.authorization === undefined) return refused("not_authed");
    const team = teams.get(call.authorization.replace(/^Bearer /, ""));
    return team ? work(team) : refused("invalid_auth");
  }

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const method = /^\/api\/([\w.]+)$/.exec(new URL(req.url ?? "/", "http://chat").pathname)?.[1] ?? "";
    const call = { method, authorization: req.headers.authorization, form: await bodyOf(req) };
    seen.push(call);
    if (limited.n > 0) {
      limited = { ...limited, n: limited.n - 1 };
      res.writeHead(429, { "retry-after": String(limited.retryAfter), "content-type": "application/json" });
      res.end(JSON.stringify(refused("ratelimited")));
      return;
    }
    if (failing.n > 0) {
      failing = { ...failing, n: failing.n - 1 };
      res.writeHead(failing.status, { "content-type": "text/html" }).end("<html>down</html>");
      return;
    }
    const work = methods[method];
    const team = teams.get((call.authorization ?? "").replace(/^Bearer /, ""));
    res.writeHead(200, {
      "content-type": "application/json; charset=utf-8",
      ...(team ? { "x-oauth-scopes": (team.scopes ?? ["chat:write"]).join(",") } : {}),
    });
    res.end(JSON.stringify(req.method === "POST" && work ? work(call) : refused("unknown_method")));
  }

  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    apiUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`,
    client,
    seen,
    posted,
    grant(team, redirectUri) {
      teams.set(team.token, team);
      next += 1;
      const code = `code-${next}`;
      codes.set(code, { team, redirectUri, used: false });
      return code;
    },
    limit(n, retryAfter) {
      limited = { n, retryAfter };
    },
    fail(n, status) {
      failing = { n, status };
    },
    revoke: (token) => void teams.delete(token),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function refused(error: string) {
  return { ok: false, error };
}

/** What the vendor says of blocks that it does not take. */
function wrongBlocks(blocks: unknown): string | undefined {
  if (!Array.isArray(blocks)) return "[ERROR] blocks must be an array";
  if (blocks.length > BLOCKS_MOST) return `[ERROR] no more than ${BLOCKS_MOST} items allowed`;
  for (const [at, block] of blocks.entries()) {
    const texts = [block.text, ...(block.fields ?? []), ...(block.elements ?? []).map((e: { text: unknown }) => e)];
    if (block.type === "header" && (block.text?.type !== "plain_text" || block.text.text.length > 150))
      return `[ERROR] blocks/${at}: header takes plain text of 150 characters`;
    if (block.type === "section" && block.text === undefined && block.fields === undefined)
      return `[ERROR] blocks/${at}: text or fields are required`;
    if (block.type === "section" && (block.text?.text.length ?? 0) > 3000)
      return `[ERROR] blocks/${at}: text is longer than 3000`;
    if (block.type === "section" && (block.fields?.length ?? 0) > 10) return `[ERROR] blocks/${at}: too many fields`;
    if (block.type === "context" && (block.elements?.length ?? 0) > 10)
      return `[ERROR] blocks/${at}: too many elements`;
    for (const text of texts) {
      if (text === undefined || text.type === "button") continue;
      if (!["plain_text", "mrkdwn"].includes(text.type) || typeof text.text !== "string" || text.text === "")
        return `[ERROR] blocks/${at}: no text object`;
    }
    if (!["header", "section", "context", "actions", "divider"].includes(block.type))
      return `[ERROR] blocks/${at}: unsupported type`;
  }
  return undefined;
}

/** The fields of a form or of JSON, as text: the vendor takes both. */
async function bodyOf(req: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  if (!req.headers["content-type"]?.startsWith("application/json")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  const json = JSON.parse(text) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  );
}
