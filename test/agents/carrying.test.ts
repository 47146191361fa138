import { once } from "node:events";
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { Egress } from "../../src/agents/egress.ts";
import { LIMITS } from "../../src/agents/limits.ts";
import { WorldRelay } from "../../src/agents/world-relay.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listens(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A server that answers each request, whatever it is, with these bytes. */
const answering = (bytes: string) =>
  listens(createServer((socket) => socket.on("error", () => {}).on("data", () => socket.end(bytes))));

/** Sends bytes to a port and answers what came back until the connection ended. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let said = "";
  socket.on("data", (chunk) => (said += String(chunk))).on("error", () => {});
  socket.write(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
  return said;
}

const WELL = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nwell";
const ILL = "HTTP/1.1 099 No\r\ncontent-length: 0\r\n\r\n";
const closing = (line: string, headers = "") => `${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${headers}\r\n`;

async function egressTo(...ports: number[]) {
  const allow = ports.map((port) => `127.0.0.1:${port}`);
  const egress = new Egress({ allow, privateAllowed: true });
  return { egress, proxy: await listens(createServer((socket) => egress.proxy(socket))) };
}

it("a request, and an answer, that cannot be sent on ends its own connection alone", async () => {
  const [well, ill] = [await answering(WELL), await answering(ILL)];
  const { egress, proxy } = await egressTo(well, ill);
  const trailer = "trailer: x\r\ncontent-length: 0\r\n";
  const relay = new WorldRelay();
  const [passage, other] = await Promise.all([well, ill].map((port) => relay.open(`http://127.0.0.1:${port}/mcp`)));
  const url = new URL(passage?.url ?? "");
  const path = (of: typeof passage) => new URL(of?.url ?? "").pathname;
  try {
    expect(await exchange(proxy, closing(`GET http://127.0.0.1:${well}/`, trailer))).toContain("well");
    expect(await exchange(proxy, closing(`GET http://127.0.0.1:${ill}/`))).toBe("");
    expect(await exchange(proxy, closing(`GET http://127.0.0.1:${well}/`))).toContain("well");
    expect(await exchange(Number(url.port), closing(`POST ${path(passage)}`, trailer))).toContain("well");
    expect(await exchange(Number(url.port), closing(`POST ${path(other)}`))).toBe("");
    expect(await exchange(Number(url.port), closing(`POST ${path(passage)}`))).toContain("well");
  } finally {
    egress.close();
    relay.close();
  }
});

it("a connection that asks for much before it is answered is ended", async () => {
  let asked = 0;
  const answer = (_: unknown, res: ServerResponse) => {
    asked += 1;
    setTimeout(() => res.end("well"), 100);
  };
  const world = await listens(createHttp(answer));
  const relay = new WorldRelay();
  const url = new URL((await relay.open(`http://127.0.0.1:${world}/mcp`))?.url ?? "");
  const many = (count: number) =>
    `POST ${url.pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`.repeat(count - 1) +
    closing(`POST ${url.pathname}`, "content-length: 0\r\n");
  try {
    expect((await exchange(Number(url.port), many(8))).match(/well/g)).toHaveLength(8);
    expect(await exchange(Number(url.port), many(1_000))).toBe("");
    expect(asked).toBeLessThan(40);
  } finally {
    relay.close();
  }
});

it("calls of one trial together are held to what one may be, and are free again once they ended", async () => {
  const world = await answering(WELL);
  const relay = new WorldRelay();
  const url = new URL((await relay.open(`http://127.0.0.1:${world}/mcp`))?.url ?? "");
  const over = LIMITS.callBytes / 2 + 1_000;
  const begin = () => {
    const socket = connect(Number(url.port), "127.0.0.1").on("error", () => {});
    socket.write(`POST ${url.pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: ${over + 1}\r\n\r\n`);
    const written = new Promise<void>((resolve) => socket.write(Buffer.alloc(over), () => resolve()));
    const said = new Promise<string>((resolve) => {
      socket.once("data", (chunk) => resolve(String(chunk))).once("close", () => resolve("closed"));
    });
    return { socket, written, said };
  };
  try {
    const first = begin();
    await first.written;
    await sleep(200);
    const second = begin();
    expect(await second.said).toContain("413");
    second.socket.destroy();
    first.socket.write(Buffer.alloc(1));
    expect(await first.said).toContain("200 OK");
    first.socket.destroy();
    const third = begin();
    await third.written;
    third.socket.write(Buffer.alloc(1));
    expect(await third.said).toContain("200 OK");
    third.socket.destroy();
  } finally {
    relay.close();
  }
});

it("what a trial asked for through its proxy ends with it", async () => {
  const slow = createHttp();
  const asked = once(slow, "request") as Promise<[IncomingMessage]>;
  const { egress, proxy } = await egressTo(await listens(slow));
  const exchanged = exchange(proxy, closing(`GET http://127.0.0.1:${(slow.address() as AddressInfo).port}/`));
  const [{ socket }] = await asked;
  const ended = once(socket, "close");
  egress.close();
  await Promise.all([ended, exchanged]);
});
