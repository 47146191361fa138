import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isPublicAddress } from "../../src/agents/addresses.ts";
import { createLauncher } from "../../src/agents/launcher.ts";

type Handler = (body: string, response: ServerResponse, request: IncomingMessage) => void;
let handler: Handler = (_body, response) => void response.end();
let url = "";
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => handler(body, response, request));
});
const open = createLauncher({ commandsAllowed: false, privateAddressesAllowed: true });
const guarded = createLauncher({ commandsAllowed: false, privateAddressesAllowed: false });

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
});
afterAll(async () => {
  await Promise.all([open.close(), guarded.close()]);
  server.closeAllConnections();
  server.close();
});

const brief = {
  trial: "tr1",
  turns: ["first", "second"],
  mcpUrl: "http://w/mcp",
  mcpToken: "svc_world_x",
  timeoutSeconds: 600,
};
const target = (adapter: "svc" | "text" | "openai-chat" = "svc", to = url) => ({
  kind: "http" as const,
  url: to,
  headers: { authorization: "Bearer k" },
  adapter,
});
const play = (answer: Handler, adapter?: "svc" | "text" | "openai-chat", timeoutSeconds = 600) => {
  handler = answer;
  return open.run(target(adapter), async () => ({ ...brief, timeoutSeconds }), new AbortController().signal);
};

test("svc: one POST a turn with the contract's fields and a session", async () => {
  const seen: unknown[] = [];
  const conduct = await play((body, response, request) => {
    const turn = JSON.parse(body) as { turn: number; text: string };
    seen.push({ ...turn, authorization: request.headers.authorization });
    response.end(JSON.stringify({ answer: `${turn.turn}:${turn.text}`, class: "refused" }));
  });
  expect(conduct.answers).toEqual([
    { text: "1:first", class: "refused" },
    { text: "2:second", class: "refused" },
  ]);
  const trial = {
    trial_id: "tr1",
    trial_mcp_url: "http://w/mcp",
    trial_mcp_token: "svc_world_x",
    trial_timeout_s: 600,
  };
  expect(seen[1]).toEqual({ session: "tr1", turn: 2, text: "second", authorization: "Bearer k", ...trial });
});

test("openai-chat: the whole conversation each turn; text: plain bodies", async () => {
  const sent: { messages: { role: string; content: string }[]; metadata: Record<string, string> }[] = [];
  const chat = await play((body, response) => {
    sent.push(JSON.parse(body));
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: `a${sent.length}` } }] }));
  }, "openai-chat");
  expect(chat.answers).toEqual([{ text: "a1" }, { text: "a2" }]);
  expect(sent[1]?.messages.map(({ role, content }) => `${role}:${content}`)).toEqual([
    "user:first",
    "assistant:a1",
    "user:second",
  ]);
  expect(sent[0]?.metadata.svc_trial_mcp_token).toBe("svc_world_x");
  const text = await play((body, response) => void response.end(` ${body}! `), "text");
  expect(text.answers).toEqual([{ text: "first!" }, { text: "second!" }]);
});

test("whoever answers has the turn: no status and no broken answer of an agent takes its trial out of the count", async () => {
  const crash = { cause: "crash", began: true };
  for (const code of [400, 401, 403, 404, 405, 429, 500, 502, 503, 504]) {
    const conduct = await play((_body, response) => void response.writeHead(code, { "retry-after": "1" }).end("no"));
    expect([code, conduct]).toMatchObject([code, { ...crash, log: expect.stringContaining(`HTTP ${code}`) }]);
  }
  expect(await play((_body, response) => void response.destroy())).toMatchObject(crash);
  const midway = await play((_body, response) => {
    response.writeHead(200, { "content-length": "100" }).write('{"answer":"half');
    setTimeout(() => response.destroy(), 20);
  });
  expect(midway).toMatchObject({ ...crash, answers: [] });
  const second = await play((body, response) => {
    if (JSON.parse(body).turn === 2) return void response.socket?.resetAndDestroy();
    response.end('{"answer":"a"}');
  });
  expect(second).toMatchObject({ ...crash, answers: [{ text: "a" }] });
  expect(await play((_body, response) => void response.end("<html>"))).toMatchObject({ malformed: true });
  expect(await play((_body, response) => void response.end('{"answer":'))).toMatchObject({ malformed: true });
});

test("only an agent's own address can be away: where it redirects to is its doing", async () => {
  const to = (location: string) => play((_body, response) => void response.writeHead(307, { location }).end());
  expect(await to("http://127.0.0.1:1/")).toMatchObject({ cause: "crash" });
  expect(await to("http://no-such-host.invalid/")).toMatchObject({ cause: "crash" });
});

test("a hang times out, a flood is cut, nobody listening could not start", async () => {
  expect(await play(() => undefined, "svc", 0.5)).toMatchObject({ cause: "timeout" });
  const flood = await play((_body, response) => {
    const block = "x".repeat(1 << 20);
    const go = () => {
      while (!response.destroyed && response.write(block));
      response.once("drain", go);
    };
    go();
  });
  expect(flood.cause).toBe("flood");
  const nobody = await open.run(target("svc", "http://127.0.0.1:1/"), async () => brief, new AbortController().signal);
  expect(nobody).toMatchObject({ cause: "could_not_start", began: false });
});

test("redirects are followed, without our headers to another origin", async () => {
  const seen: (string | undefined)[] = [];
  const conduct = await play((body, response, request) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    if (request.url === "/agent")
      return void response
        .writeHead(307, { location: url.replace("127.0.0.1", "localhost").replace("/agent", "/moved") })
        .end();
    response.end(JSON.stringify({ answer: String(JSON.parse(body).turn) }));
  });
  expect(conduct.answers).toEqual([{ text: "1" }, { text: "2" }]);
  expect(seen.slice(0, 2)).toEqual(["/agent Bearer k", "/moved undefined"]);
  expect(await play((_body, response) => void response.writeHead(307, { location: "/agent" }).end())).toMatchObject({
    cause: "crash",
  });
});

// Finding S14.
test("private ranges are refused, as a literal, after DNS, and in every notation", async () => {
  handler = (_body, response) => void response.end('{"answer":"reached"}');
  const port = new URL(url).port;
  for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"]) {
    const conduct = await guarded.run(
      target("svc", `http://${host}:${port}/agent`),
      async () => brief,
      new AbortController().signal,
    );
    expect(conduct, host).toMatchObject({ cause: "could_not_start", answers: [] });
  }
  for (const address of [
    "10.0.0.1",
    "172.16.5.5",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "fe80::1",
    "fc00::1",
    "::",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "::127.0.0.1",
    "::7f00:1",
    "168.63.129.16",
    "::ffff:168.63.129.16",
  ])
    expect(isPublicAddress(address), address).toBe(false);
  for (const address of ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111"])
    expect(isPublicAddress(address), address).toBe(true);
});

test("the user replies to what was answered; openai-chat is sent the whole conversation", async () => {
  const sent: { messages: { role: string; content: string }[] }[] = [];
  handler = (body, response) => {
    sent.push(JSON.parse(body));
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: `a${sent.length}` } }] }));
  };
  const reply = async (answers: readonly { text: string }[]) =>
    answers.length === 2 ? `to ${answers.at(-1)?.text}` : undefined;
  const run = (adapter: "svc" | "openai-chat") =>
    open.run(target(adapter), async () => ({ ...brief, reply }), new AbortController().signal);
  expect((await run("openai-chat")).answers.map(({ text }) => text)).toEqual(["a1", "a2", "a3"]);
  expect(sent[2]?.messages.map(({ role, content }) => `${role}:${content}`)).toEqual([
    "user:first",
    "assistant:a1",
    "user:second",
    "assistant:a2",
    "user:to a2",
  ]);
  const turns: { turn: number; text: string }[] = [];
  handler = (body, response) => {
    turns.push(JSON.parse(body));
    response.end(JSON.stringify({ answer: "?" }));
  };
  expect((await run("svc")).cause).toBeUndefined();
  expect(turns.map(({ turn, text }) => `${turn}:${text}`)).toEqual(["1:first", "2:second", "3:to ?"]);
});
