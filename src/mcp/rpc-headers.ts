/** One JSON-RPC message, as far as a pipe looks into it. */
export interface RpcMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** Which parameter the name header repeats, by method. */
const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/**
 * The headers that a message takes over HTTP and does not have over stdio. From 2026-07-28 on a message says its version
 * itself, and its method and name are repeated; before, the version agreed on at the start is sent.
 */
export function rpcHeaders(message: RpcMessage, agreed: string | undefined): Record<string, string> {
  const meta = message.params?._meta as Record<string, unknown> | undefined;
  const version = meta?.[VERSION_KEY];
  if (typeof version !== "string") return agreed === undefined ? {} : { "mcp-protocol-version": headerText(agreed) };
  const name = message.params?.[NAMED_BY[message.method ?? ""] ?? ""];
  return {
    "mcp-protocol-version": headerText(version),
    ...(message.method === undefined ? {} : { "mcp-method": headerText(message.method) }),
    ...(typeof name === "string" ? { "mcp-name": headerText(name) } : {}),
  };
}

/** A value that a header may carry as it is, else in the protocol's own encoding. */
function headerText(value: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?");
  return plain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}
