import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createLauncher } from "../../src/agents/launcher.ts";
import { alive, fileOf, gone, OPEN, play, playCommand, READ_LINES, withLauncher, written } from "./play.ts";

withLauncher();

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
  const file = fileOf("pids");
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
    const file = fileOf("left");
    // Runs its argument in a session of its own and ends.
    const leave = fileOf("leave.mjs");
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

test("a stop ends the trial long before its time limit, waiting or running", async () => {
  const abort = new AbortController();
  const file = fileOf("stopped");
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
  const file = fileOf("outlived");
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
