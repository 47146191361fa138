import { Agent, request } from "undici";
import { z } from "zod";
import { type AppError, unavailable, unprocessable } from "../../chapters/errors.ts";
import type { MirrorVendor } from "../../chapters/ports/vendors.ts";

const Held = z.object({
  held: z.record(z.string(), z.string()),
  refused: z.record(z.string(), z.object({ sha256: z.string(), reason: z.string() })),
});
const Admitted = z.object({ result: z.enum(["stored", "same", "replaced"]) });
const Refusal = z.object({ error: z.string(), reason: z.string() });

/** A listing may take as long as the other side waits, and then some; one member is quick. */
const TIMEOUT_MS = 60_000;

/** The workspace that this one mirrors into, over its REST interface with the operator's token there. */
export function mirrorVendor(config: {
  readonly url: string | undefined;
  readonly token: string | undefined;
}): MirrorVendor {
  const { url, token } = config;
  const target = { env: "SVC_MIRROR_URL", set: url !== undefined && token !== undefined };
  const agent = new Agent({ keepAliveTimeout: 10_000, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
  const ask = async (method: "GET" | "POST", path: string, signal: AbortSignal, body?: Uint8Array) => {
    try {
      const { statusCode, body: answer } = await request(`${url}${path}`, {
        method,
        dispatcher: agent,
        signal,
        headers: { authorization: `Bearer ${token}`, ...(body ? { "content-type": "application/octet-stream" } : {}) },
        body: body ?? null,
      });
      return { status: statusCode, json: (await answer.json()) as unknown };
    } catch (error) {
      signal.throwIfAborted();
      throw unreachable(error);
    }
  };
  return {
    target,
    async held(orgtag, signal) {
      const { status, json } = await ask("GET", `/v0/orgs/${encodeURIComponent(orgtag)}/mirror-in?wait=1`, signal);
      const parsed = Held.safeParse(json);
      if (status !== 200 || !parsed.success) throw refused(status, json);
      return { held: new Map(Object.entries(parsed.data.held)), refused: new Map(Object.entries(parsed.data.refused)) };
    },
    async admit(orgtag, { kind, id, sha256, replace, bytes }, signal) {
      const query = new URLSearchParams({ id, sha256, ...(replace ? { replace: "1" } : {}) });
      const path = `/v0/orgs/${encodeURIComponent(orgtag)}/mirror-in/${encodeURIComponent(kind)}?${query}`;
      const { status, json } = await ask("POST", path, signal, bytes);
      const admitted = Admitted.safeParse(json);
      if (status < 300 && admitted.success) return admitted.data;
      const refusal = Refusal.safeParse(json);
      if ((status === 409 || status === 422 || status === 413) && refusal.success)
        return { result: "refused", reason: refusal.data.reason.slice(0, 300) };
      throw refused(status, json);
    },
  };
}

function refused(status: number, json: unknown): AppError {
  if (status >= 500 || status === 429) return unreachable(json);
  if (status === 401 || status === 403)
    return unprocessable(
      "The other workspace does not take this workspace's token for that org; its operator lists those it takes in SVC_MIRROR_FROM.",
    );
  return unprocessable("The other workspace refused the round.");
}

function unreachable(_cause: unknown): AppError {
  return unavailable(
    "The workspace to mirror into did not answer; what was sent stays, and another round goes on from there.",
  );
}
