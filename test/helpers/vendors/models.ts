import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Config } from "../../../src/config.ts";
import { modelConfig } from "../../../src/models/config.ts";

/** What the provider answers next. */
export type Scripted =
  | {
      readonly text: string;
      readonly tokens?: readonly [input: number, output: number];
      readonly finish?: "length" | "refused";
    }
  | {
      readonly calls: readonly { readonly tool: string; readonly args: unknown }[];
      readonly tokens?: readonly [number, number];
    }
  | { readonly status: number; readonly retryAfter?: number }
  | { readonly hang: true }
  /** Goes on and on, a word at a time. */
  | { readonly endless: true }
  | { readonly garbage: string };

export interface FakeProvider {
  /** Offers `openai-compatible/small`, `anthropic/large` and the unpriced `openai-compatible/unpriced`. */
  readonly config: Pick<Config, "models">;
  /** The bodies it was sent, in order. */
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: Record<string, unknown>;
  }[];
  /** What it answers, in order; a call past the end is answered 500 and shows in `unscripted`. */
  say(...next: Scripted[]): void;
  /** Drops what it has not answered yet. */
  forget(): void;
  unscripted(): number;
  close(): Promise<void>;
}

/** A provider on loopback that streams in both wire formats: OpenAI chat completions and Anthropic messages. */
export async function startProvider(prices = "small=1/10,large=2/20"): Promise<FakeProvider> {
  const script: Scripted[] = [];
  const requests: FakeProvider["requests"] = [];
  let past = 0;
  const server = createServer(async (req, res) => {
    const path = req.url ?? "";
    const body = JSON.parse(await textOf(req)) as Record<string, unknown>;
    requests.push({ path, headers: req.headers, body });
    const speaks = path === "/v1/chat/completions" ? openAi : path === "/v1/messages" ? anthropic : undefined;
    const authorized =
      speaks === openAi ? req.headers.authorization === "Bearer key-o" : req.headers["x-api-key"] === "key-a";
    if (!speaks || !authorized || body.stream !== true) return fail(res, speaks && authorized ? 400 : 401);
    const next = script.shift();
    if (!next) {
      past += 1;
      return fail(res, 500);
    }
    if ("hang" in next) return;
    if ("status" in next) return fail(res, next.status, next.retryAfter);
    res.writeHead(200, { "content-type": "text/event-stream" });
    if ("endless" in next) {
      const word = { id: "c1", object: "chat.completion.chunk", created: 1, model: "small" };
      const choices = [{ index: 0, delta: { role: "assistant", content: "well " }, finish_reason: null }];
      const timer = setInterval(() => res.write(`data: ${JSON.stringify({ ...word, choices })}\n\n`), 20);
      return void res.once("close", () => clearInterval(timer));
    }
    if ("garbage" in next) return void res.end(next.garbage);
    speaks(res, next);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const models = modelConfig(
    {
      models: "openai-compatible/small,anthropic/large,openai-compatible/unpriced",
      prices,
      openAiUrl: url,
      openAiKey: "key-o",
      anthropicUrl: url,
      anthropicKey: "key-a",
    },
    "2026-01-01",
  );
  return {
    config: { models },
    requests,
    say: (...next) => void script.push(...next),
    forget: () => void script.splice(0),
    unscripted: () => past,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** An answer that is given, in any wire format. */
export type Said = Extract<Scripted, { text: string } | { calls: unknown }>;

/** Streams an answer as a chat completion. */
export function openAi(res: ServerResponse, said: Said): void {
  const chunk = (delta: unknown, finish: string | null, rest: object = {}) =>
    res.write(
      `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "small", choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`,
    );
  if ("text" in said) {
    for (const piece of said.text.match(/[\s\S]{1,40}/g) ?? []) chunk({ role: "assistant", content: piece }, null);
    chunk({}, said.finish === "refused" ? "content_filter" : (said.finish ?? "stop"));
  } else {
    said.calls.forEach(({ tool, args }, index) => {
      const call = {
        index,
        id: `call_${index}`,
        type: "function",
        function: { name: tool, arguments: JSON.stringify(args) },
      };
      chunk({ role: "assistant", tool_calls: [call] }, null);
    });
    chunk({}, "tool_calls");
  }
  if (said.tokens) {
    const [prompt_tokens, completion_tokens] = said.tokens;
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    res.write(
      `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "small", choices: [], usage })}\n\n`,
    );
  }
  res.end("data: [DONE]\n\n");
}

function anthropic(res: ServerResponse, said: Said): void {
  const event = (type: string, rest: object) =>
    res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  const [input, output] = said.tokens ?? [0, 0];
  const message = {
    id: "m1",
    type: "message",
    role: "assistant",
    model: "large",
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  event("message_start", { message: { ...message, usage: { input_tokens: input, output_tokens: 0 } } });
  const blocks =
    "text" in said
      ? [{ block: { type: "text", text: "" }, delta: { type: "text_delta", text: said.text } }]
      : said.calls.map(({ tool, args }, i) => ({
          block: { type: "tool_use", id: `toolu_${i}`, name: tool, input: {} },
          delta: { type: "input_json_delta", partial_json: JSON.stringify(args) },
        }));
  blocks.forEach(({ block, delta }, index) => {
    event("content_block_start", { index, content_block: block });
    event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  });
  const stop =
    "calls" in said
      ? "tool_use"
      : said.finish === "refused"
        ? "refusal"
        : said.finish === "length"
          ? "max_tokens"
          : "end_turn";
  event("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: output } });
  event("message_stop", {});
  res.end();
}

function fail(res: ServerResponse, status: number, retryAfter?: number): void {
  res.writeHead(status, {
    "content-type": "application/json",
    ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
  });
  res.end(JSON.stringify({ type: "error", error: { type: "error", message: "planted provider words" } }));
}

async function textOf(req: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
