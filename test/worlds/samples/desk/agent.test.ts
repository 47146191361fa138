import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Assistant } from "../../../../worlds/samples/desk/agent/assistant.ts";
import { READERS } from "../../../../worlds/samples/desk/agent/reply.ts";
import { createDesk, type Desk } from "../../../../worlds/samples/desk/desk.ts";
import { seedRows } from "../../../../worlds/samples/desk/seed.ts";
import { deskServer } from "../../../../worlds/samples/desk/server.ts";
import { recordedSessions } from "./help.ts";

const AGENT = fileURLToPath(new URL("../../../../worlds/samples/desk/agent.ts", import.meta.url));
const seed = seedRows();
const pending = seed.orders.find((row) => row.status === "pending");
const delivered = seed.orders.find((row) => row.status === "delivered" && (row.returnsUntil ?? "") < "2026-05-12");

let desk: Desk;
beforeEach(() => {
  desk = createDesk();
});
afterEach(() => desk.close());

function assistant(version: string, calls: { tool: string; args: unknown; isError: boolean }[] = []): Assistant {
  const read = READERS[version];
  if (!read) throw new Error("no such version");
  return new Assistant({
    async call(tool, args) {
      const answer = desk.call(tool, args) ?? { text: "Unknown tool", isError: true };
      calls.push({ tool, args, isError: answer.isError });
      return read(answer.text, answer.isError);
    },
    close: async () => undefined,
  });
}

describe("as a command", () => {
  const TOKEN = "svc_world_test";
  let http: Server;
  let url: string;
  let unauthorized = 0;
  beforeEach(async () => {
    const handle = toNodeHandler(createMcpHandler(() => deskServer(desk)));
    http = createServer((request, response) => {
      if (request.headers.authorization !== `Bearer ${TOKEN}`) {
        unauthorized++;
        response.writeHead(401).end();
        return;
      }
      void handle(request as Parameters<typeof handle>[0], response);
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  });
  afterEach(() => new Promise((resolve) => http.close(resolve)));

  async function converse(turns: readonly string[], args: readonly string[] = [], token = TOKEN) {
    const env = { PATH: process.env.PATH, SVC_TRIAL_MCP_URL: url, SVC_TRIAL_MCP_TOKEN: token };
    const child = spawn(process.execPath, [AGENT, ...args], { env, stdio: ["pipe", "pipe", "pipe"] });
    const lines: { answer: string; class?: string }[] = [];
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
    for (const [i, text] of turns.entries()) child.stdin.write(`${JSON.stringify({ turn: i + 1, text })}\n`);
    child.stdin.end();
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { lines, code, errors };
  }

  test("a line for every turn, the order really cancelled, and an end at the end of input", async () => {
    const id = pending?.id;
    const { lines, code, errors } = await converse([
      `Please cancel order ${id}, it takes too long.`,
      `And what is the status of ${id}?`,
    ]);
    expect(errors).toBe("");
    expect(code).toBe(0);
    expect(lines.map((line) => line.class)).toEqual(["answered", "answered"]);
    expect(lines[1]?.answer).toContain("cancelled");
    expect(JSON.parse(desk.call("get_order", { order_id: id })?.text ?? "")).toMatchObject({
      status: "cancelled",
      cancel_reason: "too_slow",
    });
  });

  test("version 2 says done where the desk refused; version 1 says why not", async () => {
    const request = [`Please cancel order ${delivered?.id}, I no longer need it.`];
    const [first, second] = [await converse(request, ["--version", "1"]), await converse(request, ["--version", "2"])];
    expect(first.lines).toEqual([
      { answer: expect.stringContaining("only pending orders can be cancelled"), class: "refused" },
    ]);
    expect(second.lines).toEqual([{ answer: `Order ${delivered?.id} has been cancelled.`, class: "answered" }]);
    expect(JSON.parse(desk.call("get_order", { order_id: delivered?.id })?.text ?? "").status).toBe("delivered");
  });

  test("a wrong token and an unknown version end it with an error", async () => {
    const before = unauthorized;
    expect((await converse(["Hello"], [], "svc_world_other")).code).not.toBe(0);
    expect(unauthorized).toBeGreaterThan(before);
    expect((await converse(["Hello"], ["--version", "3"])).code).not.toBe(0);
  });
});

describe("what it understands", () => {
  test("every recorded request that changed something is carried out the same way", async () => {
    const writes = new Set(desk.tools.filter((tool) => !tool.annotations.readOnlyHint).map(({ name }) => name));
    let changed = 0;
    for (const session of recordedSessions()) {
      const due = session.calls
        .filter((call) => writes.has(call.tool) && !call.isError)
        .map(({ tool, args }) => ({ tool, args }));
      desk.close();
      desk = createDesk();
      const calls: { tool: string; args: unknown; isError: boolean }[] = [];
      const answer = await assistant("1", calls).turn(session.request);
      expect({
        task: session.task,
        done: calls.filter((call) => writes.has(call.tool) && !call.isError).map(({ tool, args }) => ({ tool, args })),
      }).toEqual({ task: session.task, done: due });
      expect(answer.text).not.toBe("");
      if (due.length > 0) changed++;
    }
    expect(changed).toBeGreaterThan(80);
  });

  test.each([
    ["What is the total of order SO-10017?", "get_order", "SO-10017", "total"],
    [
      "Good morning, would you mind checking the tier of customer C-1007 for me, please?",
      "get_customer",
      "C-1007",
      "tier",
    ],
    ["Need the stock of product P-204.", "get_product", "P-204", "stock"],
    ["Address city of order SO-10020?", "get_order", "SO-10020", "address.city"],
  ])("%s", async (request, tool, id, field) => {
    const [param = ""] = Object.keys(
      (desk.tools.find(({ name }) => name === tool)?.inputSchema.properties ?? {}) as object,
    );
    const row = JSON.parse(desk.call(tool, { [param]: id })?.text ?? "") as Record<string, unknown>;
    const value = field.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], row);
    const said = await assistant("1").turn(request);
    expect(said.class).toBe("answered");
    expect(said.text).toContain(typeof value === "number" && field === "total" ? value.toFixed(2) : String(value));
  });

  test("it asks when an order is not named, and goes on with the answer", async () => {
    const talk = assistant("1");
    const asks = await talk.turn("Please cancel my order, I ordered it by mistake.");
    expect(asks).toMatchObject({ class: "none", text: expect.stringMatching(/Which order .*\?/) });
    expect((await talk.turn(`It is ${pending?.id}.`)).class).toBe("answered");
    expect(JSON.parse(desk.call("get_order", { order_id: pending?.id })?.text ?? "")).toMatchObject({
      status: "cancelled",
      cancel_reason: "ordered_by_mistake",
    });
  });

  test("it says so when nothing is there, and invents nothing", async () => {
    expect(await assistant("1").turn("What is the status of order SO-99999?")).toMatchObject({ class: "said_no_data" });
    expect(await assistant("1").turn("My email is nobody@example.com. How much store credit do I have?")).toMatchObject(
      { class: "said_no_data" },
    );
    const unsent = await assistant("1").turn(`What is the carrier of the shipment on order ${pending?.id}?`);
    expect(unsent.class).toBe("said_no_data");
  });

  test("several wishes in one text are all carried out", async () => {
    const other = seed.orders.findLast((row) => row.status === "pending");
    const said = await assistant("1").turn(
      `I'd like to cancel my order ${pending?.id}, reason other. Also, please change the delivery address of my order ${other?.id}, street 8 Willow Court, city Ashford, postcode 41120.`,
    );
    expect(said.class).toBe("answered");
    expect(JSON.parse(desk.call("get_order", { order_id: other?.id })?.text ?? "").address).toEqual({
      street: "8 Willow Court",
      city: "Ashford",
      postcode: "41120",
    });
  });
});
