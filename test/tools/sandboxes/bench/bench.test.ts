import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { unzipSync } from "fflate";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { BundleRecord, Environment } from "../../../../chapters/records/sandboxes/sandboxes.ts";
import { BaseState, Bundle } from "../../../../worlds/bundle.ts";
import { grade } from "../../../../worlds/tasks/grading/grade.ts";
import { rehearsals } from "../../../../worlds/tasks/grading/rehearse.ts";
import type { FinishedTrial, Task } from "../../../../worlds/tasks/schema.ts";
import { playScript } from "../../../../worlds/tasks/trial.ts";
import { createWorld } from "../../../../worlds/world.ts";
import { shopIn } from "../../runs/kit.ts";
import { ended, ok, sharedApp } from "../kit.ts";
import { TaskToml } from "./harbor.ts";

const shared = sharedApp();

describe("worldplan_bench", () => {
  const { org, invoke, store } = shared.over();

  // Finding B6.
  it("worldplan_bench is a dataset with a world to call, whose verifiers, run alone, decide as the service does", async () => {
    const made = await shopIn(shared.app.service, org.id, 2, "bench");
    const { bundle } = (await store().records.get(Environment, made.environment))!;
    const dimensions = { family: ["lookup", "write", "no_data"] };
    const { body } = await ok(invoke("worldplans_from_surface", { bundle, count: 4, label: "bench", dimensions }));
    await ended(invoke, body.job);
    const wid = body.suite as string;
    expect((await invoke("worldplan_bench", { wid: "wp_none" })).status).toBe(404);
    expect((await invoke("worldplan_bench", { wid, tier: "best" })).status).toBe(400);
    expect(await invoke("worldplan_bench", { wid, tier: "human" })).toMatchObject({ status: 409 });
    expect((await ok(invoke("worldplan_bench", { wid, tier: "llm-derived" }, org.read))).status).toBe(200);
    const res = await fetch(`${shared.app.url}/v0/worldplans/${wid}/bench`, {
      headers: { authorization: `Bearer ${org.read}` },
    });
    expect(res.headers.get("content-type")).toBe("application/zip");
    const files = unzipSync(new Uint8Array(await res.arrayBuffer()));
    const { body: plan } = await ok(invoke("worldplan_get", { wid }));
    const places = [
      ...new Set(
        Object.keys(files)
          .filter((name) => name.includes("/"))
          .map((name) => name.split("/")[0]!),
      ),
    ];
    expect(places).toEqual(plan.tasks.map((_: unknown, i: number) => `task-000${i}`));
    const folder = mkdtempSync(join(tmpdir(), "bench-"));
    try {
      for (const [name, bytes] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), bytes);
      }
      const record = (await store().records.get(BundleRecord, plan.bundle))!;
      const blob = async (digest: string) => JSON.parse(Buffer.from((await store().blobs.get(digest))!).toString());
      const env = {
        bundle: Bundle.parse(await blob(record.bundle_blob)),
        base: BaseState.parse(await blob(plan.base_blob)),
      };
      for (const [i, place] of places.entries()) {
        const { task } = plan.tasks[i] as { task: Task };
        const at = (name: string) => join(folder, place, name);
        const toml = TaskToml.parse(parse(readFileSync(at("task.toml"), "utf8")));
        expect(toml.metadata).toMatchObject({ worldplan: wid, family: task.family });
        expect(toml.environment?.healthcheck?.command).toMatch(/^world list\b/);
        expect(toml.environment?.mcp_servers).toHaveLength(1);
        for (const required of ["instruction.md", "environment/Dockerfile", "tests/test.sh", "solution/solve.sh"])
          expect(existsSync(at(required)), required).toBe(true);
        expect(readFileSync(at("instruction.md"), "utf8")).toContain(task.request);
        expect(readFileSync(at("environment/Dockerfile"), "utf8")).toMatch(/^FROM /);
        expect(readFileSync(at("tests/test.sh"), "utf8")).toMatch(/^#!\/bin\/sh\n/);
        const right = playScript(
          createWorld(env.bundle, env.base, { seed: plan.seed }),
          task.script,
          task.turns.length + 1,
        );
        const met = { status: 0, reward: "1\n", end: "met" };
        expect(verify(at("tests"), right)).toEqual(met);
        // A difference or an answer of a tool that the agent reports is worth nothing: the calls are played again.
        const idle = { ...right, calls: [] };
        expect(verify(at("tests"), idle).end).toBe(grade(task, { ...idle, diff: [] }, env).end);
        if (right.diff.length > 0) expect(verify(at("tests"), idle)).toMatchObject({ status: 0, reward: "0\n" });
        expect(verify(at("tests"), { ...right, diff: [] })).toEqual(met);
        // What the world kept comes before what the agent says that it called.
        const said = right.answers.map(({ text }) => text);
        expect(verify(at("tests"), right, { calls: [], said }).end).toBe(grade(task, { ...idle, diff: [] }, env).end);
        expect(verify(at("tests"), undefined, { calls: right.calls, said }).end).toBe("met");
        expect(verify(at("tests"), undefined, { calls: [], said: [] })).toMatchObject({ reward: "0\n" });
        await serves(join(folder, place), right, env.bundle.tools.length);
        const trials = rehearsals(task, env);
        const sample = [
          ...trials.filter(({ right }) => right).slice(0, 2),
          ...trials
            .filter(({ right }) => !right)
            .filter((_, n) => n % 7 === 0)
            .slice(0, 4),
        ];
        for (const { trial, name } of sample) {
          const { end } = grade(task, trial, env);
          const said = verify(at("tests"), trial);
          expect([name, said.end]).toEqual([name, end]);
          expect(said.reward).toBe(end === "met" ? "1\n" : end === "failed" ? "0\n" : undefined);
        }
      }
      for (const broken of [undefined, { calls: [] }, "no json", { calls: [{ tool: 1 }], answers: [] }])
        expect(verify(join(folder, places[0]!, "tests"), broken)).toMatchObject({
          status: 3,
          end: "invalid",
          reward: undefined,
        });
      const programs = Object.keys(files).filter((each) => each.endsWith(".mjs"));
      expect(programs.length).toBe(2 * places.length);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Runs a task's verifier as a process that has nothing of the service; `kept` is what the container's world and agent left. */
function verify(
  tests: string,
  trial: FinishedTrial | unknown,
  kept?: { calls: readonly { tool: string; args: object }[]; said: readonly string[] },
) {
  const logs = mkdtempSync(join(tmpdir(), "bench-logs-"));
  try {
    mkdirSync(join(logs, "artifacts"));
    mkdirSync(join(logs, "verifier"));
    // What an agent puts where the reward is read is none.
    for (const [name, text] of [
      ["reward.json", '{"reward": 1}'],
      ["reward.txt", "1"],
    ] as const)
      writeFileSync(join(logs, "verifier", name), text);
    if (trial !== undefined)
      writeFileSync(join(logs, "artifacts/trial.json"), typeof trial === "string" ? trial : JSON.stringify(trial));
    const journal = join(logs, "calls.jsonl");
    if (kept)
      writeFileSync(journal, kept.calls.map(({ tool, args }) => `${JSON.stringify({ tool, args })}\n`).join(""));
    for (const [i, text] of (kept?.said ?? []).entries())
      writeFileSync(join(logs, i === 0 ? "answer.txt" : `answer-${i + 1}.txt`), text);
    const entry = /\/tests\/(\S+)/.exec(readFileSync(join(tests, "test.sh"), "utf8"))![1]!;
    const { status, stderr } = spawnSync(process.execPath, [join(tests, entry), "verify", tests, logs, journal, logs], {
      cwd: logs,
      env: {},
      encoding: "utf8",
    });
    const reward = join(logs, "verifier/reward.txt");
    expect(existsSync(join(logs, "verifier/reward.json"))).toBe(false);
    if (!existsSync(join(logs, "verifier/verdict.json"))) throw new Error(stderr);
    const { end } = JSON.parse(readFileSync(join(logs, "verifier/verdict.json"), "utf8")) as { end: string };
    return { status, end, reward: existsSync(reward) ? readFileSync(reward, "utf8") : undefined };
  } finally {
    rmSync(logs, { recursive: true, force: true });
  }
}

/** A task's world answers an MCP client as the drawn world does, keeps the calls, and stands again after it was killed. */
async function serves(place: string, { calls }: FinishedTrial, tools: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-world-"));
  const journal = join(folder, "calls.jsonl");
  const port = await freePort();
  const start = () =>
    spawn(
      process.execPath,
      [join(place, "environment/world/program.mjs"), "serve", join(place, "environment/world"), journal, String(port)],
      { env: {}, stdio: ["ignore", "inherit", "inherit"] },
    );
  const connected = async () => {
    const client = new Client({ name: "test", version: "1" });
    await expect
      .poll(() =>
        client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`))).then(
          () => "up",
          () => "down",
        ),
      )
      .toBe("up");
    return client;
  };
  let world = start();
  try {
    let client = await connected();
    expect((await client.listTools()).tools).toHaveLength(tools);
    for (const [i, { tool, args, answer, is_error }] of calls.entries()) {
      if (i === 1) {
        const ended = once(world, "exit");
        world.kill("SIGKILL");
        await ended;
        await client.close();
        world = start();
        client = await connected();
      }
      const said = await client.callTool({ name: tool, arguments: args });
      expect(said.isError === true).toBe(is_error);
      const [part] = said.content as { text: string }[];
      expect(part?.text).toContain(typeof answer === "string" ? answer : "");
    }
    await client.close();
    const kept = readFileSync(journal, "utf8").trim().split("\n").filter(Boolean);
    expect(kept.map((line) => JSON.parse(line))).toEqual(calls.map(({ tool, args }) => ({ tool, args })));
  } finally {
    world.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
