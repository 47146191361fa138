import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import type { Caller } from "../../chapters/caller.ts";
import type { Log } from "../../chapters/context.ts";
import { hashToken } from "../../chapters/credentials.ts";
import { AppError, unauthenticated, unavailable } from "../../chapters/errors.ts";
import type { Limits } from "../limits/limits.ts";
import type { Authenticator } from "../service/auth.ts";
import { LOCAL_HEADER } from "./local-header.ts";
import { type PublicError, publicError } from "./public-error.ts";

/** How long one call may take before it is given up, from when its request has arrived, or stopped arriving; longer work is a job. */
const CALL_LIMIT_MS = 300_000;

/** Who calls on a trusted socket. With `secret` only requests that know it are that caller's. */
export interface LocalPeer {
  readonly caller: () => Promise<Caller>;
  readonly secret: string | undefined;
}

/** Who calls on a connection. `local` tells who the peer of a trusted socket is now, absent on the network. */
export class Access {
  readonly #auth: Authenticator;
  readonly #limits: Limits;
  readonly #local: LocalPeer | undefined;
  constructor(auth: Authenticator, limits: Limits, local: LocalPeer | undefined) {
    this.#auth = auth;
    this.#limits = limits;
    this.#local = local;
  }

  /** The caller of a request, within its rate. Throws `unauthenticated`, `forbidden` or `rate_limited`. */
  async enter(req: Request): Promise<Caller> {
    const claimed = req.headers[LOCAL_HEADER];
    if (this.#local && claimed !== undefined) {
      const { caller, secret } = this.#local;
      if (secret === undefined || (typeof claimed === "string" && hashToken(claimed) === hashToken(secret)))
        return caller();
      throw unauthenticated("The owner's socket asks for the secret of the data folder it serves.");
    }
    const caller = await this.#auth.caller(bearer(req));
    await this.#limits.enter(caller, req);
    return caller;
  }
}

/** The token of the Authorization header; undefined when there is none or it is not a bearer token. */
export function bearer(req: Request): string | undefined {
  return /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? "")?.[1];
}

/**
 * Runs work that ends when the caller goes away or the time for one call is up; whichever is first answers. As long as
 * more of the request's body comes within that time, the time begins again.
 */
export async function withinCall<T>(
  res: Response,
  work: (abort: AbortController) => Promise<T>,
  limitMs: number = CALL_LIMIT_MS,
): Promise<T> {
  const abort = new AbortController();
  const gone = () => abort.abort(unavailable("The caller went away."));
  let arrived = 0;
  const late = () => {
    const { complete, socket } = res.req;
    if (complete || socket.bytesRead === arrived)
      abort.abort(unavailable("This call took too long. Start the work as a job, or ask for less."));
    else timer = setTimeout(late, limitMs);
    arrived = socket.bytesRead;
  };
  let timer = setTimeout(late, limitMs);
  res.once("close", gone);
  try {
    return await Promise.race([
      work(abort),
      new Promise<never>((_, reject) => {
        abort.signal.addEventListener("abort", () => reject(abort.signal.reason), { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    res.off("close", gone);
  }
}

/** A refusal ready to be sent; what is no refusal is a fault, and its cause goes to the log under the request's id. */
export function refusal(error: unknown, log: Log, operation: string | undefined): PublicError {
  const known = error instanceof AppError;
  const request = known ? "" : randomUUID();
  if (!known) log.error({ err: error, request, operation }, "a call failed");
  return publicError(error, request);
}

/** The local of an answer that holds where the metadata of its resource is; absent where no issuer's tokens are taken. */
export const RESOURCE_METADATA = "resourceMetadata";

/** Sends a refusal as JSON. After the headers are out only cutting the connection can tell the caller. */
export function sendRefusal(req: Request, res: Response, { status, headers, body }: PublicError): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.status(status).set(headers);
  const challenge = headers["www-authenticate"];
  if (challenge !== undefined) {
    const told = [challenge];
    if (status === 401 && req.headers.authorization !== undefined) told.push('error="invalid_token"');
    const metadata = res.locals[RESOURCE_METADATA] as string | undefined;
    if (metadata !== undefined) {
      if (status === 401) told.push('scope="push"');
      told.push(`resource_metadata="${metadata}"`);
    }
    res.set("www-authenticate", told.join(", "));
  }
  sendJson(res, status, body);
}

/** Sends a body as JSON that no cache keeps, and ends the answer. */
export function sendJson(res: Response, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  res.end(text);
}
