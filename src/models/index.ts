import type { ToolSet } from "ai";
import type { ChatMessage, ChatReply, ChatRequest, ModelOffer, Models } from "../../chapters/models/port.ts";
import { ModelFailure } from "../../chapters/models/port.ts";
import { lazy } from "../service/lazy.ts";
import type { ModelConfig } from "./config.ts";

type Sdk = Awaited<ReturnType<typeof loadSdk>>;
type SdkMessages = NonNullable<Parameters<Sdk["streamText"]>[0]["messages"]>;

/** What a provider answers whose key, bill or model's name is wrong: nothing of the request's. */
const DENIED = new Set([401, 402, 403, 404, 407]);
/** What it answers when it did not manage in time, or not yet. */
const IN_TIME = new Set([408, 409, 425]);

/** The configured models, reached over the providers' own HTTP interfaces. The client library is loaded at first use. */
export function createModels(config: ModelConfig): Models {
  const sdk = lazy(loadSdk);
  return {
    offered: config.offered,
    async chat(request, signal, heard) {
      const offer = config.offered.find((one) => one.model === request.model);
      if (!offer) throw new ModelFailure("refused", "the model is not offered");
      const loaded = await sdk.get();
      return chatOnce(loaded, languageModel(loaded, config, offer), request, signal, heard);
    },
  };
}

async function loadSdk() {
  const [{ APICallError, jsonSchema, streamText, tool }, { createOpenAICompatible }, { createAnthropic }] =
    await Promise.all([import("ai"), import("@ai-sdk/openai-compatible"), import("@ai-sdk/anthropic")]);
  return { APICallError, jsonSchema, streamText, tool, createOpenAICompatible, createAnthropic };
}

function languageModel(sdk: Sdk, { providers }: ModelConfig, { provider, model }: ModelOffer) {
  const { baseUrl, key } = providers[provider];
  const name = model.slice(provider.length + 1);
  if (provider === "anthropic") return sdk.createAnthropic({ baseURL: baseUrl, apiKey: key ?? "" })(name);
  const settings = {
    name: provider,
    baseURL: baseUrl,
    includeUsage: true,
    ...(key === undefined ? {} : { apiKey: key }),
  };
  return sdk.createOpenAICompatible(settings)(name);
}

async function chatOnce(
  sdk: Sdk,
  model: ReturnType<typeof languageModel>,
  request: ChatRequest,
  signal: AbortSignal,
  heard: () => void = () => undefined,
): Promise<ChatReply> {
  const tools: ToolSet = Object.fromEntries(
    (request.tools ?? []).map(({ name, description, schema }) => [
      name,
      // A tool without `execute` is only told to the model: whoever asked makes the calls.
      sdk.tool({ description, inputSchema: sdk.jsonSchema<Record<string, unknown>>(schema) }),
    ]),
  );
  let failure: unknown;
  const streamed = sdk.streamText({
    model,
    instructions: request.system,
    messages: messagesOf(request.messages),
    maxOutputTokens: request.maxOutputTokens,
    // Money is reserved for one call: to try again is the caller's decision.
    maxRetries: 0,
    abortSignal: signal,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    ...(request.tools?.length ? { tools } : {}),
    onChunk: () => {
      // A stop is told as a part of the stream too.
      if (!signal.aborted) heard();
    },
    onError: ({ error }) => {
      failure ??= error;
    },
  });
  try {
    const [text, calls, finish, usage] = await Promise.all([
      streamed.text,
      streamed.toolCalls,
      streamed.finishReason,
      streamed.usage,
    ]);
    if (failure !== undefined) throw failure;
    return {
      text,
      calls: calls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, tool: toolName, args: input })),
      finish: finishOf(finish),
      tokens:
        usage.inputTokens === undefined || usage.outputTokens === undefined
          ? undefined
          : { input: usage.inputTokens, output: usage.outputTokens },
    };
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(sdk, failure ?? error);
  }
}

function messagesOf(messages: readonly ChatMessage[]): SdkMessages {
  return messages.map((message) => {
    if (message.role === "user") return { role: "user", content: message.text };
    if (message.role === "assistant") {
      const text = message.text === "" ? [] : [{ type: "text" as const, text: message.text }];
      const calls = message.calls.map(({ id, tool, args }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: tool,
        input: args,
      }));
      return { role: "assistant", content: [...text, ...calls] };
    }
    return {
      role: "tool",
      content: message.results.map(({ id, tool, text, is_error }) => ({
        type: "tool-result" as const,
        toolCallId: id,
        toolName: tool,
        output: { type: is_error ? ("error-text" as const) : ("text" as const), value: text },
      })),
    };
  });
}

function finishOf(reason: string): ChatReply["finish"] {
  if (reason === "stop" || reason === "length") return reason;
  if (reason === "tool-calls") return "tool_calls";
  return reason === "content-filter" ? "refused" : "other";
}

/** Sorts out whose trouble it is. The provider's own words stay in the log's cause: they may hold what it was sent. */
function failureOf(sdk: Sdk, error: unknown): ModelFailure {
  if (!sdk.APICallError.isInstance(error)) return new ModelFailure("provider", "no usable answer");
  const status = error.statusCode;
  if (status === undefined) return new ModelFailure("provider", "no connection");
  const wait = retryAfter(error.responseHeaders?.["retry-after"]);
  const told = { status, ...(wait === undefined ? {} : { retryAfter: wait }) };
  const kind = status === 429 ? "quota" : DENIED.has(status) ? "denied" : IN_TIME.has(status) ? "provider" : undefined;
  return new ModelFailure(kind ?? (status >= 400 && status < 500 ? "refused" : "provider"), `status ${status}`, told);
}

/** Seconds, or until a date. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\s*\d+(\.\d+)?\s*$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}
