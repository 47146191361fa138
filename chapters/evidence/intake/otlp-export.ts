import type { Ctx, RequestBody } from "../../context.ts";
import { AppError, badRequest, ERROR_STATUS } from "../../errors.ts";
import type { StreamFacts } from "../../records/evidence/rolling.ts";
import { FileAnswer, Reply } from "../../reply.ts";
import { decodeRequest, encodeResponse, encodeStatus } from "../formats/otlp/protobuf.ts";
import { defined } from "../formats/values.ts";
import { inflated, readAll } from "../reading/bytes.ts";
import { CountedBody } from "../reading/counted-body.ts";
import { receiveSpans } from "../rolling/receive.ts";
import type { EvidenceFacts } from "./store-evidence.ts";

/** Media types of a protobuf export. */
export const PROTOBUF_TYPES: ReadonlySet<string> = new Set(["application/x-protobuf", "application/protobuf"]);

/** google.rpc.Code of each refusal an exporter can meet. */
const RPC_CODES: Readonly<Record<number, number>> = { 400: 3, 413: 8, 429: 8, 503: 14 };

/**
 * Takes an OpenTelemetry trace export and answers in its own form and encoding: 200 with nothing, or with how many
 * spans were rejected and why; a refusal as a status message. The spans wait until their traces are whole.
 */
export async function takeExport(ctx: Ctx, body: RequestBody, facts: EvidenceFacts): Promise<Reply<FileAnswer>> {
  const binary = body.type !== undefined && PROTOBUF_TYPES.has(body.type);
  try {
    const bytes = await readAll(inflated(new CountedBody(body.bytes, facts.declared)));
    const request = binary ? decoded(bytes) : parsed(bytes);
    const { rejected, message } = await receiveSpans(ctx, request, streamOf(facts));
    const partial =
      rejected === 0 ? {} : { partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } };
    return answer(200, binary, encodeResponse(rejected, message), partial);
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    const status = ERROR_STATUS[cause.code] === 422 ? 400 : ERROR_STATUS[cause.code];
    const code = RPC_CODES[status];
    if (code === undefined) throw cause;
    return answer(status, binary, encodeStatus(code, cause.reason), { code, message: cause.reason });
  }
}

function decoded(bytes: Buffer) {
  try {
    return decodeRequest(bytes);
  } catch {
    throw badRequest("The body is no OTLP trace export in protobuf.");
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8").replace(/^\ufeff/, ""));
  } catch {
    throw badRequest("The body is no OTLP trace export in JSON: it is broken or cut off.");
  }
}

/** What the sender says of its spans; what is absent stays away, so that the same words are the same stream. */
function streamOf(facts: EvidenceFacts): StreamFacts {
  return {
    by: facts.by,
    access: facts.privacy?.access ?? "full",
    allow_secrets: facts.allowSecrets === true,
    ...defined({
      provenance: facts.provenance,
      surface: facts.surface,
      source: facts.source,
      tag: facts.tag,
      pipeline: facts.pipeline,
      author_member: facts.authorMember,
    }),
  };
}

function answer(status: number, binary: boolean, bytes: Uint8Array, json: object): Reply<FileAnswer> {
  const file = binary
    ? new FileAnswer("export.bin", "application/x-protobuf", bytes)
    : new FileAnswer("export.json", "application/json", JSON.stringify(json));
  return new Reply(status, file);
}
