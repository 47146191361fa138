import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";
import { DataAccess } from "../evidence/evidence.ts";
import { OnlineTerms } from "../online/online.ts";
import { RunHarness } from "../runs/runs.ts";

/** The class of a connector: how far it is trusted to be tested against. */
export const ConnectorTier = z.enum(["experimental", "standard", "core"]);

/** An org's own row of the connector catalog, or its change of a row that every org has. Its id is the connector's. */
export const Connector = recordKind({
  kind: "connector",
  prefix: "cn",
  schema: z.object({
    ...recordBase,
    name: z.string(),
    category: z.string(),
    tier: ConnectorTier,
    /** The connector's own version; absent where nobody said. */
    version: z.string().optional(),
    /** Share of its eval set that fell since the version before, 0..1; absent until it is measured. */
    regression_rate: z.number().optional(),
    /** A new version has not been measured yet. */
    rerun_due: z.boolean(),
    retired_at: z.number().optional(),
    retired_by: z.string().optional(),
    retired_reason: z.string().optional(),
    updated_at: z.number(),
  }),
  fields: ["category", "tier"],
});

/** What kind of place evidence comes from. */
export const SourceKind = z.enum(["upload", "otlp", "obs", "trace_store", "mcp_server", "http_json", "vcs"]);
export type SourceKind = z.infer<typeof SourceKind>;
/** How often a source is pulled by itself; `manual` is only when asked. */
export const Cadence = z.enum(["manual", "hourly", "daily", "weekly"]);
export type Cadence = z.infer<typeof Cadence>;
/** Whether a source may be pulled: nothing is without `granted`. */
export const Consent = z.enum(["unset", "granted", "declined"]);

/** What of a source is pulled; which fields count depends on its kind. */
export const SourceScope = z
  .object({
    site: z.string().max(60).describe("obs: the vendor's site, such as `datadoghq.eu`."),
    ml_app: z.string().max(200).describe("obs: the application whose spans are pulled."),
    query: z.string().max(1000).describe("obs: a further query in the vendor's words."),
    requests_ml_app: z.string().max(200).describe("obs: a second application whose spans hold the users' requests."),
    requests_select: z.string().max(1000).describe("obs: a query for those spans."),
    ref: z.string().max(200).describe("vcs: the branch, tag or commit; the default branch when absent."),
    paths: z.array(z.string().max(300)).max(50).describe("vcs: folders to read documents from; all when absent."),
    format: z.string().max(40).describe("http_json: the evidence format; found out when absent."),
    evidence_kind: z.string().max(40).describe("http_json: the kind of evidence; found out when absent."),
    cursor_param: z.string().max(60).describe("http_json: the query parameter that takes the next page's cursor."),
    since_param: z.string().max(60).describe("http_json: the query parameter that takes the unix second to begin at."),
  })
  .partial();

/** Which part of what a source already holds the first pull takes. */
export const SourceImport = z
  .object({
    days: z.number().int().min(0).max(90).describe("How many days back the first pull begins; 15 when absent."),
    since: z.number().describe("The unix second where the first pull begins, in place of days."),
  })
  .partial();

/** Where the next pull of spans goes on. */
export const SpanResume = z.object({
  /** Spans from this unix second on are still to be pulled. */
  since: z.number(),
  /** How many seconds of spans the next page run takes at once. */
  slice_seconds: z.number(),
  /** Traces that reach past `since` and are stored already: a hash of the id, and the unix second it reached to. */
  done: z.array(z.object({ trace: z.string(), last: z.number() })),
});

/** How the last pull went. */
export const LastPull = z.object({
  at: z.number(),
  outcome: z.enum(["landed", "busy", "failed"]),
  note: z.string(),
  evidence: z.array(z.string()),
});

/** A place that evidence comes from. What it is opened with is a `source_secret`. */
export const Source = recordKind({
  kind: "source",
  prefix: "src",
  schema: z.object({
    ...recordBase,
    kind: SourceKind,
    label: z.string().optional(),
    /** The name of the surface its evidence joins. */
    surface: z.string(),
    /** What the source is there: a URL, a repository, an application. */
    external_id: z.string(),
    agent: z.string().optional(),
    cadence: Cadence,
    consent: Consent,
    consent_by: z.string().optional(),
    consent_at: z.number().optional(),
    data_access: DataAccess,
    scope: SourceScope,
    services: z.array(z.string()),
    import: SourceImport,
    auth_mode: z.enum(["none", "keys", "token", "headers", "oauth"]),
    /** Whether pseudonyms are made with a key of its own; else with the org's. */
    own_anon_key: z.boolean(),
    last_sync: z.number().optional(),
    /** A pull that somebody else is to make, or makes. */
    pull_pending: z.boolean(),
    last_pull: LastPull.optional(),
    /** The vendor asked not to be called before. */
    retry_at: z.number().optional(),
    resume: SpanResume.optional(),
    /** What the last answer was known by, where the source says so (http_json, vcs). */
    seen: z.string().optional(),
    updated_at: z.number(),
  }),
  fields: ["kind", "surface", "external_id", "cadence"],
});

/** What opens a source, sealed: keys, tokens, headers. Its id is made of the source's. */
export const SourceSecret = recordKind({
  kind: "source_secret",
  prefix: "ss",
  schema: z.object({ ...recordBase, source: z.string(), sealed: z.string() }),
  fields: ["source"],
  copy: { staysBehind: "secrets; they are given anew where they are needed" },
  scope: "admin",
});

/** A key that pseudonyms are made with, sealed: the org's, or one source's own. Forgotten, nothing leads back. */
export const AnonKey = recordKind({
  kind: "anon_key",
  prefix: "ak",
  schema: z.object({ ...recordBase, source: z.string().optional(), sealed: z.string() }),
  fields: ["source"],
  copy: { staysBehind: "a secret; a copy makes keys of its own" },
  scope: "admin",
});

/** A consent page that was opened and not come back from. Its id is made of the state; it is used once. */
export const OauthState = recordKind({
  kind: "oauth_state",
  prefix: "os",
  schema: z.object({
    ...recordBase,
    expires_at: z.number(),
    /** The PKCE verifier, sealed. */
    sealed: z.string(),
    redirect_uri: z.string(),
    wanted: z.record(z.string(), z.string()),
  }),
  copy: { staysBehind: "a consent that is under way" },
  scope: "admin",
});

/** What a schedule begins. */
export const ScheduleKind = z.enum(["sync", "run", "derive", "scan", "weekly", "evaluate", "alert"]);
export type ScheduleKind = z.infer<typeof ScheduleKind>;
/** What makes a schedule fire. */
export const Anchor = z.enum(["clock", "after_ingest", "on_version"]);
/** How often a schedule fires; by its anchor `clock` at these times, else at most this often. */
export const ScheduleCadence = z.enum(["hourly", "daily", "weekly"]);

/** Work that begins by itself. */
export const Schedule = recordKind({
  kind: "schedule",
  prefix: "sch",
  schema: z.object({
    ...recordBase,
    kind: ScheduleKind,
    surface: z.string(),
    cadence: ScheduleCadence,
    anchor: Anchor,
    label: z.string().optional(),
    agent: z.string().optional(),
    harness: RunHarness.optional(),
    source: z.string().optional(),
    /** Of kinds evaluate and alert: what of the traces is judged, by what, and when that is told. */
    terms: OnlineTerms.optional(),
    /** Its first time; the hour, minute and weekday of this are those of all its times. */
    start_at: z.number(),
    /** What it last fired for: a time, the newest evidence record with a mark of what exporters added, a version. */
    fired_for: z.string().optional(),
    fired_at: z.number().optional(),
    last: z.object({ at: z.number(), status: z.enum(["fired", "blocked", "failed"]), note: z.string() }).optional(),
    updated_at: z.number(),
  }),
  fields: ["kind", "surface", "source"],
});

/** One firing of a schedule. Its id is made of the schedule and what it fires for: it happens once, whoever ticks. */
export const ScheduleFiring = recordKind({
  kind: "schedule_firing",
  prefix: "sg",
  schema: z.object({
    ...recordBase,
    schedule: z.string(),
    fired_for: z.string(),
    status: z.enum(["firing", "fired", "blocked", "failed"]),
    job: z.string().optional(),
    note: z.string(),
  }),
  fields: ["schedule", "status"],
  copy: { staysBehind: "what a schedule did here" },
});

/** A turning over of the org's connector tokens: when, by whom, how many. Never a token. */
export const Rotation = recordKind({
  kind: "rotation",
  prefix: "rt",
  schema: z.object({
    ...recordBase,
    via: z.string(),
    worlds: z.number().int(),
    links: z.number().int(),
  }),
});

/** What somebody, another tool or a schedule that judges traces as they come said of one trace. */
export const SourceLabel = recordKind({
  kind: "source_label",
  prefix: "sl",
  schema: z.object({
    ...recordBase,
    /** The source it was sent of, or the schedule that judged. */
    source: z.string(),
    /** What was judged: the name of the batch, of the score, or of a schedule's check or detector. */
    name: z.string(),
    /** The session or trace id that was given. */
    session: z.string(),
    /** The stored trace it is of; absent where the org holds none of that id. */
    trace: z.string().optional(),
    polarity: z.enum(["good", "bad", "unclear"]),
    score: z.number().optional(),
    value: z.string().optional(),
    note: z.string().optional(),
    /** Its sender means it as a failure mode. */
    failure_mode: z.boolean(),
    tier: z.enum(["human", "deterministic", "llm-derived"]),
  }),
  fields: ["source", "session", "trace", "polarity", "failure_mode"],
});
