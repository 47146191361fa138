import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TrialBrief, TrialConduct } from "../../chapters/ports/launcher.ts";
import { runCommand } from "../../src/agents/command.ts";
import { DEFAULT_ISOLATION } from "../../src/agents/isolation/settings.ts";
import { createLauncher } from "../../src/agents/launcher.ts";
import { Leftovers } from "../../src/agents/leftovers.ts";
import { outOfMemoryKills } from "../../src/agents/out-of-memory.ts";
import { WorldRelay } from "../../src/agents/world-relay.ts";
import { inOwnSession } from "../helpers/process.ts";

/** These look at processes and files of this machine; what a sandbox changes is in isolation.test.ts. */
const OPEN = { ...DEFAULT_ISOLATION, mode: "none" as const };
const launcher = createLauncher({ commandsAllowed: true, privateAddressesAllowed: false, isolation: OPEN });
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agents-"));
});
afterAll(async () => {
  await launcher.close();
  await rm(folder, { recursive: true });
});

interface PlayOptions {
  timeout?: number;
  signal?: AbortSignal;
  adapter?: "svc" | "text";
  reply?: NonNullable<TrialBrief["reply"]>;
}

/** Plays two turns with an agent written in JavaScript. */
async function play(script: string, options: PlayOptions = {}) {
  const file = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  await writeFile(file, script);
  return playCommand([process.execPath, file], options);
}

function playCommand(
  command: string[],
  options: PlayOptions & { env?: Record<string, string> } = {},
): Promise<TrialConduct> {
  const target = { kind: "command" as const, command, env: options.env ?? {}, adapter: options.adapter ?? "svc" };
  const brief = {
    trial: "run_1/task/1",
    turns: ["first", "second"],
    mcpUrl: "http://127.0.0.1:1/worlds/b/w/mcp",
    mcpToken: `svc_world_${randomUUID()}`,
    timeoutSeconds: options.timeout ?? 600,
    ...(options.reply ? { reply: options.reply } : {}),
  };
  return launcher.run(target, async () => brief, options.signal ?? new AbortController().signal);
}

const READ_LINES = `import { createInterface } from "node:readline";
const lines = createInterface({ input: process.stdin });
const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
`;

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  while (alive(pid)) await sleep(20);
  return true;
}

/** What a file says once there is something in it. */
async function written(file: string): Promise<string> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text !== "") return text;
    await sleep(20);
  }
}

test("a line a turn, one process for all turns, and an end at the end of input", async () => {
  const conduct = await play(`${READ_LINES}
    let n = 0;
    for await (const line of lines) { const t = JSON.parse(line); n++; say({ answer: t.turn + ":" + t.text + ":" + n, class: "answered" }); }`);
  expect(conduct.cause).toBeUndefined();
  expect(conduct.answers).toEqual([
    { text: "1:first:1", class: "answered" },
    { text: "2:second:2", class: "answered" },
  ]);
});

test("the environment is the contract's and the agent's own, nothing of the service's", async () => {
  process.env.SVC_PLANTED_SECRET = "planted";
  const conduct = await playCommand(
    [
      process.execPath,
      "-e",
      `${"process.stdin.once('data',()=>{console.log(JSON.stringify({answer:JSON.stringify(process.env)}));process.exit(0)})"}`,
    ],
    { env: { OWN: "1" } },
  );
  delete process.env.SVC_PLANTED_SECRET;
  const env = JSON.parse(conduct.answers[0]?.text ?? "{}") as Record<string, string>;
  const told = [
    "HOME",
    "LANG",
    "OWN",
    "PATH",
    "SVC_TRIAL_ID",
    "SVC_TRIAL_MCP_TOKEN",
    "SVC_TRIAL_MCP_URL",
    "SVC_TRIAL_TIMEOUT_S",
    "TMPDIR",
  ];
  expect(Object.keys(env).sort()).toEqual(told);
  expect(env.HOME).not.toBe(process.env.HOME);
  await expect(readFile(env.HOME ?? "")).rejects.toThrow("ENOENT");
});

test("a crash after the first turn began is the agent's", async () => {
  const conduct = await play(`${READ_LINES}
    for await (const line of lines) { console.error("boom at " + line); process.exit(3); }`);
  expect(conduct).toMatchObject({ cause: "crash", began: true, answers: [] });
  expect(conduct.log).toContain("boom at");
  const segfault = await playCommand(["/bin/sh", "-c", "read x; kill -SEGV $$"]);
  expect(segfault.cause).toBe("crash");
});

test("an agent's own proxy is not asked for its world", async () => {
  const said = async (env: Record<string, string>) => {
    const script = `console.log(JSON.stringify({ answer: [process.env.NO_PROXY ?? "", process.env.no_proxy ?? ""].join(";") }))`;
    return (await playCommand([process.execPath, "-e", script], { env })).answers[0]?.text;
  };
  expect(await said({})).toBe(";");
  expect(await said({ https_proxy: "http://proxy:3128", NO_PROXY: "internal,127.0.0.1" })).toBe(
    "internal,127.0.0.1,localhost,::1;localhost,127.0.0.1,::1",
  );
});

test("a hang runs into the time limit and its whole process group goes", async () => {
  const file = join(folder, "pids");
  const hang = `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs";
    process.on("SIGTERM", () => {});
    const child = spawn("sleep", ["600"]);
    writeFileSync(${JSON.stringify(file)}, process.pid + " " + child.pid);
    setInterval(() => {}, 1000);`;
  // On a busy machine the agent may not have started within the limit: it is given more.
  for (let timeout = 1; !existsSync(file); timeout *= 2) {
    const conduct = await play(hang, { timeout });
    expect(conduct.cause).toBe("timeout");
  }
  const [agent, child] = (await readFile(file, "utf8")).split(" ").map(Number);
  expect(await gone(agent as number)).toBe(true);
  expect(await gone(child as number)).toBe(true);
});

test.runIf(process.platform === "linux")(
  "what leaves the process group goes with its trial, and nobody else's process does",
  async () => {
    const file = join(folder, "left");
    // Runs its argument in a session of its own and ends.
    const leave = join(folder, "leave.mjs");
    const apart = `stdio: "ignore", detached: true`;
    await writeFile(
      leave,
      `import { spawn } from "node:child_process"; spawn("sh", ["-c", process.argv[2]], { ${apart} }).unref();`,
    );
    const other = spawn("sleep", ["600"], { env: { ...process.env, SVC_TRIAL_MCP_TOKEN: "svc_world_of_another" } });
    try {
      const conduct = await play(`import { spawn } from "node:child_process"; import { readFileSync } from "node:fs";
        const start = (command) => spawn("sh", ["-c", 'echo $$ >> ${file}; ' + command], { ${apart} }).unref();
        start("sleep 600"); start("${process.execPath} ${leave} 'echo $$ >> ${file}; sleep 601' & sleep 602");
        ${READ_LINES}
        const left = () => { try { return readFileSync(${JSON.stringify(file)}, "utf8").split("\\n").length - 1; } catch { return 0; } };
        for await (const _ of lines) { while (left() < 3) await new Promise((resolve) => setTimeout(resolve, 20)); say({ answer: "a" }); }`);
      expect(conduct).toMatchObject({ answers: [{ text: "a" }, { text: "a" }] });
      expect(conduct.cause).toBeUndefined();
      const pids = (await readFile(file, "utf8")).trim().split("\n").map(Number);
      expect(pids).toHaveLength(3);
      for (const pid of pids) expect(await gone(pid)).toBe(true);
      expect(alive(other.pid as number)).toBe(true);
    } finally {
      other.kill("SIGKILL");
    }
  },
);

test("a flood is cut off, on either stream", async () => {
  const flood = await play(
    `const block = "x".repeat(65536); const go = () => { while (process.stdout.write(block)) {} process.stdout.once("drain", go); }; go();`,
  );
  expect(flood.cause).toBe("flood");
  const errors = await play(
    `const block = "y".repeat(65536); const go = () => { while (process.stderr.write(block)) {} process.stderr.once("drain", go); }; go();`,
  );
  expect(errors.cause).toBe("flood");
  expect(errors.log.length).toBeLessThan(5_000);
});

test("garbage answers are kept as malformed, not as an answer", async () => {
  const conduct = await play(`${READ_LINES}
    let n = 0;
    for await (const line of lines) { n++; console.log(n === 1 ? "\\u0000<<garbage>>" : '{"answer": 7}'); }`);
  expect(conduct).toMatchObject({ malformed: true, answers: [{ text: "" }, { text: "" }] });
  expect(conduct.cause).toBeUndefined();
  const unknownClass = await play(`${READ_LINES}
    for await (const _ of lines) say({ answer: "a", class: "sure" });`);
  expect(unknownClass.answers).toEqual([{ text: "a" }, { text: "a" }]);
});

test("only what never took its turn, and has nothing to run, could not start", async () => {
  const missing = { cause: "could_not_start", began: false };
  expect(await playCommand(["/nonexistent/agent"])).toMatchObject(missing);
  expect(await playCommand(["/bin/sh", "-c", "exec /nonexistent/agent"])).toMatchObject(missing);
  expect(await playCommand(["/bin/sh", "-c", "exec /etc/hostname"])).toMatchObject(missing);
  expect(await playCommand(["/usr/bin/env", "no-such-program"])).toMatchObject(missing);
  // The request of `text` is its argument: it has it when it starts.
  expect(await playCommand(["/bin/sh", "-c", "exit 127"], { adapter: "text" })).toMatchObject({ cause: "crash" });
  expect(await playCommand(["/nonexistent/agent"], { adapter: "text" })).toMatchObject(missing);
});

const answered = `read x; echo '{"answer":"a"}'`;
test.each([
  ["exit 1", "read x; exit 1"],
  ["exit 126", "read x; exit 126"],
  ["exit 127", "read x; exit 127"],
  ["exit 127 of what it called", "read x; no-such-program"],
  ["exit 127 after an answer", `${answered}; exit 127`],
  ["exit 127 after the last answer", `${answered}; ${answered}; exit 127`],
  ["exit 137", "read x; exit 137"],
  ["exit 137 after the last answer", `${answered}; ${answered}; exit 137`],
  ["exit 143", "read x; exit 143"],
  ["SIGKILL to itself", "read x; kill -KILL $$"],
  ["SIGTERM to itself", "read x; kill -TERM $$"],
  ["SIGKILL by its child", `read x; ${inOwnSession("kill -KILL $$")} & sleep 20`],
  ["SIGTERM before it read", "kill -TERM $$"],
  ["exit 137 before it read", "exit 137"],
  ["exit 1 before it read", "exit 1"],
])("%s is the agent's crash, and its log says how it ended", async (_name, line) => {
  const conduct = await playCommand(["/bin/sh", "-c", line]);
  expect(conduct).toMatchObject({ cause: "crash", began: true });
  expect(conduct.log).toMatch(/The command (was ended by SIG|ended with exit status )/);
});

test("an end by a signal is ours where a stop comes with it", async () => {
  const abort = new AbortController();
  const line = "read x; kill -TERM $$";
  const running = playCommand(["/bin/sh", "-c", `sleep 0.3; ${line}`], { signal: abort.signal });
  await new Promise((resolve) => setTimeout(resolve, 450));
  abort.abort();
  expect((await running).cause).toBe("stopped");
});

test("what the kernel ended for want of memory has run out of memory, and nothing else has", async () => {
  let kills = 0;
  const relay = new WorldRelay();
  const sandbox = async () => "a test of the machine's own processes";
  const host = { relay, leftovers: new Leftovers(), outOfMemoryKills: () => kills, sandbox };
  const run = async (line: string, more: number) => {
    const target = { kind: "command" as const, command: ["/bin/sh", "-c", line], env: {}, adapter: "svc" as const };
    const ended = runCommand(target, { ...brief, mcpToken: randomUUID() }, new AbortController().signal, host);
    kills += more;
    return (await ended).cause;
  };
  const brief = { trial: "t", turns: ["x"], mcpUrl: "", mcpToken: "", timeoutSeconds: 20 };
  // What the kernel did while it ran is counted from when it began.
  const later = (line: string) => `sleep 0.2; ${line}`;
  expect(await run(later("kill -KILL $$"), 0)).toBe("crash");
  const ended = run(later("kill -KILL $$"), 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  kills += 1;
  expect(await ended).toBe("out_of_memory");
  const shell = run(later("exit 137"), 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  kills += 1;
  expect(await shell).toBe("out_of_memory");
  expect(await run(later("exit 3"), 1)).toBe("crash");
  relay.close();
  host.leftovers.close();
});

test("the kernel's count is read where there is one", () => {
  const told = outOfMemoryKills();
  if (process.platform === "linux") expect(told).toBeGreaterThanOrEqual(0);
  else expect(told).toBeUndefined();
});

test("an agent that closes its output, or its input, and goes on is told by what it answered", async () => {
  const closed = await playCommand(["/bin/sh", "-c", `${answered}; exec 1>&-; sleep 0.2; exit 0`]);
  expect(closed).toMatchObject({ answers: [{ text: "a" }] });
  expect(closed.cause).toBeUndefined();
  expect(await playCommand(["/bin/sh", "-c", "exec 0<&-; sleep 0.1; exit 3"])).toMatchObject({ cause: "crash" });
  expect((await playCommand(["/bin/sh", "-c", "exit 0"])).answers).toEqual([]);
});

test("a stop ends the trial long before its time limit, waiting or running", async () => {
  const abort = new AbortController();
  const file = join(folder, "stopped");
  const agent = `import { writeFileSync } from "node:fs"; writeFileSync("${file}", "runs"); setInterval(() => {}, 1000);`;
  const running = play(agent, { signal: abort.signal });
  await written(file);
  abort.abort();
  expect((await running).cause).toBe("stopped");
  expect((await play("", { signal: AbortSignal.abort() })).cause).toBe("stopped");
});

test("an agent that answers all and lingers is ended, and what it said counts", async () => {
  const conduct = await play(`${READ_LINES}
    lines.on("line", () => say({ answer: "ok" })); setInterval(() => {}, 1000);`);
  expect(conduct.cause).toBeUndefined();
  expect(conduct.answers).toHaveLength(2);
});

test("text: the request is the last argument, standard output the answer, a process per turn", async () => {
  const conduct = await playCommand(["/bin/sh", "-c", 'echo "said $1"', "agent"], { adapter: "text" });
  expect(conduct.answers).toEqual([{ text: "said first" }, { text: "said second" }]);
});

test("no agent outlives the launcher", async () => {
  const other = createLauncher({ commandsAllowed: true, privateAddressesAllowed: false, isolation: OPEN });
  const file = join(folder, "outlived");
  const target = {
    kind: "command" as const,
    command: ["/bin/sh", "-c", `echo $$ > ${file}; sleep 600`],
    env: {},
    adapter: "svc" as const,
  };
  const brief = { trial: "t", turns: ["x"], mcpUrl: "", mcpToken: "", timeoutSeconds: 600 };
  const run = other.run(target, async () => brief, new AbortController().signal).catch((error: unknown) => error);
  const pid = Number(await written(file));
  expect(pid).toBeGreaterThan(0);
  await other.close();
  await run;
  expect(await gone(pid)).toBe(true);
});

test("a launcher process that is killed is our fault, and the next trial has a new one", async () => {
  const other = createLauncher({ commandsAllowed: true, privateAddressesAllowed: false, isolation: OPEN });
  const target = {
    kind: "command" as const,
    command: ["/bin/sh", "-c", "read x; read y"],
    env: {},
    adapter: "svc" as const,
  };
  const brief = { trial: "t", turns: ["x"], mcpUrl: "", mcpToken: "", timeoutSeconds: 600 };
  const before = new Set(launchers());
  const run = other.run(target, async () => brief, new AbortController().signal).catch((error: unknown) => error);
  let pid: number | undefined;
  while (pid === undefined) {
    await sleep(20);
    pid = launchers().find((own) => !before.has(own));
  }
  process.kill(pid as number, "SIGKILL");
  expect(await run).toBeInstanceOf(Error);
  const echo = { ...target, command: ["/bin/sh", "-c", `read x; echo '{"answer":"back"}'`] };
  expect((await other.run(echo, async () => brief, new AbortController().signal)).answers).toEqual([{ text: "back" }]);
  await other.close();
});

/** The launcher processes that this process started. */
function launchers(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1];
        return (
          Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("launcher-process")
        );
      } catch {
        return false;
      }
    });
}

test("commands are refused where the operator did not allow them", async () => {
  const shared = createLauncher({ commandsAllowed: false, privateAddressesAllowed: false });
  const target = { kind: "command" as const, command: ["true"], env: {}, adapter: "svc" as const };
  const brief = { trial: "t", turns: ["x"], mcpUrl: "", mcpToken: "", timeoutSeconds: 5 };
  await expect(shared.run(target, async () => brief, new AbortController().signal)).rejects.toMatchObject({
    code: "forbidden",
  });
});

const ECHO = `${READ_LINES}for await (const line of lines) say({ answer: "heard " + JSON.parse(line).text + " as " + JSON.parse(line).turn });`;

test("after the fixed turns the user replies to what was answered, until it has gone", async () => {
  const heard: string[][] = [];
  const reply = async (answers: readonly { text: string }[]) => {
    heard.push(answers.map(({ text }) => text));
    return answers.length < 4 ? `reply ${answers.length}` : undefined;
  };
  const conduct = await play(ECHO, { reply });
  const all = ["heard first as 1", "heard second as 2", "heard reply 2 as 3", "heard reply 3 as 4"];
  expect(conduct).toMatchObject({ answers: all.map((text) => ({ text })), began: true });
  expect(conduct.cause).toBeUndefined();
  expect(heard).toEqual([all.slice(0, 2), all.slice(0, 3), all]);
});

test("adapter text: a reply is a turn of its own process", async () => {
  const script = 'process.stdout.write("heard " + process.argv.at(-1));';
  const reply = async (answers: readonly { text: string }[]) => (answers.length < 3 ? "more" : undefined);
  const { answers } = await play(script, { reply, adapter: "text" });
  expect(answers.map(({ text }) => text)).toEqual(["heard first", "heard second", "heard more"]);
});

test("an agent that goes after the fixed turns has said what it said", async () => {
  const script = `${READ_LINES}let n = 0;
for await (const line of lines) { say({ answer: "one?" }); if (++n === 2) process.exit(0); }`;
  const conduct = await play(script, { reply: async () => "yes" });
  expect(conduct.answers).toHaveLength(2);
  expect(conduct.cause).toBeUndefined();
});

test("a user who cannot reply ends the agent, and the error is the caller's", async () => {
  const reply = () => Promise.reject(new Error("the budget is spent"));
  await expect(play(ECHO, { reply })).rejects.toThrow("the budget is spent");
});

test("an agent is ended in time, and by a stop, while the user thinks", async () => {
  let waited: (() => void) | undefined;
  const slow = () => new Promise<undefined>((resolve) => (waited = () => resolve(undefined)));
  const late = play(ECHO, { reply: slow, timeout: 1 });
  setTimeout(() => waited?.(), 2_500);
  expect((await late).cause).toBe("timeout");
  const stop = new AbortController();
  const stopped = play(ECHO, {
    reply: () => new Promise(() => setTimeout(() => stop.abort(), 50)),
    signal: stop.signal,
  });
  expect((await stopped).cause).toBe("stopped");
});
