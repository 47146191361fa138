import { z } from "zod";
import { Tier } from "../../tier.ts";

/** Where a changed file belongs: tool definitions, their handlers, skills and prompts, registration and configuration, anything else. */
export const ChangeArea = z.enum(["tools", "handlers", "skills", "registration", "other"]);
export type ChangeArea = z.infer<typeof ChangeArea>;

/** The files that differ between where a version's head parted from its base and the head: names and counts only. */
export const VersionChanges = z.object({
  base: z.string(),
  head: z.string(),
  files: z.number().int(),
  names: z.array(z.string()),
  /** Names by area. */
  areas: z.record(ChangeArea, z.array(z.string())),
  /** How many files each area has. */
  by_area: z.record(ChangeArea, z.number().int()),
  /** How many files each status has, as the repository's host says it. */
  statuses: z.record(z.string(), z.number().int()),
  additions: z.number().int(),
  deletions: z.number().int(),
  reader: z.enum(["code_host", "git"]),
  tier: Tier,
  /** The same in one sentence. */
  line: z.string(),
});
export type VersionChanges = z.infer<typeof VersionChanges>;

/** Texts of a version by digest, and how they differ from those of the version before that has any. */
export const VersionTexts = z.object({
  /** SHA-256 over names and texts. */
  digest: z.string(),
  /** Blob of the items. */
  blob: z.string(),
  items: z.array(z.object({ name: z.string(), digest: z.string(), chars: z.number().int() })),
  /** The version they are compared with; absent where none before has any. */
  before: z.string().optional(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  at: z.number(),
  by: z.string(),
});

/** What reading a repository proposed for running it, by rule. */
export const Detection = z.object({
  sha: z.string(),
  at: z.number(),
  setup: z.string().optional(),
  command: z.array(z.string()).optional(),
  adapter: z.enum(["svc", "openai-chat", "text"]).optional(),
  /** Files that the proposal was read from. */
  read: z.array(z.string()),
  /** Environment variables that the code reads, by name. */
  env: z.array(z.string()),
  /** The version that was pinned with the proposal. */
  version: z.string().optional(),
  /** The job that tried it, and the record that it writes; absent where nothing could be tried. */
  probe: z.object({ job: z.string(), probe: z.string() }).optional(),
  /** The same in one sentence. */
  line: z.string(),
  tier: Tier,
});
export type Detection = z.infer<typeof Detection>;

/** The repository of a surface agent's server. */
export const ServerRepo = z.object({
  url: z.string(),
  /** `owner/name` where the code host's app reads it. */
  repo: z.string().optional(),
  /** The base branch. */
  ref: z.string(),
  /** The base as it was resolved. */
  base_sha: z.string(),
  /** Paths of tool definitions, one of which a commit must touch to be a version. */
  paths: z.array(z.string()),
  /** A file of the repository that lists its tools. */
  listing: z.string().optional(),
  /** What serves it over standard input and output, and what sets it up before. */
  run: z.string().optional(),
  setup: z.string().optional(),
  /** The environment variable that says where its upstream is. */
  upstream_env: z.string().optional(),
  at: z.number(),
  by: z.string(),
});
export type ServerRepo = z.infer<typeof ServerRepo>;

/** The origin of a tool listing: the started server, a file, definitions in source, or a model that read the changes. */
export const ListingReader = z.enum(["served", "listing", "source", "model"]);

/** A tool listing at one commit; the tools are in its blob. */
export const CommitListing = z.object({
  sha: z.string(),
  reader: ListingReader,
  tier: Tier,
  /** The model that read it. */
  model: z.string().optional(),
  /** Why the server as it was started did not list them, where another reader did. */
  not_served: z.string().optional(),
  count: z.number().int(),
  blob: z.string(),
});
