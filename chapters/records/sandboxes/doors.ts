import { z } from "zod";
import { recordBase, recordKind } from "../../record.ts";

/** How the API of a bundle looks on the wire: its routes, beside the tools that answer them. One a bundle. */
export const HttpGrammarRecord = recordKind({
  kind: "http_grammar",
  prefix: "hg",
  schema: z.object({
    ...recordBase,
    bundle: z.string(),
    /** Blob of the grammar (worlds/http/grammar.ts), JSON. */
    blob: z.string(),
    routes: z.number().int(),
    census: z.object({
      captures: z.number().int(),
      exchanges: z.number().int(),
      other_hosts: z.number().int(),
      routes_observed: z.number().int(),
      routes_declared: z.number().int(),
      statuses: z.record(z.string(), z.number().int()),
    }),
    /** What the compiled API answers its own exchanges, replayed in their order; absent of what was compiled before it was counted. */
    replay: z.object({ exchanges: z.number().int(), right: z.number().int(), wrong: z.number().int() }).optional(),
  }),
  fields: ["bundle"],
});

const Count = z.number().int();

/** What a door was asked, in counts: by route template and status, never a body, a query, a path or an id. */
export const DoorTally = z.object({
  routes: z.record(z.string(), z.record(z.string(), Count)),
  /** Requests that no route takes, by method. */
  unserved: z.record(z.string(), Count),
  /** Requests that a route takes and no evidence answers. */
  gaps: z.record(z.string(), Count),
  /** Requests that the limit refused. */
  limited: Count,
  resets: Count,
});
export type DoorTally = z.infer<typeof DoorTally>;

/** A door that nobody asked yet. */
export const NO_TALLY: DoorTally = { routes: {}, unserved: {}, gaps: {}, limited: 0, resets: 0 };

/** A public URL of a sandbox's HTTP API, with a world of its own behind it. Its id is that of its token. */
export const Door = recordKind({
  kind: "door",
  prefix: "hd",
  schema: z.object({
    ...recordBase,
    sandbox: z.string(),
    world: z.string(),
    /** The first characters of its secret, to tell doors apart by. */
    starts: z.string(),
    label: z.string().optional(),
    version: z.string().optional(),
    /** The org's API door: a compile of newer evidence moves it to the new world and keeps its URL. */
    api: z.literal(true).optional(),
    /** Requests a minute; no limit when absent. */
    quota_limit: Count.optional(),
    revoked_at: z.number().optional(),
    tally: DoorTally,
  }),
  fields: ["sandbox", "world", "api"],
  copy: { staysBehind: "a public address of this workspace; the sandbox makes new ones" },
});

/** A door's secret, sealed: wrappers are told the door's URL again. Its id is made of the door's. */
export const DoorSecret = recordKind({
  kind: "door_secret",
  prefix: "ds",
  schema: z.object({ ...recordBase, door: z.string(), sealed: z.string() }),
  fields: ["door"],
  copy: { staysBehind: "secrets; they are made anew where they are needed" },
  scope: "admin",
});
