import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { RequestHandler } from "express";
import { ChatEnvelope, takeChatEvent } from "../../chapters/automation/delivery/chat-events.ts";
import type { Caller } from "../../chapters/caller.ts";
import { badRequest, unauthenticated } from "../../chapters/errors.ts";
import { invalidInput } from "../../chapters/invalid-input.ts";
import type { Service } from "../service/service.ts";
import { sendJson, withinCall } from "./access.ts";
import { requestBody } from "./request-body.ts";

const MOST_BYTES = 1024 * 1024;
/** A request signed longer ago than this may be a copy of one that was sent before, seconds. */
const OLDEST = 300;

/** Who writes down what the chat tool sends. */
const CHAT: Caller = { kind: "operator", name: "chat", scope: "push" };

/** Takes events of the chat tool, which signs them with the operator's signing secret. Without one there is no such page. */
export function chatEvents(service: Service): RequestHandler {
  const secret = service.config.chat.signingSecret;
  return async (req, res, next) => {
    if (secret === undefined || req.method !== "POST") {
      next();
      return;
    }
    const bytes = await buffer(Readable.from(requestBody(req, MOST_BYTES).bytes));
    if (!signed(secret, req.headers, bytes, service.now()))
      throw unauthenticated("This request is not signed by the chat tool, or was signed too long ago.");
    const parsed = ChatEnvelope.safeParse(jsonOf(bytes));
    if (!parsed.success) throw invalidInput(parsed.error);
    const taken = await withinCall(res, ({ signal }) =>
      takeChatEvent(service.host.serviceCtx(CHAT, { credential: { caller: CHAT }, args: {}, signal }), parsed.data),
    );
    sendJson(res, 200, taken);
  };
}

/** Compared in constant time: `v0=` and the HMAC-SHA256 over version, time and body. */
function signed(secret: string, headers: IncomingHttpHeaders, body: Buffer, now: number): boolean {
  const [at, signature] = [headers["x-slack-request-timestamp"], headers["x-slack-signature"]];
  if (typeof at !== "string" || typeof signature !== "string") return false;
  if (!/^\d+$/.test(at) || Math.abs(now - Number(at)) > OLDEST) return false;
  const wanted = `v0=${createHmac("sha256", secret).update(`v0:${at}:`).update(body).digest("hex")}`;
  const [a, b] = [Buffer.from(wanted), Buffer.from(signature)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw badRequest("The body is not well-formed JSON.");
  }
}
