import type { RequestHandler } from "express";
import { AppError, unavailable } from "../../chapters/errors.ts";
import { inviteHere } from "../../chapters/organization/invites.ts";
import { localPerson } from "../../chapters/organization/members.ts";
import { type Access, sendJson, withinCall } from "../http/access.ts";
import { LOCAL_HEADER } from "../http/local-header.ts";
import type { Service } from "../service/service.ts";

/** Where processes of the same person ask the owner for a link, on its socket alone. */
export const LOCAL_LINK_PATH = "/local/console-link";

/** A link to the console for the person at this machine. */
export interface LocalLink {
  readonly url: string;
  /** Unix seconds. */
  readonly expires_at: number;
}

/**
 * Makes a one-time link for the person at this machine. It is asked for over the owner's socket, which that person's
 * processes alone can open, and used over loopback.
 */
export function localLink(service: Service, access: Access): RequestHandler {
  return (req, res) =>
    withinCall(res, async ({ signal }) => {
      const caller = req.headers[LOCAL_HEADER] === undefined ? undefined : await access.enter(req);
      if (req.method !== "POST" || caller?.kind !== "local" || !caller.org)
        throw new AppError("not_found", "There is no such route.");
      const address = service.loopbackAddress();
      if (address === undefined)
        throw unavailable(
          "The service does not listen on this machine's loopback address, and this link is for nothing else. svc call members_post makes one for a person elsewhere.",
        );
      const ctx = service.host.orgCtx(caller, caller.org, { credential: { caller }, args: {}, signal });
      const { path, expires_at } = await inviteHere(ctx, await localPerson(ctx));
      const link: LocalLink = { url: `${address}${path}`, expires_at };
      sendJson(res, 200, link);
    });
}
