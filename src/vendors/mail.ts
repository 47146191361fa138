import type { Transporter } from "nodemailer";
import { type AppError, unavailable, unprocessable } from "../../chapters/errors.ts";
import type { MailVendor } from "../../chapters/ports/vendors.ts";
import type { Config } from "../config.ts";
import { lazy } from "../service/lazy.ts";

const TIMEOUT_MS = 15_000;

/** Mail over SMTP, by the provider that the operator set. Loaded and connected at the first mail. */
export function mailVendor({ url, from }: Config["mail"]): MailVendor {
  const transport = lazy(async (): Promise<Transporter> => {
    const { createTransport } = await import("nodemailer");
    return createTransport({
      url: url ?? "",
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    } as Parameters<typeof createTransport>[0]);
  });
  return {
    provider: { env: "SVC_MAIL_URL", set: url !== undefined && from !== undefined },
    async send(mail, signal) {
      if (url === undefined || from === undefined) {
        throw unprocessable("The operator has set no mail provider: SVC_MAIL_URL and SVC_MAIL_FROM are needed.");
      }
      signal.throwIfAborted();
      try {
        const sent = await (await transport.get()).sendMail({
          from,
          // An address object: nothing in it is read as a list of several.
          to: { name: "", address: mail.to },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
        });
        return { id: String(sent.messageId) };
      } catch (error) {
        throw refusal(error);
      }
    },
  };
}

/** By the SMTP reply's class: 5xx is a refusal of this mail, all else may pass later. */
function refusal(error: unknown): AppError {
  const { code, responseCode } = Object(error) as { code?: string; responseCode?: number };
  if (code === "EAUTH") {
    return unprocessable("The mail provider refused the operator's credential in SVC_MAIL_URL.");
  }
  if (responseCode !== undefined && responseCode >= 500) {
    return unprocessable("The mail provider refused this mail or its recipient.");
  }
  return unavailable("The mail provider cannot be reached or takes no mail now; try again.", {
    retryAfter: 60,
  });
}
