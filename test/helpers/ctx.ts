import type { Caller } from "../../chapters/caller.ts";
import type { Ctx } from "../../chapters/context.ts";
import type { Service } from "../../src/service/service.ts";

/** A Ctx of an org as a handler has it, for what no operation shows; the caller is an admin token `t` unless told otherwise. */
export function ctxOf(
  service: Service,
  { id, tag }: { readonly id: string; readonly tag: string },
  as: Partial<Caller> = {},
): Ctx {
  const org = { id, tag };
  const caller: Caller = { kind: "org", name: "t", scope: "admin", ...(as.kind === "operator" ? {} : { org }), ...as };
  return service.host.orgCtx(caller, org, { credential: { caller }, args: {}, signal: new AbortController().signal });
}
