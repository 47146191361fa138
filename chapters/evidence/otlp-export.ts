import type { Ctx, RequestBody } from "../context.ts";
import { AppError, ERROR_STATUS } from "../errors.ts";
import { FileAnswer, Reply } from "../reply.ts";
import { decodeRequest, encodeResponse, encodeStatus } from "./formats/otlp/protobuf.ts";
import { inflated, readAll } from "./reading/bytes.ts";
import { type EvidenceFacts, NothingTaken, storeEvidence } from "./store-evidence.ts";

/** Media types of a protobuf export. */
export const PROTOBUF_TYPES: ReadonlySet<string> = new Set(["application/x-protobuf", "application/protobuf"]);

/** google.rpc.Code of each refusal an exporter can meet. */
const RPC_CODES: Readonly<Record<number, number>> = { 400: 3, 413: 8, 429: 8, 503: 14 };

/**
 * Takes an OpenTelemetry trace export and answers in its own form and encoding: 200 with nothing, or with how many
 * spans were rejected and why; a refusal as a status message. Traces without agent spans count as rejected.
 */
export async function takeExport(ctx: Ctx, body: RequestBody, facts: EvidenceFacts): Promise<Reply<FileAnswer>> {
  const binary = body.type !== undefined && PROTOBUF_TYPES.has(body.type);
  try {
    const bytes = await readAll(inflated(body.bytes));
    const content = binary ? Buffer.from(JSON.stringify(decoded(bytes))) : bytes;
    const { rejected, message } = isEmpty(content) ? { rejected: 0, message: "" } : await stored(ctx, content, facts);
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
    throw new AppError("bad_request", "The body is no OTLP trace export in protobuf.");
  }
}

/** An export without spans is a success by the protocol. */
function isEmpty(content: Buffer): boolean {
  return content.length < 64 && /^\s*\{\s*(?:"resourceSpans"\s*:\s*\[\s*\]\s*)?\}\s*$/.test(content.toString("utf8"));
}

async function stored(ctx: Ctx, content: Buffer, facts: EvidenceFacts) {
  try {
    const { doc } = await storeEvidence(ctx, once(content), { ...facts, kind: "traces", format: "otlp" });
    return { rejected: doc.stats.losses.span_of_refused_trace ?? 0, message: doc.refused[0]?.reason ?? "" };
  } catch (cause) {
    if (!(cause instanceof NothingTaken)) throw cause;
    return {
      rejected: cause.tally.losses.span_of_refused_trace ?? 0,
      message: cause.tally.refused[0]?.reason ?? cause.reason,
    };
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function answer(status: number, binary: boolean, bytes: Uint8Array, json: object): Reply<FileAnswer> {
  const file = binary
    ? new FileAnswer("export.bin", "application/x-protobuf", bytes)
    : new FileAnswer("export.json", "application/json", JSON.stringify(json));
  return new Reply(status, file);
}
