import protobuf from "protobufjs";
import type { JsonObject } from "../../../../worlds/json.ts";
import { list, object } from "../values.ts";

/** The messages of OTLP trace export, version 1, as far as a trace needs them; unknown fields are passed over. */
const PROTO = `
syntax = "proto3";
message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message ScopeSpans { InstrumentationScope scope = 1; repeated Span spans = 2; }
message InstrumentationScope { string name = 1; string version = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8;
  repeated KeyValue attributes = 9; repeated Event events = 11; Status status = 15;
}
message Event { fixed64 time_unix_nano = 1; string name = 2; repeated KeyValue attributes = 3; }
message Status { string message = 2; int32 code = 3; }
message KeyValue { string key = 1; AnyValue value = 2; }
message AnyValue {
  oneof value {
    string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4;
    ArrayValue array_value = 5; KeyValueList kvlist_value = 6; bytes bytes_value = 7;
  }
}
message ArrayValue { repeated AnyValue values = 1; }
message KeyValueList { repeated KeyValue values = 1; }
message ExportTracePartialSuccess { int64 rejected_spans = 1; string error_message = 2; }
message ExportTraceServiceResponse { ExportTracePartialSuccess partial_success = 1; }
message RpcStatus { int32 code = 1; string message = 2; }
`;

const { root } = protobuf.parse(PROTO);
const Request = root.lookupType("ExportTraceServiceRequest");
const Response = root.lookupType("ExportTraceServiceResponse");
const Status = root.lookupType("RpcStatus");

/** An export request in the form its JSON encoding has. Throws on bytes that are none. */
export function decodeRequest(bytes: Uint8Array): JsonObject {
  const request = Request.toObject(Request.decode(bytes), { longs: String, bytes: String, arrays: true }) as JsonObject;
  for (const resource of list(request.resourceSpans)) {
    for (const scope of list(object(resource)?.scopeSpans)) {
      for (const each of list(object(scope)?.spans)) hexIds(object(each));
    }
  }
  return request;
}

function hexIds(span: JsonObject | undefined): void {
  for (const key of ["traceId", "spanId", "parentSpanId"]) {
    const id = span?.[key];
    if (span && typeof id === "string") span[key] = Buffer.from(id, "base64").toString("hex");
  }
}

/** The protobuf answer: empty when all spans were taken. */
export function encodeResponse(rejected: number, message: string): Uint8Array {
  if (rejected === 0) return new Uint8Array();
  return Response.encode(
    Response.fromObject({ partialSuccess: { rejectedSpans: rejected, errorMessage: message } }),
  ).finish();
}

/** The protobuf form of a refusal. `code` is of google.rpc.Code. */
export function encodeStatus(code: number, message: string): Uint8Array {
  return Status.encode(Status.fromObject({ code, message })).finish();
}
