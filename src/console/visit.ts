import type { Request } from "express";
import type { ComponentChildren } from "preact";
import type { Caller } from "../../chapters/caller.ts";
import type { Ctx, ServiceCtx } from "../../chapters/context.ts";
import { type AppError, badField, forbidden, unauthenticated } from "../../chapters/errors.ts";
import type { PageDoc } from "../../chapters/findings/pages/page-doc.ts";
import { type SignedIn, sessionOf } from "../../chapters/organization/sessions.ts";
import { call } from "../../tools/kernel/call.ts";
import type { Narrowing } from "../pages/render.ts";
import { scopeOf } from "../service/oauth.ts";
import type { Service } from "../service/service.ts";
import { formToken, sessionCookieOf } from "./cookie.ts";
import type { Refused } from "./refused.ts";

/** The console itself: it alone may ask for a member's confirm. */
const CONSOLE: Caller = { kind: "operator", name: "console", scope: "admin" };

/** What is shown: a page, another address to go to, or a file. */
export type View =
  | {
      readonly doc: PageDoc;
      /** What stands between the page's verdict and its sections. */
      readonly lead?: ComponentChildren;
      /** The way on in the list that `filter` narrows, else in the page's first section. */
      readonly below?: ComponentChildren;
      /** What narrows one of its lists. */
      readonly filter?: Narrowing | undefined;
      /** Forms and lists of the console's own, below the page. */
      readonly forms?: ComponentChildren;
      readonly owner?: string;
      /** What the page's steps were searched for, where they can be. */
      readonly search?: string;
    }
  | { readonly to: string }
  | { readonly file: { readonly name: string; readonly type: string; readonly content: string } };

/** One request of a member who is signed in. */
export interface Visit extends SignedIn {
  /** What every form of this session carries. */
  readonly token: string;
  /** The member at work in their org. */
  readonly ctx: Ctx;
  /** A part of the path. */
  param(name: string): string;
  readonly query: URLSearchParams;
  /** The fields that were posted; empty for what is only read. */
  readonly form: URLSearchParams;
  /** The form of this page that was refused: it is shown with what was written in it. */
  readonly refused?: Refused;
  /** Calls an operation as the member, in their org alone. Throws AppError as the operation does. */
  call<T>(tool: string, args?: Readonly<Record<string, unknown>>): Promise<T>;
  /** The same as an admin of the org, for what every member may do to their own record. */
  callForSelf<T>(tool: string, args: Readonly<Record<string, unknown>>): Promise<T>;
  /** Leave for this member to send, from the console. */
  confirm(args: Readonly<Record<string, unknown>>): Promise<string>;
  /** Throws `forbidden` for a member who is no admin. */
  needsAdmin(): void;
}

/** Works across orgs for as long as a request lasts: finding out who is signed in, and signing in. */
export function consoleCtx({ host }: Service, signal: AbortSignal): ServiceCtx {
  return host.serviceCtx(CONSOLE, { credential: { caller: CONSOLE }, args: {}, signal });
}

/** The visit that a request is, of the member who holds the session it came with. Throws `unauthenticated` without one. */
export async function visitOf(
  service: Service,
  req: Request,
  form: URLSearchParams,
  signal: AbortSignal,
): Promise<Visit> {
  const raw = sessionCookieOf(service, req);
  const signedIn = raw === undefined ? undefined : await sessionOf(consoleCtx(service, signal), raw);
  if (raw === undefined || !signedIn) throw notSignedIn();
  const { org, member } = signedIn;
  const scope = scopeOf(member, "admin");
  const caller: Caller = { kind: "org", name: member.name, member: member.id, token: signedIn.session.id, scope, org };
  const as = async <T>(who: Caller, tool: string, args: Readonly<Record<string, unknown>>): Promise<T> => {
    const op = service.registry.get(tool)?.op;
    if (!op) throw new Error(`the console calls ${tool}, which is not served`);
    const named = op.route.includes("{orgtag}") ? { ...args, orgtag: org.tag } : args;
    const outcome = await call(service.host, op, { credential: { caller: who }, args: named, signal });
    if (outcome.kind === "file") throw new Error(`the console calls ${tool}, which answers a file`);
    return outcome.body as T;
  };
  return {
    ...signedIn,
    token: formToken(raw),
    ctx: service.host.orgCtx(caller, org, { credential: { caller }, args: {}, signal }),
    param: (name) => String(req.params[name] ?? ""),
    query: new URL(req.originalUrl, "http://service").searchParams,
    form,
    call: (tool, args = {}) => as(caller, tool, args),
    callForSelf: (tool, args) => as({ ...caller, scope: "admin" }, tool, args),
    confirm: async (args) => (await as<{ confirm: string }>(CONSOLE, "delivery_confirm", args)).confirm,
    needsAdmin: () => {
      if (scope !== "admin") throw forbidden("This is for admins of the org; ask one of them.");
    },
  };
}

/** A field of a form, without the space around it; undefined when it was left empty. */
export function field({ form }: Visit, name: string): string | undefined {
  return form.get(name)?.trim() || undefined;
}

/** A field that a form cannot do without. */
export function needed(visit: Visit, name: string): string {
  const value = field(visit, name);
  if (value === undefined) throw badField(name, "is needed");
  return value;
}

function notSignedIn(): AppError {
  return unauthenticated(
    "You are not signed in, or your session has ended. Open the link that an admin of your org gave you; each signs in once, so ask for a new one where yours was used.",
  );
}
