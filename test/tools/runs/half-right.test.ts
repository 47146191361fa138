import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { generateTasks } from "../../../worlds/tasks/generate.ts";
import { type Invoke, invoker, startApp, type TestApp } from "../../helpers/app.ts";
import { deskWorld } from "../../helpers/desk-world.ts";
import { placeIn, runToEnd, type ShopOrg } from "./kit.ts";

const AGENT = fileURLToPath(new URL("./half-agent.mjs", import.meta.url));
const TASKS = 40;

let app: TestApp;
let invoke: Invoke;
let desk: ShopOrg;
/** A group that met every task, and how many of the tasks the agent is right on at its first attempt. */
let whole = "";
let right = 0;
let server: ChildProcess | undefined;

beforeAll(async () => {
  const { env } = await deskWorld();
  const tasks = generateTasks(env.bundle, env.base, { seed: "1", count: TASKS + 20 });
  const own = [...new Map(tasks.map((task) => [task.request, task])).values()].slice(0, TASKS);
  app = await startApp();
  const org = await app.org();
  invoke = invoker(app, "rest", org);
  desk = await placeIn(app.service, org.id, "desk", env, own);
  const first = (request: string) => createHash("sha256").update(`${request} 1`).digest()[0] ?? 0;
  right = own.filter(({ request }) => first(request) < 128).length;
  whole = (await runToEnd(invoke, { harness: "reference", environment: desk.environment })).group;
});
afterAll(async () => {
  server?.kill();
  await app.close();
});

/** The agent with one way to fail, connected: as a command, or as a server for the way that needs one. */
async function connectHalf(fault: string): Promise<string> {
  const env = { KEY: desk.key, FAULT: fault };
  const own = { name: `half ${fault}` };
  if (fault !== "500") {
    const made = await invoke("agents_post", { kind: "command", ...own, command: [process.execPath, AGENT], env });
    return made.body.agent.id;
  }
  server = spawn(process.execPath, [AGENT], { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  if (server.stdout === null) throw new Error("the agent has no output");
  const [port] = await once(server.stdout, "data");
  const made = await invoke("agents_post", { kind: "http", ...own, url: `http://127.0.0.1:${String(port).trim()}/` });
  return made.body.agent.id;
}

it("the agent that is planted is right about half of the time, and what it is compared with always", async () => {
  expect((await invoke("run_group", { gid: whole })).body.rates).toMatchObject({ met: TASKS, valid: TASKS });
  // 95 % of what half of forty comes to.
  expect(right).toBeGreaterThanOrEqual(14);
  expect(right).toBeLessThanOrEqual(26);
});

it.each(["answer", "137", "127", "KILL", "500"])(
  "an agent that is right half of the time is told as that where it fails by %s",
  async (fault) => {
    const agent = await connectHalf(fault);
    const { group } = await runToEnd(invoke, { agent, environment: desk.environment });
    const { rates, ledger, environments } = (await invoke("run_group", { gid: group })).body;
    expect(rates, JSON.stringify(ledger)).toMatchObject({
      met: right,
      failed: TASKS - right,
      valid: TASKS,
      infra: 0,
      invalid: 0,
      bounds: { low: right / TASKS, high: right / TASKS },
    });
    expect((await invoke("run_get", { rid: environments[0].run })).body.attempts).toBe(TASKS);
    const compared = JSON.parse((await invoke("compare_runs", { a: whole, b: group, format: "json" })).file ?? "");
    expect(compared.verdict).toContain(" is worse: it met ");
    expect(compared).toMatchObject({ worse: "b", words: "shown" });
  },
  240_000,
);
