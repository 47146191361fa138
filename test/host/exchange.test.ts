import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import express from "express";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withinCall } from "../../src/http/access.ts";
import { httpServer } from "../../src/http/http-server.ts";
import { jsonBody } from "../../src/http/request-body.ts";

const LIMIT_MS = 250;
const app = express();
/** Answers how many bytes came; `?work=MS` works on after the last. */
app.post("/", async (req, res) => {
  try {
    const bytes = await withinCall(
      res,
      async () => {
        let read = 0;
        for await (const chunk of req) read += (chunk as Buffer).length;
        await sleep(Number(req.query.work ?? 0));
        return read;
      },
      LIMIT_MS,
    );
    res.json({ bytes });
  } catch (error) {
    res.status(503).json({ reason: (error as Error).message });
  }
});
const server = httpServer(app);

beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Sends so many chunks, one every 50 ms, and ends the body where `whole`. */
async function send(path: string, chunks: number, whole: boolean): Promise<{ status: number; text: string }> {
  const { port } = server.address() as AddressInfo;
  const out = request({ port, path, method: "POST", headers: { "transfer-encoding": "chunked" } });
  const answered = once(out, "response");
  for (let i = 0; i < chunks; i++) {
    out.write("x".repeat(10));
    await sleep(50);
  }
  if (whole) out.end();
  const [answer] = await answered;
  let text = "";
  for await (const chunk of answer) text += chunk;
  out.destroy();
  return { status: answer.statusCode, text };
}

it("a body may come for longer than a call may take, as long as it comes", async () => {
  expect(await send("/", 16, true)).toEqual({ status: 200, text: '{"bytes":160}' });
});

it("one that stopped coming, and work that takes too long, is given up", async () => {
  const late = { status: 503, text: expect.stringContaining("took too long") };
  expect(await send("/", 2, false)).toEqual(late);
  expect(await send(`/?work=${4 * LIMIT_MS}`, 1, true)).toEqual(late);
});

it("a request that was answered before it arrived whole does not keep its connection", async () => {
  const refusing = httpServer((_req, res) => void res.writeHead(401).end(), 100);
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
  const { port } = refusing.address() as AddressInfo;
  const headers = { "transfer-encoding": "chunked" };
  const out = request({ port, method: "POST", headers }).on("error", () => {});
  out.write("x");
  const [answer] = await once(out, "response");
  expect(answer.statusCode).toBe(401);
  answer.on("error", () => {}).resume();
  const trickle = setInterval(() => out.write("x"), 20);
  // How the connection ends, by a reset too, is the system's to say: `once` would fail on an error before the close.
  await new Promise((resolve) => out.once("close", resolve));
  clearInterval(trickle);
  await new Promise((resolve) => refusing.close(resolve));
});

// Finding S15.
it("a JSON body that trickles in is refused, however long it goes on", async () => {
  const slow = httpServer(async (req, res) => {
    const refused = await jsonBody(req, 1e6, 200).catch((error: unknown) => error);
    res.writeHead(400).end(String(refused));
  }, 100);
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  const { port } = slow.address() as AddressInfo;
  const out = request({ port, method: "POST", headers: { "transfer-encoding": "chunked" } }).on("error", () => {});
  const trickle = setInterval(() => out.write(" "), 20);
  const [answer] = await once(out, "response");
  let text = "";
  for await (const chunk of answer) text += chunk;
  clearInterval(trickle);
  expect(text).toContain("took too long to arrive");
  slow.closeAllConnections();
  await new Promise((resolve) => slow.close(resolve));
});
