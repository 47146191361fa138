import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { modelConfig } from "../../../src/models/config.ts";
import { openAi } from "../../helpers/vendors/models.ts";

interface Known {
  readonly calls: readonly { readonly tool: string; readonly args: unknown }[];
  readonly answer: string;
}

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: unknown;
}

/** A model that answers by a file of requests, calls first; while `chance` is above 0 it fails so often. */
export interface ChaosProvider {
  readonly url: string;
  chance: number;
  failed: number;
  close(): Promise<void>;
}

/** The settings by which a service asks it. */
export function modelsAt(url: string) {
  const models = "openai-compatible/small";
  const none = { anthropicUrl: undefined, anthropicKey: undefined };
  return modelConfig({ models, prices: "small=0.01/0.01", openAiUrl: url, openAiKey: "key-o", ...none }, "2026-01-01");
}

/** Starts it on loopback; `key` is the file. */
export async function startChaosProvider(key: string, random: () => number): Promise<ChaosProvider> {
  const provider = { url: "", chance: 0, failed: 0, close: async () => {} };
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    if (random() < provider.chance) {
      provider.failed += 1;
      const how = random();
      // An error, a quota, or a connection that ends in the middle of an answer.
      if (how < 0.4) return void res.writeHead(503).end("{}");
      if (how < 0.7) return void res.writeHead(429).end("{}");
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write('data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"The');
      return void setTimeout(() => res.destroy(), 5);
    }
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: Message[] };
    const known = existsSync(key) ? (JSON.parse(readFileSync(key, "utf8")) as Record<string, Known>) : {};
    const asked = messages.flatMap((message) => (message.role === "user" ? [known[textOf(message)]] : []));
    const entry = asked.findLast((one) => one !== undefined) ?? { calls: [], answer: "I do not know." };
    const called = messages.some(({ tool_calls }) => tool_calls !== undefined);
    res.writeHead(200, { "content-type": "text/event-stream" });
    if (entry.calls.length > 0 && !called) openAi(res, { calls: entry.calls, tokens: [400, 40] });
    else openAi(res, { text: entry.answer, tokens: [500, 20] });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  provider.close = () =>
    new Promise((done) => {
      server.close(() => done());
      server.closeAllConnections();
    });
  return provider;
}

function textOf({ content }: Message): string {
  if (typeof content === "string") return content;
  return (content as { text?: string }[]).map(({ text = "" }) => text).join("");
}
