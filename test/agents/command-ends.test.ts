import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { runCommand } from "../../src/agents/command.ts";
import { Leftovers } from "../../src/agents/leftovers.ts";
import { outOfMemoryKills } from "../../src/agents/out-of-memory.ts";
import { WorldRelay } from "../../src/agents/world-relay.ts";
import { inOwnSession } from "../helpers/child.ts";
import { playCommand, withLauncher } from "./play.ts";

withLauncher();

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
