import { z } from "zod";

/** How a value of a path or a query is read. */
export const ParamType = z.enum(["integer", "number", "boolean", "string"]);
export type ParamType = z.infer<typeof ParamType>;

/** One route of an HTTP API: the tool that answers it, and how its answers look on the wire. */
export const HttpRoute = z.object({
  tool: z.string(),
  method: z.string(),
  /** `/orders/{order_id}`. */
  template: z.string(),
  /** Parameters of the path and the query, by name; what is not named is read as a string. */
  params: z.record(z.string(), ParamType),
  /** Holes of the template whose argument is called otherwise: as the member of the answer that holds the same value. */
  aliases: z.record(z.string(), z.string()),
  /** Members of a JSON body stand among the arguments, or the body stands whole under `body`. */
  body: z.enum(["none", "members", "whole"]),
  /** Status of a success, and of what is recorded otherwise. */
  success: z.number().int(),
  /** Successes have no body. */
  empty: z.boolean(),
  type: z.string(),
  /** What is answered stands under `result` in the tool's output; the API sends it bare. */
  wrapped: z.boolean(),
  /** Headers that every success carried with one value. */
  headers: z.record(z.string(), z.string()),
  /** Every status that was observed or is declared. */
  statuses: z.array(z.number().int()),
  /** Which status an error has, by what tells errors apart. */
  errors: z.record(z.string(), z.number().int()),
  /** Exchanges observed. */
  seen: z.number().int(),
});
export type HttpRoute = z.infer<typeof HttpRoute>;

/** The routes of an API and where it was observed, version 1. */
export const HttpGrammar = z.object({
  v: z.literal(1),
  /** Origins whose addresses in answers become the door's own. */
  origins: z.array(z.string()),
  routes: z.array(HttpRoute),
  /** Status and headers of recorded answers, by tool and canonical arguments, where they are not those of the route. */
  recorded: z.record(
    z.string(),
    z.record(z.string(), z.object({ status: z.number().int(), headers: z.record(z.string(), z.string()) })),
  ),
});
export type HttpGrammar = z.infer<typeof HttpGrammar>;

/** One HTTP exchange as it was captured: credentials are out of it already. */
export interface HttpExchange {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly started_at?: number;
  readonly request: HttpPart;
  readonly response: HttpPart;
}

/** What one side sent. */
export interface HttpPart {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly type?: string;
  /** JSON and forms as values, all else as text. */
  readonly body?: unknown;
}

/** `METHOD /template`, as gaps and tallies name a route. */
export function routeName(route: Pick<HttpRoute, "method" | "template">): string {
  return `${route.method} ${route.template}`;
}
