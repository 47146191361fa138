import { createServer, type Server as HttpServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { readConfig } from "../../src/config.ts";
import { sendJson } from "../../src/http/access.ts";
import { hostGuard } from "../../src/http/guards.ts";
import { jsonBody } from "../../src/http/request-body.ts";
import { mcpEndpoint, type ServedPrompts, type ServedResources, type ToolCall } from "../../src/mcp/mcp-endpoint.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: PIXEL, mimeType: "image/png" };
const resource = (uri: string, words: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType: "text/plain", text: words },
});
const NONE = { type: "object" as const, properties: {} };

/** The tools that the conformance suite calls by name, with the answers it wants. */
const TOOLS: Record<
  string,
  { inputSchema: { type: "object"; [key: string]: unknown }; content: unknown[]; isError?: true }
> = {
  test_simple_text: { inputSchema: NONE, content: [text("This is a simple text response for testing.")] },
  test_image_content: { inputSchema: NONE, content: [image] },
  test_audio_content: { inputSchema: NONE, content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    inputSchema: NONE,
    content: [resource("test://embedded-resource", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    inputSchema: NONE,
    content: [
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", '{"test":"data"}'),
    ],
  },
  test_error_handling: {
    inputSchema: NONE,
    content: [text("This tool intentionally returns an error for testing")],
    isError: true,
  },
  test_tool_with_progress: { inputSchema: NONE, content: [text("done")] },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword.
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    content: [text("ok")],
  },
};

const LISTING = Object.entries(TOOLS).map(([name, { inputSchema }]) => ({
  name,
  description: `Fixture ${name}.`,
  inputSchema,
}));

async function callFixture({ name, progress }: ToolCall): Promise<object | undefined> {
  const tool = TOOLS[name];
  if (!tool) return undefined;
  if (name === "test_tool_with_progress") for (const done of [0, 50, 100]) progress?.({ progress: done, total: 100 });
  const { content, isError } = tool;
  return { content, ...(isError ? { isError } : {}) };
}

const said = (...content: unknown[]) => ({ messages: content.map((each) => ({ role: "user", content: each })) });

/** The prompts that it gets by name, with the messages it wants. */
const PROMPTS: Record<string, { arguments: string[]; get: (args: Readonly<Record<string, string>>) => object }> = {
  test_simple_prompt: { arguments: [], get: () => said(text("This is a simple prompt for testing.")) },
  test_prompt_with_arguments: {
    arguments: ["arg1", "arg2"],
    get: ({ arg1, arg2 }) => said(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    arguments: ["resourceUri"],
    get: ({ resourceUri = "" }) =>
      said(resource(resourceUri, "Embedded resource content for testing."), text("Please process the resource above.")),
  },
  test_prompt_with_image: { arguments: [], get: () => said(image, text("Please analyze the image above.")) },
};

const prompts: ServedPrompts = {
  prompts: Object.entries(PROMPTS).map(([name, { arguments: names }]) => ({
    name,
    description: `Fixture ${name}.`,
    arguments: names.map((each) => ({ name: each, description: each, required: true })),
  })),
  get: async (name, args) => PROMPTS[name]?.get(args),
};

const resources: ServedResources = {
  templates: [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  list: async () => [
    { uri: "test://static-text", name: "static text", description: "Text.", mimeType: "text/plain" },
    { uri: "test://static-binary", name: "static binary", description: "Bytes.", mimeType: "image/png" },
  ],
  async read(uri) {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (uri === "test://static-text")
      return { contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }] };
    if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: PIXEL }] };
    if (id === undefined) return undefined;
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text: data }] };
  },
};

/** A running server: its URL and its end. */
export interface Running {
  readonly url: string;
  close(): Promise<void>;
}

/** The suite's own fixtures on this service's transport and guards, without credentials. */
export async function startFixtures(): Promise<Running> {
  const endpoint = mcpEndpoint();
  const identity = { name: "conformance-fixtures", version: "1.0.0" };
  const complete = async () => ["testing", "tested"];
  const served = { identity, tools: LISTING, call: callFixture, prompts, resources, complete };
  const app = express().use(hostGuard(readConfig({})));
  app.all("/mcp", async (req, res) => {
    await endpoint(req, res, served, req.method === "POST" ? await jsonBody(req, 1e7) : undefined);
  });
  app.use(((_error, _req, res, _next) => sendJson(res, 403, { error: "forbidden" })) as express.ErrorRequestHandler);
  return running(createServer(app), "/mcp");
}

/** A door that adds a token to each request: the suite can send none of its own. */
export async function withToken(target: string, token: string): Promise<Running> {
  const { hostname, port } = new URL(target);
  const door = createServer((req, res) => {
    const headers = { ...req.headers, authorization: `Bearer ${token}` };
    const out = request({ hostname, port, method: req.method, path: req.url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    out.on("error", () => res.destroy());
    res.on("close", () => out.destroy());
    req.pipe(out);
  });
  return running(door, "/mcp");
}

async function running(server: HttpServer, path: string): Promise<Running> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
