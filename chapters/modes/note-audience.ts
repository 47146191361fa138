import type { Ctx } from "../context.ts";
import { badField } from "../errors.ts";

/** Who a listing of notes and failure modes is for. */
export type Audience = "customer" | "staff";

/** Who may read a note or a failure mode: the org, or the service's own people alone. */
export type Visibility = "org" | "staff";

/** The audience that a caller gets: what is for staff is told to the service's own callers alone. */
export function audienceOf(ctx: Ctx, asked: Audience | undefined): Audience {
  return asked === "staff" && ctx.caller.kind !== "org" ? "staff" : "customer";
}

/** Whether an audience is shown what has this visibility. */
export function shownTo({ visibility }: { readonly visibility: Visibility }, audience: Audience): boolean {
  return audience === "staff" || visibility === "org";
}

/** Whether the caller may read what has this visibility at all. */
export function mayRead(ctx: Ctx, doc: { readonly visibility: Visibility }): boolean {
  return doc.visibility === "org" || ctx.caller.kind !== "org";
}

/** The visibility of what a caller writes, `org` by default; an org's caller who asks for staff's is a bad request. */
export function visibilityOf(ctx: Ctx, asked: Visibility | undefined): Visibility {
  if (asked === "staff" && ctx.caller.kind === "org")
    throw badField("visibility", "only the service's own operators write notes for staff");
  return asked ?? "org";
}
