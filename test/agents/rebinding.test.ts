import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { connect, createServer, type Server } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { AddressRefused, publicLookup } from "../../src/agents/addresses.ts";
import { Egress } from "../../src/agents/egress.ts";

// A name whose answer changes between a check and a connection: public when it is asked first, this machine afterwards.
const PUBLIC = "93.184.216.34";
const asked = { names: [] as string[] };
const found = (name: string, _: unknown, callback: (error: null, found: dns.LookupAddress[]) => void) => {
  asked.names.push(name);
  const address = asked.names.length === 1 ? PUBLIC : "127.0.0.1";
  setImmediate(() => callback(null, [{ address, family: 4 }]));
};

let inside: Server;
let port = 0;
let reached = 0;
beforeAll(async () => {
  inside = createServer((socket) => {
    reached += 1;
    socket.end();
  });
  await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
  port = (inside.address() as { port: number }).port;
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  inside.close();
});
beforeEach(() => {
  vi.spyOn(dns, "lookup").mockImplementation(found as unknown as typeof dns.lookup);
  syncBuiltinESMExports();
  asked.names.length = 0;
  reached = 0;
});

it("is asked once: the address that was checked is the one that is connected to", async () => {
  const socket = connect({ host: "rebind.test", port, lookup: publicLookup, autoSelectFamily: false });
  socket.on("error", () => undefined);
  const [, address] = await new Promise<unknown[]>((resolve) => socket.once("lookup", (...told) => resolve(told)));
  socket.destroy();
  expect(address).toBe(PUBLIC);
  expect(asked.names).toEqual(["rebind.test"]);
  expect(reached).toBe(0);
});

it("is refused once its answer is an address of this machine, whatever it was before", async () => {
  asked.names.push("an earlier look");
  const socket = connect({ host: "rebind.test", port, lookup: publicLookup });
  const error = await new Promise((resolve) => socket.once("error", resolve));
  expect(error).toBeInstanceOf(AddressRefused);
  expect(reached).toBe(0);
});

// Finding S4.
it.each([
  ["CONNECT", (place: string) => place],
  ["GET", (place: string) => `http://${place}/`],
])("is refused a trial that asks its proxy for it by %s", async (method, target) => {
  asked.names.push("an earlier look");
  const egress = new Egress({ allow: [`rebind.test:${port}`], privateAllowed: false });
  const proxy = connect({ port: await egress.listen(), host: "127.0.0.1" });
  proxy.write(`${method} ${target(`rebind.test:${port}`)} HTTP/1.1\r\nhost: rebind.test\r\nconnection: close\r\n\r\n`);
  const said = await new Promise<string>((resolve) => proxy.once("data", (chunk) => resolve(String(chunk))));
  egress.close();
  expect(said).toMatch(/^HTTP\/1.1 403 /);
  expect(asked.names.at(-1)).toBe("rebind.test");
  expect(egress.counts(true)).toEqual({ forwarded: 0, refused: 1, enforced: true });
  expect(reached).toBe(0);
});
