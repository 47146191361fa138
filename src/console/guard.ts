import type { Request } from "express";
import { badRequest, forbidden } from "../../chapters/errors.ts";
import type { Config } from "../config.ts";
import { requestBody } from "../http/request-body.ts";

const MOST_FORM_BYTES = 1024 * 1024;

/** Refuses a post that did not come from a page of this service itself, as the browser tells it. */
export function sameOrigin(req: Request, { publicUrl }: Config): void {
  const { origin, host } = req.headers;
  const site = req.headers["sec-fetch-site"];
  const from = origin !== undefined && URL.canParse(origin) ? new URL(origin).host : undefined;
  const own = [host?.toLowerCase(), ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])];
  if (from === undefined || !own.includes(from) || (site !== undefined && site !== "same-origin"))
    throw forbidden("This form was not sent from the console's own page. Open the page and try again.");
}

/** The fields of a posted form. Another kind of body is a 400. */
export async function formOf(req: Request): Promise<URLSearchParams> {
  const { type, bytes } = requestBody(req, MOST_FORM_BYTES);
  if (type !== "application/x-www-form-urlencoded") throw badRequest("Send this as a form.");
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return new URLSearchParams(Buffer.concat(parts).toString("utf8"));
}
