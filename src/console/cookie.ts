import { createHmac, timingSafeEqual } from "node:crypto";
import type { Request, Response } from "express";
import { SESSION_LIFE } from "../../chapters/organization/sessions.ts";
import type { Service } from "../service/service.ts";

/** Over https the name itself keeps other hosts of the domain from setting it. */
const NAME = { secure: "__Host-svc_session", plain: "svc_session" } as const;

/** What the browser holds of a session; undefined where it holds nothing. */
export function sessionCookieOf(service: Service, req: Request): string | undefined {
  const wanted = `${nameOf(service)}=`;
  const held = (req.headers.cookie ?? "").split(";").map((part) => part.trim());
  return held.find((part) => part.startsWith(wanted))?.slice(wanted.length) || undefined;
}

/** Has the browser hold a session, out of reach of scripts and of posts from other sites. */
export function holdSession(service: Service, res: Response, raw: string): void {
  res.cookie(nameOf(service), raw, { ...attributes(service), maxAge: SESSION_LIFE * 1000 });
}

/** Has the browser forget its session. */
export function dropSession(service: Service, res: Response): void {
  res.clearCookie(nameOf(service), attributes(service));
}

/** The token that every form of a session carries. It is made of what the browser holds and stored nowhere. */
export function formToken(raw: string): string {
  return createHmac("sha256", raw).update("form").digest("base64url");
}

/** Whether a form came with the session's own token; compared in constant time. */
export function isFormToken(raw: string, given: string | null): boolean {
  const [a, b] = [Buffer.from(formToken(raw)), Buffer.from(given ?? "")];
  return a.length === b.length && timingSafeEqual(a, b);
}

function attributes(service: Service) {
  return { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure(service) } as const;
}

function nameOf(service: Service): string {
  return isSecure(service) ? NAME.secure : NAME.plain;
}

function isSecure({ config }: Service): boolean {
  return config.publicUrl?.startsWith("https:") ?? false;
}
