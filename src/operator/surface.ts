import type { RequestHandler } from "express";
import { forbidden } from "../../chapters/errors.ts";
import { Registry } from "../../tools/kernel/registry.ts";
import type { Access } from "../http/access.ts";
import { restSurface } from "../http/rest.ts";
import type { Service } from "../service/service.ts";
import { operatorChapter } from "./operations.ts";

/** The operator's own routes. An org's token is refused whatever its scope; the person at this machine is let in. */
export function operatorSurface(service: Service, access: Access): RequestHandler {
  const registry = new Registry([operatorChapter]);
  return restSurface(
    { ...service, registry },
    {
      enter: async (req) => {
        const caller = await access.enter(req);
        if (caller.kind === "org") {
          throw forbidden(
            "This route needs the workspace's service-wide token, which belongs to its operators and is never issued to an org.",
          );
        }
        return caller;
      },
    },
  );
}
