import type { Client } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listTools } from "../../../../worlds/samples/desk/desk.ts";
import { openDeskClient } from "../../../../worlds/samples/desk/record.ts";
import { recordedTools } from "./help.ts";

let client: Client;
beforeAll(async () => {
  client = await openDeskClient();
});
afterAll(() => client.close());

test("the desk in a process lists its tools, as the committed listing has them", async () => {
  const { tools } = await client.listTools();
  expect(tools).toEqual(recordedTools());
  expect(tools).toEqual(listTools());
  expect(tools.length).toBe(15);
  for (const { description, annotations } of tools) {
    expect(description?.length).toBeLessThan(1024);
    expect(Object.keys(annotations ?? {}).length).toBe(4);
  }
});

test("a call answers JSON text, a refused one the error flag and its reason", async () => {
  const found = await client.callTool({ name: "get_order", arguments: { order_id: "SO-10001" } });
  expect(found.isError).toBeFalsy();
  const [block] = found.content as { text: string }[];
  expect(JSON.parse(block?.text ?? "")).toMatchObject({ order_id: "SO-10001", items: expect.any(Array) });
  const missing = await client.callTool({ name: "get_order", arguments: { order_id: "SO-99999" } });
  expect(missing).toMatchObject({ isError: true, content: [{ text: "Order SO-99999 not found" }] });
});

test("wrong arguments are a tool error that names the path; an unknown tool is a protocol error", async () => {
  const wrong = await client.callTool({
    name: "place_order",
    arguments: { customer_id: "C-1001", product_id: 4, quantity: 0 },
  });
  expect(wrong.isError).toBe(true);
  const [block] = wrong.content as { text: string }[];
  expect(block?.text).toMatch(/^Invalid arguments: product_id: .+; quantity: /);
  const extra = await client.callTool({ name: "get_order", arguments: { order_id: "SO-10001", verbose: true } });
  expect(extra.isError).toBe(true);
  await expect(client.callTool({ name: "drop_tables", arguments: {} })).rejects.toMatchObject({ code: -32602 });
});

test("a client of the older protocol line is served too, from a database of its own", async () => {
  await client.callTool({ name: "cancel_order", arguments: { order_id: "SO-10150", reason: "other" } });
  const old = new OldClient({ name: "old", version: "1" });
  const server = new URL("../../../../worlds/samples/desk/server.ts", import.meta.url).pathname;
  await old.connect(new StdioClientTransport({ command: process.execPath, args: [server] }));
  const answer = await old.callTool({ name: "get_order", arguments: { order_id: "SO-10150" } });
  expect(JSON.stringify(answer.content)).toContain('\\"status\\":\\"pending\\"');
  await old.close();
});
