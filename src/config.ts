import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { DEFAULT_LIMITS, type IsolationSettings } from "./agents/isolation/settings.ts";
import { personFolders } from "./folders.ts";
import { MODEL_LIST, type ModelConfig, modelConfig, PRICE_LIST } from "./models/config.ts";
import type { OAuthConfig } from "./service/oauth.ts";

/** What the operator set for this process, from `SVC_*` environment variables. Read once at start. */
export interface Config {
  /** Holds the embedded store, the sealing key, the owner's lock and socket. Absolute. */
  readonly dataDir: string;
  /** PostgreSQL in place of the embedded store. */
  readonly databaseUrl: string | undefined;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Where callers reach the service, no slash at the end. */
  readonly publicUrl: string | undefined;
  /** Host names callers may use besides loopback, `host` and the public address; `*` is any. */
  readonly allowedHosts: readonly string[];
  /** The service-wide token; without one no operator exists. */
  readonly operatorToken: string | undefined;
  /** The authorization server whose access tokens are taken beside our own tokens. */
  readonly oauth: OAuthConfig | undefined;
  /** The sealing key, 32 bytes; without one a key file in the data folder is used. */
  readonly key: Buffer | undefined;
  /** The sealing key before that one, while secrets are sealed anew. */
  readonly keyBefore: Buffer | undefined;
  /** Whether the workspace goes on under another key than its secrets are sealed with, which then have to be given again. */
  readonly keyLost: boolean;
  /** Whether agents may be commands on this machine; by default only in a local workspace (loopback address). */
  readonly commandsAllowed: boolean;
  /** How agents that run on this machine are kept apart from it. */
  readonly isolation: IsolationSettings;
  /** Whether an org's URLs may point into loopback, link-local and private ranges; default as for commands. */
  readonly privateAddressesAllowed: boolean;
  /** The largest request body in bytes, before and after its content encoding is undone. */
  readonly maxBodyBytes: number;
  /** Largest streamed body (evidence) in bytes, before and after decoding; it is never held whole. */
  readonly maxStreamBytes: number;
  /** Calls a minute per credential; 0 sets no limit. */
  readonly callsPerMinute: number;
  /** How many days an org token lasts that was minted without an end; absent where such tokens last until they are revoked. */
  readonly tokenDays: number | undefined;
  /** Calls that a credential may have under way at once in a process; 0 sets no limit. */
  readonly callsAtOnce: number;
  /** What an org may use a minute, all its credentials together: calls, bytes sent, jobs started, worlds made; 0 sets no limit. */
  readonly orgPerMinute: {
    readonly calls: number;
    readonly bytes: number;
    readonly jobs: number;
    readonly worlds: number;
  };
  /** What this process does: answer callers, run jobs and schedules. Apart only over PostgreSQL. */
  readonly roles: { readonly serve: boolean; readonly work: boolean };
  readonly defaultUsdPerDay: number;
  /** Whether the operator set that budget. */
  readonly usdPerDaySet: boolean;
  /** The team chat tool: where its API is, and the app by which orgs connect to it. */
  readonly chat: ChatConfig;
  /** The mail provider as an smtp:// address with its credential, and who mails come from. */
  readonly mail: { readonly url: string | undefined; readonly from: string | undefined };
  /** The workspace this one mirrors into, with a token there, and who may mirror into this one. */
  readonly mirror: {
    readonly url: string | undefined;
    readonly token: string | undefined;
    readonly from: readonly string[];
  };
  /** The outside systems that sources are pulled from. */
  readonly sources: SourcesConfig;
  readonly vcsApp: VcsAppConfig;
  /** The models that passes, judged checks and the react harness may ask. */
  readonly models: ModelConfig;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "silent";
}

/** The operator's app at the chat tool. Secrets are absent where they were not given. */
export interface ChatConfig {
  readonly apiUrl: string;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly signingSecret: string | undefined;
  /** A bot token of the whole deployment; one org may claim it. */
  readonly botToken: string | undefined;
}

/** Where source vendors are reached in place of their own addresses, and the OAuth client at the observability vendor. */
export interface SourcesConfig {
  readonly obs: {
    readonly apiUrl: string | undefined;
    readonly appUrl: string | undefined;
    readonly clientId: string | undefined;
    readonly clientSecret: string | undefined;
  };
  readonly vcsApiUrl: string | undefined;
  readonly traceStoreUrl: string | undefined;
  /** The keys of the tracing tool that transcripts are published to where an org connected none. */
  readonly traceStoreKeys?: { readonly public: string | undefined; readonly secret: string | undefined };
}

/** The operator's app at the code host: its id and its private key (PEM). */
export interface VcsAppConfig {
  readonly id: string | undefined;
  readonly key: string | undefined;
}

/** A setting that cannot be used. Its message is one sentence for the operator and never holds the value. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ConfigError";
  }
}

const flag = z.enum(["1", "0", "true", "false"]).transform((text) => text === "1" || text === "true");
const whole = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));
const url = (...protocols: string[]) => z.string().refine((text) => hasProtocol(text, protocols));

/** Each variable with the shape it must have and how that is said. */
const VARIABLES = {
  SVC_DATA_DIR: [z.string(), "a folder"],
  SVC_DATABASE_URL: [url("postgres:", "postgresql:"), "a postgres:// address"],
  SVC_HOST: [z.string().regex(/^[\w.:-]+$/), "a host name or an IP address"],
  SVC_PORT: [whole(0, 65_535), "a port from 0 to 65535"],
  SVC_PUBLIC_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_ALLOWED_HOSTS: [z.string(), "host names separated by commas"],
  SVC_OPERATOR_TOKEN: [z.string().regex(/^svc_op_[\w-]{32,}$/), "svc_op_ and at least 32 letters, digits, - or _"],
  SVC_OAUTH_ISSUER: [z.string().refine(isIssuer), "an https:// address, or an http:// one of this machine"],
  SVC_OAUTH_AUDIENCE: [z.string(), "the audience of access tokens"],
  SVC_OAUTH_ORG: [z.string(), "the tag of an org"],
  SVC_KEY: [z.string().refine((text) => keyBytes(text) !== undefined), "32 bytes as 64 hex digits or as base64"],
  SVC_KEY_BEFORE: [z.string().refine((text) => keyBytes(text) !== undefined), "32 bytes as 64 hex digits or as base64"],
  SVC_KEY_LOST: [flag, "1, 0, true or false"],
  SVC_ALLOW_COMMANDS: [flag, "1, 0, true or false"],
  SVC_ISOLATION: [z.enum(["auto", "bubblewrap", "none"]), "auto, bubblewrap or none"],
  SVC_ISOLATION_FOLDERS: [z.string().regex(/^\/[^:]*(?::\/[^:]*)*$/), "absolute paths with a colon between"],
  SVC_TRIAL_MEMORY_MB: [whole(64, 1_048_576), "whole megabytes from 64 to 1048576"],
  SVC_TRIAL_PROCESSES: [whole(8, 1_000_000), "a whole number from 8"],
  SVC_TRIAL_DISK_MB: [whole(1, 1_048_576), "whole megabytes from 1 to 1048576"],
  SVC_ALLOW_PRIVATE_ADDRESSES: [flag, "1, 0, true or false"],
  SVC_MAX_BODY_MB: [whole(1, 4096), "whole megabytes from 1 to 4096"],
  SVC_MAX_STREAM_MB: [whole(1, 1_048_576), "whole megabytes from 1 to 1048576"],
  SVC_CALLS_PER_MINUTE: [whole(0, 10_000_000), "a whole number; 0 for no limit"],
  SVC_TOKEN_DAYS: [whole(1, 3_650), "whole days from 1 to 3650"],
  SVC_CALLS_AT_ONCE: [whole(0, 1_000_000), "a whole number; 0 for no limit"],
  SVC_ORG_CALLS_PER_MINUTE: [whole(0, 10_000_000), "a whole number; 0 for no limit"],
  SVC_ORG_MB_PER_MINUTE: [whole(0, 1_048_576), "whole megabytes; 0 for no limit"],
  SVC_ORG_JOBS_PER_MINUTE: [whole(0, 10_000_000), "a whole number; 0 for no limit"],
  SVC_ORG_WORLDS_PER_MINUTE: [whole(0, 10_000_000), "a whole number; 0 for no limit"],
  SVC_ROLES: [z.enum(["serve", "work", "serve,work", "work,serve"]), "serve, work, or both with a comma between"],
  SVC_USD_PER_DAY: [
    z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number),
    "an amount in US dollars",
  ],
  SVC_CHAT_API_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_CHAT_CLIENT_ID: [z.string(), "the id of the chat app"],
  SVC_CHAT_CLIENT_SECRET: [z.string(), "the secret of the chat app"],
  SVC_CHAT_SIGNING_SECRET: [z.string(), "the signing secret of the chat app"],
  SVC_CHAT_BOT_TOKEN: [z.string(), "a bot token"],
  SVC_MAIL_URL: [url("smtp:", "smtps:"), "an smtp:// or smtps:// address"],
  SVC_MAIL_FROM: [z.string().regex(/^[^\r\n]+@[^\r\n]+$/), "an email address"],
  SVC_MIRROR_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_MIRROR_TOKEN: [z.string(), "a token of the other workspace"],
  SVC_MIRROR_FROM: [z.string(), "ids of orgs or tokens separated by commas"],
  SVC_OBS_API_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_OBS_APP_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_OBS_CLIENT_ID: [z.string(), "the id of the observability vendor's OAuth client"],
  SVC_OBS_CLIENT_SECRET: [z.string(), "the secret of the observability vendor's OAuth client"],
  SVC_TRACE_STORE_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_TRACE_STORE_PUBLIC_KEY: [z.string(), "the public key of a project of the tracing tool"],
  SVC_TRACE_STORE_SECRET_KEY: [z.string(), "the secret key of a project of the tracing tool"],
  SVC_VCS_API_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_VCS_APP_ID: [z.string().regex(/^\w{1,60}$/), "the id of the app at the code host"],
  SVC_VCS_APP_KEY: [
    z
      .string()
      .transform((text) => text.replaceAll("\\n", "\n"))
      .pipe(z.string().regex(/^-----BEGIN [A-Z ]*PRIVATE KEY-----\n/)),
    "a private key in PEM form; its line ends may be written as \\n",
  ],
  SVC_MODELS: [z.string().regex(MODEL_LIST), "openai-compatible/NAME or anthropic/NAME, separated by commas"],
  SVC_MODEL_PRICES: [
    z.string().regex(PRICE_LIST),
    "NAME=INPUT/OUTPUT in US dollars per million tokens, separated by commas",
  ],
  SVC_OPENAI_BASE_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_OPENAI_API_KEY: [z.string(), "a key"],
  SVC_ANTHROPIC_BASE_URL: [url("http:", "https:"), "an http:// or https:// address"],
  SVC_ANTHROPIC_API_KEY: [z.string(), "a key"],
  SVC_LOG_LEVEL: [
    z.enum(["trace", "debug", "info", "warn", "error", "silent"]),
    "trace, debug, info, warn, error or silent",
  ],
} as const;
type Variable = keyof typeof VARIABLES;

/** Reads the settings. Throws ConfigError for the first variable that does not fit. An empty variable counts as unset. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const host = read(env, "SVC_HOST") ?? "127.0.0.1";
  const local = isLoopback(host) && read(env, "SVC_PUBLIC_URL") === undefined;
  return {
    dataDir: resolve(read(env, "SVC_DATA_DIR") ?? defaultDataDir()),
    databaseUrl: read(env, "SVC_DATABASE_URL"),
    host,
    port: read(env, "SVC_PORT") ?? 7333,
    publicUrl: read(env, "SVC_PUBLIC_URL")?.replace(/\/+$/, ""),
    allowedHosts: (read(env, "SVC_ALLOWED_HOSTS") ?? "")
      .split(",")
      .map((name) => name.trim().toLowerCase())
      .filter(Boolean),
    operatorToken: read(env, "SVC_OPERATOR_TOKEN"),
    oauth: oauthOf(env),
    key: keyBytes(read(env, "SVC_KEY")),
    keyBefore: keyBytes(read(env, "SVC_KEY_BEFORE")),
    keyLost: read(env, "SVC_KEY_LOST") ?? false,
    commandsAllowed: read(env, "SVC_ALLOW_COMMANDS") ?? local,
    privateAddressesAllowed: read(env, "SVC_ALLOW_PRIVATE_ADDRESSES") ?? local,
    isolation: {
      mode: read(env, "SVC_ISOLATION") ?? "auto",
      folders: read(env, "SVC_ISOLATION_FOLDERS")?.split(":") ?? [],
      local,
      limits: {
        memoryBytes: megabytes(read(env, "SVC_TRIAL_MEMORY_MB")) ?? DEFAULT_LIMITS.memoryBytes,
        processes: read(env, "SVC_TRIAL_PROCESSES") ?? DEFAULT_LIMITS.processes,
        diskBytes: megabytes(read(env, "SVC_TRIAL_DISK_MB")) ?? DEFAULT_LIMITS.diskBytes,
      },
    },
    maxBodyBytes: (read(env, "SVC_MAX_BODY_MB") ?? 128) * 1024 * 1024,
    maxStreamBytes: (read(env, "SVC_MAX_STREAM_MB") ?? 4096) * 1024 * 1024,
    callsPerMinute: read(env, "SVC_CALLS_PER_MINUTE") ?? 60_000,
    tokenDays: read(env, "SVC_TOKEN_DAYS"),
    callsAtOnce: read(env, "SVC_CALLS_AT_ONCE") ?? 1_000,
    orgPerMinute: {
      calls: read(env, "SVC_ORG_CALLS_PER_MINUTE") ?? 0,
      bytes: (read(env, "SVC_ORG_MB_PER_MINUTE") ?? 0) * 1024 * 1024,
      jobs: read(env, "SVC_ORG_JOBS_PER_MINUTE") ?? 0,
      worlds: read(env, "SVC_ORG_WORLDS_PER_MINUTE") ?? 0,
    },
    roles: rolesOf(env),
    defaultUsdPerDay: read(env, "SVC_USD_PER_DAY") ?? 10,
    usdPerDaySet: read(env, "SVC_USD_PER_DAY") !== undefined,
    chat: {
      apiUrl: read(env, "SVC_CHAT_API_URL") ?? "https://slack.com/api/",
      clientId: read(env, "SVC_CHAT_CLIENT_ID"),
      clientSecret: read(env, "SVC_CHAT_CLIENT_SECRET"),
      signingSecret: read(env, "SVC_CHAT_SIGNING_SECRET"),
      botToken: read(env, "SVC_CHAT_BOT_TOKEN"),
    },
    mail: { url: read(env, "SVC_MAIL_URL"), from: read(env, "SVC_MAIL_FROM") },
    mirror: {
      url: read(env, "SVC_MIRROR_URL")?.replace(/\/+$/, ""),
      token: read(env, "SVC_MIRROR_TOKEN"),
      from: (read(env, "SVC_MIRROR_FROM") ?? "")
        .split(",")
        .map((id) => id.trim())
        .filter(Boolean),
    },
    sources: {
      obs: {
        apiUrl: read(env, "SVC_OBS_API_URL"),
        appUrl: read(env, "SVC_OBS_APP_URL"),
        clientId: read(env, "SVC_OBS_CLIENT_ID"),
        clientSecret: read(env, "SVC_OBS_CLIENT_SECRET"),
      },
      vcsApiUrl: read(env, "SVC_VCS_API_URL"),
      traceStoreUrl: read(env, "SVC_TRACE_STORE_URL"),
      traceStoreKeys: {
        public: read(env, "SVC_TRACE_STORE_PUBLIC_KEY"),
        secret: read(env, "SVC_TRACE_STORE_SECRET_KEY"),
      },
    },
    vcsApp: { id: read(env, "SVC_VCS_APP_ID"), key: read(env, "SVC_VCS_APP_KEY") },
    models: modelConfig(
      {
        models: read(env, "SVC_MODELS"),
        prices: read(env, "SVC_MODEL_PRICES"),
        openAiUrl: read(env, "SVC_OPENAI_BASE_URL"),
        openAiKey: read(env, "SVC_OPENAI_API_KEY"),
        anthropicUrl: read(env, "SVC_ANTHROPIC_BASE_URL"),
        anthropicKey: read(env, "SVC_ANTHROPIC_API_KEY"),
      },
      new Date().toISOString().slice(0, 10),
    ),
    logLevel: read(env, "SVC_LOG_LEVEL") ?? "info",
  };
}

/** Whether an address is this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127\./.test(host);
}

function read<V extends Variable>(
  env: Readonly<Record<string, string | undefined>>,
  name: V,
): z.output<(typeof VARIABLES)[V][0]> | undefined {
  const text = env[name] || secretFrom(env, name);
  if (text === undefined || text === "") return undefined;
  const [schema, form] = VARIABLES[name];
  const parsed = schema.safeParse(text);
  if (!parsed.success) throw new ConfigError(`${name} must be ${form}.`);
  return parsed.data as z.output<(typeof VARIABLES)[V][0]>;
}

/** Settings that hold a secret: each may be given as a file instead, by NAME_FILE or as a credential of systemd. */
const SECRETS: ReadonlySet<string> = new Set<Variable>([
  "SVC_DATABASE_URL",
  "SVC_OPERATOR_TOKEN",
  "SVC_KEY",
  "SVC_KEY_BEFORE",
  "SVC_CHAT_CLIENT_SECRET",
  "SVC_CHAT_SIGNING_SECRET",
  "SVC_CHAT_BOT_TOKEN",
  "SVC_MAIL_URL",
  "SVC_MIRROR_TOKEN",
  "SVC_OBS_CLIENT_SECRET",
  "SVC_TRACE_STORE_SECRET_KEY",
  "SVC_VCS_APP_KEY",
  "SVC_OPENAI_API_KEY",
  "SVC_ANTHROPIC_API_KEY",
]);

/** A secret from the file that NAME_FILE names, else from systemd's folder of credentials; undefined where there is none. */
function secretFrom(env: Readonly<Record<string, string | undefined>>, name: Variable): string | undefined {
  if (!SECRETS.has(name)) return undefined;
  const named = env[`${name}_FILE`];
  const folder = env.CREDENTIALS_DIRECTORY;
  const path = named || (folder && join(folder, name));
  if (!path) return undefined;
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    if (!named && (cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(`${named ? `${name}_FILE names a file` : `${name} is a credential`} that cannot be read.`);
  }
}

/** Takes secrets out of an environment once they were read: what this process starts later does not get them. */
export function forgetSecrets(env: Record<string, string | undefined>): void {
  for (const name of SECRETS) delete env[name];
}

function megabytes(count: number | undefined): number | undefined {
  return count === undefined ? undefined : count * 2 ** 20;
}

function oauthOf(env: Readonly<Record<string, string | undefined>>): OAuthConfig | undefined {
  const issuer = read(env, "SVC_OAUTH_ISSUER");
  if (issuer === undefined) return undefined;
  return { issuer, audience: read(env, "SVC_OAUTH_AUDIENCE"), org: read(env, "SVC_OAUTH_ORG") };
}

/** What is read over plain HTTP could be anybody's keys. */
function isIssuer(text: string): boolean {
  return hasProtocol(text, ["https:"]) || (hasProtocol(text, ["http:"]) && isLoopback(new URL(text).hostname));
}

function rolesOf(env: Readonly<Record<string, string | undefined>>): Config["roles"] {
  const named = read(env, "SVC_ROLES") ?? "serve,work";
  const roles = { serve: named.includes("serve"), work: named.includes("work") };
  if (!(roles.serve && roles.work) && read(env, "SVC_DATABASE_URL") === undefined)
    throw new ConfigError(
      "Serving and working apart needs PostgreSQL (SVC_DATABASE_URL): over the embedded store one process does both.",
    );
  return roles;
}

function defaultDataDir(): string {
  try {
    return personFolders().data;
  } catch {
    // No home folder, as in some containers: the data then lasts as long as the temporary folder does.
    return resolve(tmpdir(), "proving-ground");
  }
}

function keyBytes(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  return bytes.length === 32 ? bytes : undefined;
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}
