import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createLauncher } from "../../src/agents/launcher.ts";
import { testRepo } from "../helpers/git.ts";

const asked: string[] = [];
const site = createServer((req, res) => {
  asked.push(String(req.headers["x-from"]));
  res.end("here");
});
const launcher = createLauncher({ commandsAllowed: true, privateAddressesAllowed: true });
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  port = (site.address() as AddressInfo).port;
});
afterAll(async () => {
  site.close();
  await launcher.close();
});

/** Asks for the world directly, then for addresses through the proxy, then for one past it. */
const AGENT = `
import { connect } from "node:net";
import { request } from "node:http";
const proxy = new URL(process.env.HTTP_PROXY);
const through = (url) => new Promise((resolve) => {
  const req = request({ host: proxy.hostname, port: proxy.port, path: url, headers: { "x-from": "proxy" } }, (res) => { res.resume(); resolve(res.statusCode); });
  req.on("error", () => resolve("error")).end();
});
const tunnel = (place) => new Promise((resolve) => {
  const req = request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: place });
  req.on("connect", (res, socket) => { socket.destroy(); resolve(res.statusCode); }).on("error", () => resolve("error")).end();
});
const past = (port) => new Promise((resolve) => {
  const socket = connect(port, "127.0.0.1", () => { socket.destroy(); resolve("reached"); });
  socket.on("error", () => resolve("no way"));
});
const world = await fetch(process.env.SVC_TRIAL_MCP_URL, { headers: { "x-from": "world" } }).then((res) => res.text());
const { SITE, OTHER } = process.env;
const said = [world, await through("http://127.0.0.1:" + SITE + "/"), await tunnel("127.0.0.1:" + SITE), await through("http://127.0.0.1:" + OTHER + "/"), await tunnel("example.com:443"), await past(OTHER)];
process.stdin.on("data", () => console.log(JSON.stringify({ answer: JSON.stringify(said) }))).on("end", () => process.exit(0));
`;

it("a trial reaches its world and its list, counted, and where the machine can, nothing else", async () => {
  const world = createServer((req, res) => {
    asked.push(String(req.headers["x-from"]));
    res.end("world");
  });
  await new Promise<void>((resolve) => world.listen(0, "127.0.0.1", resolve));
  const other = createServer((_req, res) => res.end());
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const otherPort = (other.address() as AddressInfo).port;
  const repo = testRepo({ "agent.mjs": AGENT });
  const base = {
    trial: "t",
    turns: ["hello"],
    mcpUrl: `http://127.0.0.1:${(world.address() as AddressInfo).port}/mcp`,
    timeoutSeconds: 600,
  };
  // Each trial has a token of its own: what still holds one after its trial is ended.
  const brief = () => ({ ...base, mcpToken: randomUUID() });
  const checkout = { folder: repo.folder, commit: "0".repeat(40), ref: "main", files: 1, bytes: 1, removed: [] };
  const target = {
    kind: "repository" as const,
    adapter: "svc" as const,
    command: [process.execPath, "agent.mjs"],
    env: { SITE: String(port), OTHER: String(otherPort) },
    egress: [`127.0.0.1:${port}`],
    checkout,
  };
  const conduct = await launcher.run(target, async () => brief(), new AbortController().signal);
  expect(conduct.cause, conduct.log).toBeUndefined();
  expect(conduct.egress).toMatchObject({ forwarded: 2, refused: 2 });
  const said = JSON.parse(conduct.answers[0]?.text ?? "[]");
  expect(said.slice(0, 5)).toEqual(["world", 200, 200, 403, 403]);
  expect(said[5]).toBe(conduct.egress?.enforced ? "no way" : "reached");
  expect(asked).toEqual(["world", "proxy"]);

  // It ends as its agent does: a crash is a crash, and what cannot be started is told as that.
  const crash = { ...target, command: [process.execPath, "-e", "process.exit(3)"] };
  expect((await launcher.run(crash, async () => brief(), new AbortController().signal)).cause).toBe("crash");
  const none = { ...target, command: ["no-such-program"] };
  expect((await launcher.run(none, async () => brief(), new AbortController().signal)).cause).toBe("could_not_start");
  const hang = { ...target, command: [process.execPath, "-e", "setInterval(() => 0, 1000)"] };
  const short = { ...brief(), timeoutSeconds: 2 };
  expect((await launcher.run(hang, async () => short, new AbortController().signal)).cause).toBe("timeout");
  repo.close();
  world.close();
  other.close();
});
