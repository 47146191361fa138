import { z } from "zod";

/** The org of an org-scoped route. Over REST the path says it; over MCP it may be left out. */
export const orgRef = {
  orgtag: z.string().min(1).max(64).optional().describe("The org's tag; the token's own org when absent."),
};

/** The org of a route that names it in the body or query. */
export const orgField = {
  org: z.string().min(1).max(64).optional().describe("The org's tag; the token's own org when absent."),
};

/** The actor recorded on a change. */
export const byField = {
  by: z.string().min(1).max(200).optional().describe("Who does this, for the record; the caller's name when absent."),
};

/** The id of a record that a path names; an unknown one is the handler's 404. */
export const recordId = (what: string) => z.string().min(1).max(200).describe(`The id of the ${what}.`);

/** Whom a listing is for; `customer` when absent. */
export const audience = z
  .enum(["customer", "staff"])
  .optional()
  .describe("`staff`: also what the service's operators alone may read.");

/** Who may read what is written; `org` when absent. */
export const visibility = z
  .enum(["org", "staff"])
  .optional()
  .describe("`staff`: the service's operators alone may read it.");

/** A text of one character at least and so many at most. */
export const words = (most: number) => z.string().min(1).max(most);

/** How many of something. */
export const count = z.number().int();

/** Seconds that a trial may take where nobody says otherwise: the same wherever trials are started. */
export const DEFAULT_TIMEOUT_S = 120;
