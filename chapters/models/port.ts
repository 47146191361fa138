/** What a model costs, US dollars per million tokens, and the day the price was read. */
export interface ModelPrice {
  readonly input_usd: number;
  readonly output_usd: number;
  /** ISO date. */
  readonly as_of: string;
}

/** A model that callers may name, by the exact string `provider/model`. */
export interface ModelOffer {
  readonly model: string;
  readonly provider: "openai-compatible" | "anthropic";
  /** Absent when no price is known: the model is then refused, since its cost could not be reserved. */
  readonly price?: ModelPrice;
  /** The environment variable that holds the provider's key, and whether it is set. */
  readonly key: { readonly name: string; readonly set: boolean };
}

/** A tool call that a model makes; `args` is as it wrote them, unchecked. */
export interface ToolCall {
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

/** A turn of a conversation with a model. */
export type ChatMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] }
  | {
      readonly role: "tool";
      readonly results: readonly (Omit<ToolCall, "args"> & { readonly text: string; readonly is_error: boolean })[];
    };

/** A tool a model may call; `schema` is the JSON Schema of its arguments. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** One question to a model, with the conversation so far. */
export interface ChatRequest {
  /** As offered. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  /** Most tokens it may write. */
  readonly maxOutputTokens: number;
  readonly temperature?: number;
}

/** Tokens that were read and written. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** What a model said, and the tools it calls next. */
export interface ChatReply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: "stop" | "length" | "tool_calls" | "refused" | "other";
  /** As the provider counted them; absent when it said nothing. */
  readonly tokens: Tokens | undefined;
}

/**
 * Why a provider gave no reply: `provider` and `quota` are its own trouble, `denied` that it does not let this workspace in
 * (a key, a bill, a model's name), `refused` is about the request.
 */
export class ModelFailure extends Error {
  readonly kind: "provider" | "quota" | "denied" | "refused";
  /** Its HTTP status, where it answered with one. */
  readonly status: number | undefined;
  /** Seconds, where the provider said so. */
  readonly retryAfter: number | undefined;

  constructor(kind: ModelFailure["kind"], message: string, told: { status?: number; retryAfter?: number } = {}) {
    super(message);
    this.name = "ModelFailure";
    this.kind = kind;
    this.status = told.status;
    this.retryAfter = told.retryAfter;
  }
}

/** The models of this workspace. Nothing here spends an org's money by itself: callers go through `askModel`. */
export interface Models {
  /** What may be named, the default first; empty where the operator configured none. */
  readonly offered: readonly ModelOffer[];
  /**
   * One exchange, streamed from the provider so that a slow answer is not cut off; `heard` is called whenever something
   * of the answer comes. Throws ModelFailure.
   */
  chat(request: ChatRequest, signal: AbortSignal, heard?: () => void): Promise<ChatReply>;
}
