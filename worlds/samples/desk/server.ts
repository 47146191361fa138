import { parseArgs } from "node:util";
import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createDesk, type Desk } from "./desk.ts";

/** An MCP server over a desk; several may share one desk. */
export function deskServer(desk: Desk): Server {
  const server = new Server(
    { name: "order-desk", title: "Order desk", version: "1.0.0" },
    {
      capabilities: { tools: {} },
      instructions:
        "The order desk of a home goods shop: look customers, orders, products, shipments and refunds up, and act on orders. Amounts are in dollars, days are ISO dates.",
    },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...desk.tools] }));
  server.setRequestHandler("tools/call", ({ params }) => {
    const answer = desk.call(params.name, params.arguments ?? {});
    if (!answer) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return { content: [{ type: "text", text: answer.text }], ...(answer.isError ? { isError: true } : {}) };
  });
  return server;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { issued: { type: "string", default: "0" } } });
  const desk = createDesk({ issued: Number(values.issued) });
  serveStdio(() => deskServer(desk));
}
