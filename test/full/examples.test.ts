import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Invoke, invoker, startApp, type TestApp } from "../helpers/app.ts";
import { ROOT } from "../helpers/doc-blocks.ts";
import { runToEnd, type ShopOrg, shopIn } from "../tools/runs/kit.ts";

const EXAMPLES = join(ROOT, "docs/examples");
const folder = mkdtempSync(join(tmpdir(), "examples-"));
let app: TestApp;
let invoke: Invoke;
let shop: ShopOrg;
let model: Server;
let agent: ChildProcess | undefined;
let env: Record<string, string>;

/** A model that calls the first tool it is offered, and then says what came of it. */
function modelServer(): Server {
  return createServer(async (request, response) => {
    const { messages, tools } = (await json(request)) as {
      messages: { role: string; content: unknown }[];
      tools: { function: { name: string } }[];
    };
    const last = messages.at(-1);
    const said = typeof last?.content === "string" ? last.content : JSON.stringify(last?.content);
    const asked = { id: "call_1", type: "function", function: { name: tools[0]?.function.name, arguments: "{}" } };
    const message =
      last?.role === "tool"
        ? { role: "assistant", content: `It says: ${said}` }
        : { role: "assistant", content: null, tool_calls: [asked] };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const finish_reason = last?.role === "tool" ? "stop" : "tool_calls";
    response.setHeader("content-type", "application/json");
    const choices = [{ index: 0, message, finish_reason }];
    response.end(JSON.stringify({ id: "c", object: "chat.completion", created: 1, model: "stand-in", choices, usage }));
  });
}

beforeAll(async () => {
  app = await startApp();
  const org = await app.org();
  invoke = invoker(app, "rest", org);
  shop = await shopIn(app.service, org.id, 3);
  model = modelServer().listen(0, "127.0.0.1");
  await once(model, "listening");
  const { port } = model.address() as AddressInfo;
  env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: "none", MODEL: "stand-in" };
});
afterAll(async () => {
  agent?.kill();
  model?.close();
  await app?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The example as somebody copies it, with what its package file asks for installed. */
function installed(name: string): string {
  const here = join(folder, name);
  cpSync(join(EXAMPLES, name), here, { recursive: true });
  const npm = ["install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  execFileSync("npm", npm, { cwd: here, env: { ...process.env, PATH: path }, stdio: "pipe" });
  return here;
}

/** Plays the agent's trials: each called the world once, was told by it, and ended by the checks. */
async function plays(made: Awaited<ReturnType<Invoke>>): Promise<void> {
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const { group } = await runToEnd(invoke, { agent: made.body.agent.id, environment: shop.environment });
  const { rates, environments, ledger } = (await invoke("run_group", { gid: group })).body;
  expect(rates, JSON.stringify(ledger)).toMatchObject({ valid: 3, infra: 0, invalid: 0 });
  const { tree } = (await invoke("run_trace", { rid: environments[0].run })).body;
  expect(tree.cause, tree.log).toBe("checks");
  expect(tree.calls).toHaveLength(1);
  expect(tree.answers[0].text).toContain("It says: ");
}

// Finding E25.
it("the examples are those that are played here, and the workflow that the package is tested with", () => {
  const names = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(names.map(({ name }) => name).sort()).toEqual(["github-action", "openai-agents", "plain-http"]);
});

it("an agent behind a URL plays its trials", async () => {
  const here = installed("plain-http");
  agent = spawn(process.execPath, ["agent.mjs"], { cwd: here, env: { ...process.env, ...env, PORT: "0" } });
  const lines = createInterface({ input: agent.stdout as NodeJS.ReadableStream });
  const [line] = (await once(lines, "line")) as [string];
  const url = /http:\S+/.exec(line)?.[0];
  await plays(await invoke("agents_post", { kind: "http", name: "plain", url }));
});

it("an agent of the OpenAI Agents SDK plays its trials as a command", async () => {
  const here = installed("openai-agents");
  const command = [process.execPath, join(here, "agent.mjs")];
  await plays(await invoke("agents_post", { kind: "command", name: "sdk", command, env }));
});
