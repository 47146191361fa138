import { badRequest, unavailable } from "../../chapters/errors.ts";

/** What a person does next when the service cannot be asked. */
const NEXT = "Look with svc doctor; SVC_URL or svc login says where the service is.";

/**
 * One request to a service elsewhere, with its bearer token. Throws `unavailable` where nobody answers, with the system's
 * own code for it (`ECONNREFUSED` and the like).
 */
export async function askService(url: string, init: RequestInit, token: string | undefined): Promise<Response> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw badRequest(`SVC_URL must be an http:// or https:// address. ${NEXT}`);
  const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), ...init.headers };
  try {
    return await fetch(url, { ...init, headers });
  } catch (error) {
    const cause = Object(error).cause as { code?: unknown } | undefined;
    const code = typeof cause?.code === "string" ? ` (${cause.code})` : "";
    throw unavailable(`The service does not answer${code}. ${NEXT}`);
  }
}
